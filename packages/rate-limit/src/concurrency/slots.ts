/** The result of waiting: a slot, no slot within the time limit, or none because the request ended. */
export type Admission = 'running' | 'late' | 'gone'

interface Waiter {
  readonly sinceMs: number
  readonly settle: (admission: Admission) => void
}

/** Counts in-flight requests, and lets others wait in the order of their arrival. */
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

  /** Whether no request runs, so that none waits either. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /** Takes a free slot. @returns false if all are taken */
  take(): boolean {
    if (this.#running >= this.#maxRunning) return false
    this.#running++
    return true
  }

  /**
   * Waits for a slot, which is then taken.
   *
   * @param signal Aborts if the request ends while it waits
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

  /** Frees a slot, and passes it to the request that has waited longest. */
  release(): void {
    for (const waiter of this.#waiters) {
      // While the event loop is blocked, no timer fires. The client has given up on such a request, or will soon.
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
