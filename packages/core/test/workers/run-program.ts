import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import type { ListenOptions, ServerOptions } from '../../src/index.ts'
import { COMPILE_CACHE } from '../programs/compile-cache.ts'

/** File that runs as the primary and as the workers. */
export const PROGRAM: string = fileURLToPath(new URL('program.ts', import.meta.url))

export interface ProgramOptions {
  /** Options for one or several `listen` calls. Default address: a free port on 127.0.0.1. */
  readonly listen: ListenOptions | readonly ListenOptions[]
  readonly server?: ServerOptions
  readonly behavior?: string
  readonly logFile?: string
  readonly env?: NodeJS.ProcessEnv
  /** File or named pipe for its output. */
  readonly output?: string
  /** File for its standard error. Default: the same as `output`. */
  readonly errors?: string
}

/** Options for polling processes, long enough for a busy machine. */
export const POLL_OPTIONS: { readonly timeout: number; readonly interval: number } = { timeout: 30_000, interval: 20 }

/** How a process ended: its exit code or the signal. */
export type Ending = number | NodeJS.Signals

/** Runs a primary with its workers. */
export class Program {
  readonly process: ChildProcess
  readonly ended: Promise<Ending>
  readonly #file: string | undefined
  /**
   * Number of workers that the output must report as ready before the program listens; 0 if the output is not visible
   * here.
   */
  readonly #readyAtStart: number
  #output = ''

  constructor(options: ProgramOptions) {
    const { listen, server, logFile, behavior = '', output, errors } = options
    const [{ workers = 0 } = {}] = [listen].flat()
    const count = typeof workers === 'object' ? workers.count : workers
    this.#readyAtStart = output !== undefined || logFile !== undefined || count === 'auto' ? 0 : count
    const target = output === undefined ? 'pipe' : openSync(output, 'a')
    const errorTarget = errors === undefined ? target : openSync(errors, 'a')
    this.#file = output !== undefined && statSync(output).isFile() ? output : undefined
    this.process = fork(PROGRAM, {
      stdio: ['ignore', target, errorTarget, 'ipc'],
      execArgv: [],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...options.env,
        TEST_BEHAVIOR: behavior,
        TEST_OPTIONS: JSON.stringify({ listens: [listen].flat().map(place), server, logFile }),
      },
    })
    for (const fd of new Set([target, errorTarget])) if (typeof fd === 'number') closeSync(fd)
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    }
    this.ended = once(this.process, 'close').then(
      ([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? 0,
    )
    onTestFinished(async () => {
      this.process.kill('SIGKILL')
      for (const pid of this.workers()) killIfRunning(pid)
      await this.ended
    })
  }

  /** Process IDs of the workers that the log reports as ready. Some can have ended since then. */
  workers(): number[] {
    return Array.from(this.output.matchAll(/Worker \d+ \(process (\d+)\) is ready/g), ([, pid]) => Number(pid))
  }

  /** The program's output; empty if it goes to a named pipe. */
  get output(): string {
    return this.#file === undefined ? this.#output : readFileSync(this.#file, 'utf8')
  }

  /**
   * Returns the URLs of all listeners.
   *
   * @throws {Error} with the output if the program exits instead of listening
   */
  async urls(): Promise<string[]> {
    const [urls] = (await Promise.race([
      once(this.process, 'message'),
      this.ended.then((how) => {
        throw new Error(`The program ended with ${how}: ${this.output}`)
      }),
    ])) as [string[]]
    // Output that was written before this message can arrive later.
    await vi.waitUntil(() => this.workers().length >= this.#readyAtStart, POLL_OPTIONS)
    return urls
  }

  /**
   * Returns the URL of the first listener.
   *
   * @throws {Error} with the output if the program exits instead of listening
   */
  async url(): Promise<string> {
    return (await this.urls())[0] ?? ''
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }
}

function place(listen: ListenOptions): ListenOptions {
  return listen.path === undefined && listen.fd === undefined ? { host: '127.0.0.1', port: 0, ...listen } : listen
}

/** Reports whether a process is running, and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
