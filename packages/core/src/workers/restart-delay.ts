/** The wait after the second failed start in a row; each further one doubles it. */
const FIRST_DELAY_MS = 250

/**
 * Decides how long to wait before a process that ended is started again. One that was ready, or the first to fail, is
 * replaced without a wait. Further failed starts in a row wait exponentially longer, so that a program that cannot start
 * costs little. A random part keeps several processes from starting at the same time.
 */
export class RestartDelay {
  readonly #maxMs: number
  readonly #random: () => number
  #failedStarts = 0

  /** @param random From 0 to below 1 */
  constructor(maxMs: number, random: () => number = Math.random) {
    this.#maxMs = maxMs
    this.#random = random
  }

  /** @param wasReady Whether the process that ended had started successfully. @returns Milliseconds */
  next(wasReady: boolean): number {
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1
    if (this.#failedStarts <= 1) return 0
    const fullMs = Math.min(this.#maxMs, FIRST_DELAY_MS * 2 ** (this.#failedStarts - 2))
    return Math.round(fullMs * (0.5 + this.#random() / 2))
  }
}
