/**
 * Weight of the newest sample. A single pause, such as a garbage collection, has little effect; a lasting delay takes effect
 * within four samples.
 */
const WEIGHT = 1 / 4

/** Estimates the event loop delay from a timer that should fire every `sampleMs`. */
export class DelayEstimate {
  readonly #sampleMs: number
  #dueMs: number
  #averageMs = 0

  constructor(sampleMs: number, nowMs: number) {
    this.#sampleMs = sampleMs
    this.#dueMs = nowMs + sampleMs
  }

  /** Adds a sample. Called by the timer. */
  sample(nowMs: number): void {
    const delayMs = Math.max(0, nowMs - this.#dueMs)
    this.#averageMs += WEIGHT * (delayMs - this.#averageMs)
    this.#dueMs = nowMs + this.#sampleMs
  }

  /** Returns the estimate, including the current delay, because the timer cannot fire while the event loop is blocked. */
  at(nowMs: number): number {
    const lateMs = nowMs - this.#dueMs
    return lateMs > this.#averageMs ? this.#averageMs + WEIGHT * (lateMs - this.#averageMs) : this.#averageMs
  }
}
