import { type ExecFileException, execFile } from 'node:child_process'

/** How a command ended. */
export interface CommandResult {
  readonly ok: boolean
  readonly stdout: string
  /** Everything that was printed, standard output first. */
  readonly output: string
}

/** A command that hangs must not keep a run from ending. */
const TIMEOUT_MS = 180_000

/** Runs a command to its end, without input. A failure is a result, not an exception. */
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

/** The pnpm that runs this script, or one that npm fetches. */
export function pnpmCommand(): readonly string[] {
  return (process.env['npm_config_user_agent'] ?? '').startsWith('pnpm/') ? ['pnpm'] : ['npx', '--yes', 'pnpm@12']
}
