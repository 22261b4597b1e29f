/** Maximum number of stored keys. Further visitors share one allowance. */
const MAX_KEYS = 1000

/** Limits the uses of each key per second. */
export class RateLimit {
  readonly #perSecond: number
  readonly #burst: number
  readonly #now: () => number
  readonly #spent = new Map<string, { tokens: number; at: number }>()

  /**
   * @param perSecond Allowed uses of each key per second; 0.2 allows one every 5 seconds
   * @param now Returns the current time in milliseconds
   */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#burst = Math.max(1, perSecond)
    this.#now = now
  }

  /** Counts one use. Returns 0 if it is allowed, otherwise the number of milliseconds to wait. */
  take(key: string): number {
    const at = this.#now()
    const known = this.#spent.get(key)
    const refilled = known === undefined ? this.#burst : known.tokens + ((at - known.at) / 1000) * this.#perSecond
    const tokens = Math.min(this.#burst, refilled)
    const isFree = tokens >= 1
    this.#spent.delete(key)
    if (this.#spent.size >= MAX_KEYS) this.#forgetOldest()
    this.#spent.set(key, { tokens: isFree ? tokens - 1 : tokens, at })
    return isFree ? 0 : Math.ceil(((1 - tokens) / this.#perSecond) * 1000)
  }

  #forgetOldest(): void {
    const [oldest] = this.#spent.keys()
    if (oldest !== undefined) this.#spent.delete(oldest)
  }
}
