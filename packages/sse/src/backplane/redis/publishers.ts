import type { RedisEntry } from './entry.ts'

/** Publishers that repetitions are known of. */
const MAX_PUBLISHERS = 10_000

/** How far the events of each publisher were delivered, by which those that were stored twice are known. */
export class RedisPublishers {
  readonly #delivered = new Map<string, number>()

  hasDelivered({ origin, number }: RedisEntry): boolean {
    return number <= (this.#delivered.get(origin) ?? 0)
  }

  /** Takes note of the latest event of a publisher, and forgets those that have been silent for longest. */
  deliver({ origin, number }: RedisEntry): void {
    this.#delivered.delete(origin)
    this.#delivered.set(origin, number)
    if (this.#delivered.size <= MAX_PUBLISHERS) return
    const [silent] = this.#delivered.keys()
    if (silent !== undefined) this.#delivered.delete(silent)
  }
}
