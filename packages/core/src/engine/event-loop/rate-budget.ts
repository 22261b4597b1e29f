/** How often something may happen: so many times at once, and so many times a second in the long run. */
export class RateBudget {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #countedAtMs: number

  constructor(burst: number, perSecond: number, nowMs: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
    this.#countedAtMs = nowMs
  }

  /** Counts one more; false if that is too many, and then it does not count. */
  spend(nowMs: number): boolean {
    const earned = ((nowMs - this.#countedAtMs) / 1000) * this.#perSecond
    this.#countedAtMs = nowMs
    this.#left = Math.min(this.#burst, this.#left + earned)
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
