import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import type { ListenOptions, ServerOptions } from '../../src/index.ts'
import { COMPILE_CACHE } from '../programs/compile-cache.ts'

/** The file that runs as primary and as workers. */
export const PROGRAM: string = fileURLToPath(new URL('program.ts', import.meta.url))

export interface ProgramOptions {
  /** One call of `listen`, or several; on a free port of the loopback address unless they say otherwise. */
  readonly listen: ListenOptions | readonly ListenOptions[]
  readonly server?: ServerOptions
  readonly behaviour?: string
  readonly logFile?: string
  readonly env?: NodeJS.ProcessEnv
  /** A file or named pipe for what it writes. */
  readonly output?: string
  /** A file for what it writes to standard error, if that is to go elsewhere. */
  readonly errors?: string
}

/** For polling what processes do: the machine may be busy. */
export const PATIENTLY: { readonly timeout: number; readonly interval: number } = { timeout: 30_000, interval: 20 }

/** How a process ended: its code, or the signal. */
export type Ending = number | NodeJS.Signals

/** A primary with its workers. */
export class Program {
  readonly process: ChildProcess
  readonly ended: Promise<Ending>
  readonly #file: string | undefined
  /** How many workers it says are ready before it listens, if that can be seen here. */
  readonly #readyAtStart: number
  #output = ''

  constructor(options: ProgramOptions) {
    const { listen, server, logFile, behaviour = '', output, errors } = options
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
        TEST_BEHAVIOUR: behaviour,
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
      for (const pid of this.workers()) killIfThere(pid)
      await this.ended
    })
  }

  /** The processes that have become ready, by what the log says; some may be gone. */
  workers(): number[] {
    return Array.from(this.output.matchAll(/Worker \d+ \(process (\d+)\) is ready/g), ([, pid]) => Number(pid))
  }

  /** What it wrote; nothing if that goes to a named pipe. */
  get output(): string {
    return this.#file === undefined ? this.#output : readFileSync(this.#file, 'utf8')
  }

  /** @throws {Error} with what it wrote if it ends instead of listening */
  async urls(): Promise<string[]> {
    const [urls] = (await Promise.race([
      once(this.process, 'message'),
      this.ended.then((how) => {
        throw new Error(`It ended with ${how}: ${this.output}`)
      }),
    ])) as [string[]]
    // What it wrote before it said so may arrive later.
    await vi.waitUntil(() => this.workers().length >= this.#readyAtStart, PATIENTLY)
    return urls
  }

  /** That of the first `listen`. @throws {Error} as `urls` */
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

/** Whether there is such a process, and not only what is left of it until somebody asks how it ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
