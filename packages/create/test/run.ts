import { type ExecFileException, execFile } from 'node:child_process'
import { join } from 'node:path'

/** Result of a command that has exited. */
export interface Ended {
  /** Exit code, or the name of the signal or of the error that ended the command. */
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Folder, environment and input of a command. */
export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Standard input. */
  readonly input?: string
}

/** Path of the program in this workspace. */
export const PROGRAM: string = join(import.meta.dirname, '../bin/create.js')

/** Time limit for a command, in milliseconds. It is long enough to repeat a stalled download. */
const TIMEOUT_MS = 300_000

/** Environment variables, except those that the package manager sets for the test run. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(?!config_registry)|pnpm_|NODE_TEST_|VITEST|NODE_ENV|CI$)/i.test(name),
  ),
)

/** Command for the pnpm that runs the tests, or for a pnpm that npx installs. */
export const PNPM: readonly string[] = (process.env['npm_config_user_agent'] ?? '').startsWith('pnpm/')
  ? ['pnpm']
  : ['npx', '--yes', 'pnpm@12']

/** Runs a command until it exits, without a terminal. */
export function run(command: readonly string[], { cwd, env = {}, input = '' }: RunOptions): Promise<Ended> {
  const [file = '', ...args] = command
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const options = { cwd, env: { ...ENVIRONMENT, ...env }, timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 }
  const child = execFile(file, args, options, (error: ExecFileException | null, stdout, stderr) => {
    resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 'unknown'), stdout, stderr })
  })
  // A program that exits without reading its input closes the pipe.
  child.stdin?.on('error', () => {}).end(input)
  return promise
}

/** Runs the program in this workspace. */
export function create(args: readonly string[], options: RunOptions): Promise<Ended> {
  return run([process.execPath, PROGRAM, ...args], options)
}
