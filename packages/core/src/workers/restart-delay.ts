/** The wait after the second failure in a row; each further one doubles it. */
const FIRST_DELAY_MS = 250
/** Who has served for so long did not fail at its start: the count begins anew. */
const STABLE_MS = 10_000

/**
 * How long to wait before a process that died is started again: not at all the first time, then exponentially longer,
 * so that one that dies at its start costs next to nothing, with a random part so that not all come at once.
 */
export class RestartDelay {
  readonly #maxMs: number
  readonly #random: () => number
  #failures = 0

  /** @param random From 0 to below 1 */
  constructor(maxMs: number, random: () => number = Math.random) {
    this.#maxMs = maxMs
    this.#random = random
  }

  /** @param servedMs For how long the process that died had been ready; 0 if it never was. @returns Milliseconds */
  next(servedMs: number): number {
    this.#failures = servedMs >= STABLE_MS ? 1 : this.#failures + 1
    if (this.#failures === 1) return 0
    const fullMs = Math.min(this.#maxMs, FIRST_DELAY_MS * 2 ** (this.#failures - 2))
    return Math.round(fullMs * (0.5 + this.#random() / 2))
  }
}
