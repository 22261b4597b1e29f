/** Delay after the second failed start in a row, in milliseconds. Each further failure doubles it. */
const FIRST_DELAY_MS = 250

/**
 * Chooses the delay before an ended process is started again. A process that was ready, or the first to fail, is
 * replaced immediately. Further failed starts in a row wait exponentially longer, so that a broken program uses little
 * CPU time. A random part prevents several processes from starting at the same time.
 */
export class RestartDelay {
  readonly #maxMs: number
  readonly #random: () => number
  #failedStarts = 0

  /** @param random Returns a number from 0 to below 1 */
  constructor(maxMs: number, random: () => number = Math.random) {
    this.#maxMs = maxMs
    this.#random = random
  }

  /**
   * Returns the delay in milliseconds.
   *
   * @param wasReady Whether the ended process had started successfully
   */
  next(wasReady: boolean): number {
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1
    if (this.#failedStarts <= 1) return 0
    const fullMs = Math.min(this.#maxMs, FIRST_DELAY_MS * 2 ** (this.#failedStarts - 2))
    return Math.round(fullMs * (0.5 + this.#random() / 2))
  }
}
