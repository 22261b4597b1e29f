import { spawn } from 'node:child_process'

/** Exit code for a command that could not be started, as in shells. */
const NOT_FOUND = 127

/**
 * Runs a command line and returns its exit code: 127 if the program does not exist.
 *
 * @param command Words separated by spaces, without quotes
 * @param output `'inherit'` shows the command's output, `'ignore'` discards it
 */
export function runCommand(command: string, cwd: string, output: 'inherit' | 'ignore'): Promise<number> {
  const [file = '', ...args] = command.split(' ')
  const { promise, resolve } = Promise.withResolvers<number>()
  // On Windows, npm is a batch file, which needs a shell.
  const shell = process.platform === 'win32'
  const child = spawn(file, args, { cwd, shell, stdio: ['ignore', output, output] })
  child.on('error', () => resolve(NOT_FOUND))
  child.on('close', (code) => resolve(code ?? 1))
  return promise
}
