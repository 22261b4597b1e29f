import { RestartDelay } from './restart-delay.ts'
import type { WorkerProcess } from './worker-process.ts'

/** After a spare was needed the next one waits so long: the one that took over begins to serve, and has the processors. */
const PAUSE_MS = 1000
/** Between the signal that a spare may react to and the one that it cannot. */
const KILL_GRACE_MS = 1000

/** A process without a place, which has run the program as far as its first `listen`: it takes over where one dies. */
export class SpareWorker {
  readonly #fork: () => WorkerProcess
  readonly #delay: RestartDelay
  #process: WorkerProcess | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(fork: () => WorkerProcess, maxRestartDelayMs: number) {
    this.#fork = fork
    this.#delay = new RestartDelay(maxRestartDelayMs)
  }

  /** Sees to it that there is one before long. */
  prepare(): void {
    if (this.#process === undefined) this.#startIn(PAUSE_MS)
  }

  /** @returns The process, which is then no spare any more */
  take(): WorkerProcess | undefined {
    const taken = this.#process
    this.#process = undefined
    if (taken !== undefined) this.#startIn(PAUSE_MS)
    return taken
  }

  /** Ends the one there is: the next one runs the program as it is then. */
  renew(): void {
    const before = this.take()
    if (before === undefined) return
    before.kill('SIGTERM')
    const timer = setTimeout(() => before.kill('SIGKILL'), KILL_GRACE_MS)
    void before.exited.finally(() => clearTimeout(timer))
  }

  onExit(worker: WorkerProcess): void {
    if (worker !== this.#process) return
    this.#process = undefined
    // A spare that waits for a place has started, whatever ended it.
    this.#startIn(PAUSE_MS + this.#delay.next(worker.wanted !== undefined))
  }

  /** Starts none any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#process = undefined
  }

  #startIn(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#process = this.#fork()
    }, delayMs)
  }
}
