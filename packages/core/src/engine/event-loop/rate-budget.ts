/** Limits the rate of events with a token bucket: `burst` at the same time, and `perSecond` on average. */
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

  /** Counts one event. Returns false, without counting it, if the budget is exhausted. */
  spend(nowMs: number): boolean {
    const earned = ((nowMs - this.#countedAtMs) / 1000) * this.#perSecond
    this.#countedAtMs = nowMs
    this.#left = Math.min(this.#burst, this.#left + earned)
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
