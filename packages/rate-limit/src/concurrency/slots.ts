/**
 * The result of waiting: a slot (`running`), no slot within the time limit (`late`), or no slot because the request ended
 * (`gone`).
 */
export type Admission = 'running' | 'late' | 'gone'

interface Waiter {
  readonly sinceMs: number
  readonly settle: (admission: Admission) => void
}

/** Counts the requests in progress and queues further requests in order of arrival. */
export class Slots {
  readonly #maxRunning: number
  readonly #maxQueued: number
  readonly #maxQueueMs: number
  readonly #waiters = new Set<Waiter>()
  #running = 0

  constructor(maxRunning: number, maxQueued: number, maxQueueMs: number) {
    this.#maxRunning = maxRunning
    this.#maxQueued = maxQueued
    this.#maxQueueMs = maxQueueMs
  }

  /** Whether no request is running, and therefore none is waiting. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /** Occupies a free slot. @returns false if all are occupied */
  take(): boolean {
    if (this.#running >= this.#maxRunning) return false
    this.#running++
    return true
  }

  /**
   * Waits for a slot and occupies it.
   *
   * @param signal Aborts if the request ends while it is waiting
   * @returns `undefined` if the queue is full
   */
  wait(signal: AbortSignal): Promise<Admission> | undefined {
    if (this.#waiters.size >= this.#maxQueued) return undefined
    if (signal.aborted) return Promise.resolve('gone')
    const { promise, resolve } = Promise.withResolvers<Admission>()
    const leave = (): void => waiter.settle('gone')
    const timer = setTimeout(() => waiter.settle('late'), this.#maxQueueMs)
    const waiter: Waiter = {
      sinceMs: performance.now(),
      settle: (admission) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiters.delete(waiter)
        resolve(admission)
      },
    }
    signal.addEventListener('abort', leave)
    this.#waiters.add(waiter)
    return promise
  }

  /** Frees a slot and passes it to the request that has waited longest. */
  release(): void {
    for (const waiter of this.#waiters) {
      // While the event loop was blocked, the timer of this request could not fire. The client has probably abandoned
      // the request, or soon will.
      if (performance.now() - waiter.sinceMs > this.#maxQueueMs) {
        waiter.settle('late')
        continue
      }
      waiter.settle('running')
      return
    }
    this.#running--
  }
}
