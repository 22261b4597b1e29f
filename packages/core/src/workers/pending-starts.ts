import { StartupError } from '../options/startup-error.ts'
import type { SentAddress } from './messages.ts'

/** A call of `listen` that not all workers have come to yet. */
interface PendingStart extends PromiseWithResolvers<SentAddress> {
  readonly taken: Set<number>
}

/** The calls of `listen` in the primary that wait for their workers. */
export class PendingStarts {
  readonly #count: number
  readonly #timeoutMs: number
  readonly #starts = new Map<number, PendingStart>()

  /** @param count How many workers have to listen within `timeoutMs` */
  constructor(count: number, timeoutMs: number) {
    this.#count = count
    this.#timeoutMs = timeoutMs
  }

  get size(): number {
    return this.#starts.size
  }

  /**
   * Resolves when all workers listen.
   *
   * @throws {StartupError} if one of them fails, or does not come to it in time
   */
  async all(listen: number): Promise<SentAddress> {
    const start: PendingStart = { ...Promise.withResolvers<SentAddress>(), taken: new Set() }
    this.#starts.set(listen, start)
    const timer = setTimeout(() => {
      const slots = Array.from({ length: this.#count }, (_, slot) => slot)
      const missing = slots.findIndex((slot) => !start.taken.has(slot))
      start.reject(
        new StartupError(
          `Worker ${missing + 1} did not come to listen within ${this.#timeoutMs} ms: the program has to make the same ` +
            'calls of listen in its workers, or needs a longer workers.startTimeoutMs',
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

  /** The worker of a place listens. */
  taken(listen: number, slot: number, address: SentAddress): void {
    const start = this.#starts.get(listen)
    start?.taken.add(slot)
    if (start?.taken.size === this.#count) start.resolve(address)
  }

  /**
   * The worker of a place has ended: whatever it has not come to will not be.
   *
   * @returns How many calls fail for it
   */
  failed(slot: number, reason: string): number {
    let failing = 0
    for (const start of this.#starts.values()) {
      if (start.taken.has(slot)) continue
      start.reject(new StartupError(reason))
      failing++
    }
    return failing
  }
}
