import { RestartDelay } from './restart-delay.ts'
import type { WorkerProcess } from './worker-process.ts'

/**
 * Pause before the next spare starts, in milliseconds. During the pause, the CPU is free for the worker that has just
 * taken over.
 */
const PAUSE_MS = 1000
/** Milliseconds from SIGTERM to SIGKILL. */
const KILL_GRACE_MS = 1000

/**
 * Keeps a spare process, which has run the program up to its first `listen` call. It takes over the slot of a worker
 * that ends.
 */
export class SpareWorker {
  readonly #fork: () => WorkerProcess
  readonly #delay: RestartDelay
  #process: WorkerProcess | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(fork: () => WorkerProcess, maxRestartDelayMs: number) {
    this.#fork = fork
    this.#delay = new RestartDelay(maxRestartDelayMs)
  }

  /** Starts a spare after a pause, unless one exists. */
  prepare(): void {
    if (this.#process === undefined) this.#startIn(PAUSE_MS)
  }

  /** Takes the spare for use as a worker, and prepares the next one. Returns `undefined` if there is no spare. */
  take(): WorkerProcess | undefined {
    const taken = this.#process
    this.#process = undefined
    if (taken !== undefined) this.#startIn(PAUSE_MS)
    return taken
  }

  /** Ends the current spare. The next one runs the program's current version. */
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
    // A spare that is waiting for a slot has started successfully, regardless of why it ended.
    this.#startIn(PAUSE_MS + this.#delay.next(worker.wanted !== undefined))
  }

  /** Stops starting spares. */
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
