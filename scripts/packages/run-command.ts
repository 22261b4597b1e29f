import { type ExecFileException, execFile } from 'node:child_process'

/** Result of a command. */
export interface CommandResult {
  readonly ok: boolean
  readonly stdout: string
  /** Standard output, followed by standard error and the reason for a failure. */
  readonly output: string
}

/** Time limit in milliseconds for a command that hangs. */
const TIMEOUT_MS = 180_000

/** Runs a command without input. Resolves even if the command fails. */
export function runCommand(command: readonly string[], cwd: string): Promise<CommandResult> {
  const [file = '', ...args] = command
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  const options = { cwd, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }
  const child = execFile(file, args, options, (error: ExecFileException | null, stdout, stderr) => {
    const reason = error === null ? '' : `${command.join(' ')}: ${error.code ?? error.signal ?? error.message}\n`
    resolve({ ok: error === null, stdout, output: `${stdout}${stderr}${reason}` })
  })
  child.stdin?.end()
  return promise
}

/** Returns the command for the pnpm that runs this script, or for a pnpm that npx installs. */
export function pnpmCommand(): readonly string[] {
  return (process.env['npm_config_user_agent'] ?? '').startsWith('pnpm/') ? ['pnpm'] : ['npx', '--yes', 'pnpm@12']
}
