/**
 * How many streams a client may open and give up again, each of which costs it less than it costs us: so many at once,
 * and so many a second in the long run (CVE-2023-44487).
 */
export class ResetBudget {
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

  /** Counts a stream that was given up; false if that was one too many. */
  spend(nowMs: number): boolean {
    const earned = ((nowMs - this.#countedAtMs) / 1000) * this.#perSecond
    this.#countedAtMs = nowMs
    this.#left = Math.min(this.#burst, this.#left + earned) - 1
    return this.#left >= 0
  }
}
