import { checkOptions, integer, type OptionKinds } from '@fw/options'
import { decide, type Grant, type Quota } from './gcra.ts'
import type { RateLimitStore } from './store.ts'

/** Options of `memoryRateLimits()`. */
export interface MemoryRateLimitsOptions {
  /** Maximum number of keys. A new key replaces the key whose last unit was used longest ago. Default: 100,000, about 12 MB. */
  readonly maxKeys?: number
}

/** About 12 MB. A client with many addresses can fill the store, so it must have a limit. */
const MAX_KEYS = 100_000

const KINDS: OptionKinds<MemoryRateLimitsOptions> = { maxKeys: integer(1) }

/** Keys to examine for each new key: two, so that keys leave faster than they arrive. */
const STEPS = 2

/**
 * Creates a store in the memory of this process. Several limits can share it. `rateLimit()` creates one by default.
 *
 * @throws {TypeError | RangeError} that names the option that does not exist or has a wrong value
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
  /** The time at which all units of a key have returned, in microseconds. The key that was written last is the last one. */
  readonly #returned = new Map<string, number>()
  // One iterator for all removals. A new one would skip all removed entries at the beginning of the map each time.
  #keys = this.#returned.keys()
  #oldest: string | undefined = undefined
  #oldestUs = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  take(key: string, quota: Quota, cost: number): Grant {
    // The monotonic clock: a change of the system time must neither refuse nor allow more.
    const nowUs = Math.floor(performance.now() * 1000)
    const returnedUs = this.#returned.get(key)
    const grant = decide(returnedUs ?? 0, nowUs, quota, cost)
    if (!grant.allowed || cost === 0) return grant
    if (returnedUs === undefined) this.#makeRoom(nowUs)
    else this.#returned.delete(key)
    this.#returned.set(key, nowUs + grant.backlogUs)
    return grant
  }

  /** Removes keys whose units have returned, and the oldest one if there is no room for another. */
  #makeRoom(nowUs: number): void {
    for (let step = 0; step < STEPS; step++) {
      if (!this.#findOldest()) return
      if (this.#oldestUs > nowUs && this.#returned.size < this.#maxKeys) return
      this.#returned.delete(this.#oldest ?? '')
      this.#oldest = undefined
    }
  }

  /** Sets `#oldest` to the key that was written first. @returns false if there is none */
  #findOldest(): boolean {
    // A key that was written again is now further back, where the iterator returns it again.
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
