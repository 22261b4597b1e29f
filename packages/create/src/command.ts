import { spawn } from 'node:child_process'

/** Result for a command that could not be started: the exit code that shells use. */
const NOT_FOUND = 127

/**
 * Runs a command line and returns its exit code: 127 if the program does not exist.
 *
 * @param command Words separated by spaces, without quotes
 * @param output `'inherit'` shows the output of the command, `'ignore'` discards it
 */
export function runCommand(command: string, cwd: string, output: 'inherit' | 'ignore'): Promise<number> {
  const [file = '', ...args] = command.split(' ')
  const { promise, resolve } = Promise.withResolvers<number>()
  // On Windows, npm is a batch file, which only a shell can run.
  const shell = process.platform === 'win32'
  const child = spawn(file, args, { cwd, shell, stdio: ['ignore', output, output] })
  child.on('error', () => resolve(NOT_FOUND))
  child.on('close', (code) => resolve(code ?? 1))
  return promise
}
