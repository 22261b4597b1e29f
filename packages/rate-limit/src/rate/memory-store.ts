import { checkOptions, integer, type OptionKinds } from '@fw/options'
import { decide, type Grant, type Quota } from './gcra.ts'
import type { RateLimitStore } from './store.ts'

/** Options of `memoryRateLimits()`. */
export interface MemoryRateLimitsOptions {
  /** Maximum number of keys. A new key replaces the key whose last unit was used longest ago. Default: 100,000, about 12 MB. */
  readonly maxKeys?: number
}

/**
 * Default of `maxKeys`, which needs about 12 MB. Without a limit, a client with many addresses could use all memory.
 */
const MAX_KEYS = 100_000

const KINDS: OptionKinds<MemoryRateLimitsOptions> = { maxKeys: integer(1) }

/** Number of keys to examine for each new key. With two, keys are removed faster than they are added. */
const STEPS = 2

/**
 * Creates a store in the memory of this process, which several limits can share. `rateLimit()` creates one by default.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * rateLimit({ limit: 10, store: memoryRateLimits({ maxKeys: 10_000 }) })
 */
export function memoryRateLimits(options: MemoryRateLimitsOptions = {}): RateLimitStore {
  checkOptions('memoryRateLimits', options, KINDS)
  return new MemoryStore(options.maxKeys ?? MAX_KEYS)
}

class MemoryStore implements RateLimitStore {
  readonly #maxKeys: number
  /** The time in microseconds at which all units of a key have returned. The most recently written key is last. */
  readonly #returned = new Map<string, number>()
  // One iterator for all removals. Each new iterator would have to skip all removed entries at the beginning of the map.
  #keys = this.#returned.keys()
  #oldest: string | undefined = undefined
  #oldestUs = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  take(key: string, quota: Quota, cost: number): Grant {
    // Use the monotonic clock, because a change of the system time must not affect limits.
    const nowUs = Math.floor(performance.now() * 1000)
    const returnedUs = this.#returned.get(key)
    const grant = decide(returnedUs ?? 0, nowUs, quota, cost)
    if (!grant.allowed || cost === 0) return grant
    if (returnedUs === undefined) this.#makeRoom(nowUs)
    else this.#returned.delete(key)
    this.#returned.set(key, nowUs + grant.backlogUs)
    return grant
  }

  /** Removes keys whose units have returned. If the store is still full, removes the oldest key. */
  #makeRoom(nowUs: number): void {
    for (let step = 0; step < STEPS; step++) {
      if (!this.#findOldest()) return
      if (this.#oldestUs > nowUs && this.#returned.size < this.#maxKeys) return
      this.#returned.delete(this.#oldest ?? '')
      this.#oldest = undefined
    }
  }

  /** Sets `#oldest` to the least recently written key. @returns false if there is none */
  #findOldest(): boolean {
    // A key that was written again has moved toward the end, where the iterator will return it again.
    if (this.#oldest !== undefined && this.#returned.get(this.#oldest) === this.#oldestUs) return true
    let { done, value } = this.#keys.next()
    if (done === true) {
      this.#keys = this.#returned.keys()
      ;({ done, value } = this.#keys.next())
      if (done === true) return false
    }
    this.#oldest = value
    this.#oldestUs = this.#returned.get(value ?? '') ?? 0
    return true
  }
}
