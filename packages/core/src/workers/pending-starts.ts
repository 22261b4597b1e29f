import { withCode } from '@fw/options'
import { StartupError } from '../options/startup-error.ts'
import type { SentAddress } from './messages.ts'

/** A `listen` call that not all workers have reached yet. */
interface PendingStart extends PromiseWithResolvers<SentAddress> {
  readonly taken: Set<number>
}

/** Tracks the `listen` calls in the primary that are waiting for their workers. */
export class PendingStarts {
  readonly #count: number
  readonly #timeoutMs: number
  readonly #starts = new Map<number, PendingStart>()

  /** @param count Number of workers that must listen within `timeoutMs` */
  constructor(count: number, timeoutMs: number) {
    this.#count = count
    this.#timeoutMs = timeoutMs
  }

  get size(): number {
    return this.#starts.size
  }

  /**
   * Resolves when all workers are listening.
   *
   * @throws {StartupError} if a worker fails or does not listen in time
   */
  async all(listen: number): Promise<SentAddress> {
    const start: PendingStart = { ...Promise.withResolvers<SentAddress>(), taken: new Set() }
    this.#starts.set(listen, start)
    const timer = setTimeout(() => {
      const slots = Array.from({ length: this.#count }, (_, slot) => slot)
      const missing = slots.findIndex((slot) => !start.taken.has(slot))
      start.reject(
        withCode(
          'FW_WORKER_FAILED',
          new StartupError(
            `Worker ${missing + 1} did not listen within ${this.#timeoutMs.toLocaleString('en')} ms. ` +
              'Call listen() in every worker with the same options, or raise workers.startTimeoutMs',
          ),
        ),
      )
    }, this.#timeoutMs)
    try {
      return await start.promise
    } finally {
      clearTimeout(timer)
      this.#starts.delete(listen)
    }
  }

  /** Records that the worker in a slot is listening. */
  taken(listen: number, slot: number, address: SentAddress): void {
    const start = this.#starts.get(listen)
    start?.taken.add(slot)
    if (start?.taken.size === this.#count) start.resolve(address)
  }

  /**
   * Rejects the calls that the worker in a slot has not reached, because the worker has ended.
   *
   * @returns Number of rejected calls
   */
  failed(slot: number, reason: string): number {
    let failing = 0
    for (const start of this.#starts.values()) {
      if (start.taken.has(slot)) continue
      start.reject(withCode('FW_WORKER_FAILED', new StartupError(reason)))
      failing++
    }
    return failing
  }
}
