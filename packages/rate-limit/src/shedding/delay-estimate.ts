/** Weight of the newest sample: a single pause, as for garbage collection, counts little, and a lasting one within four samples. */
const WEIGHT = 1 / 4

/** Estimates the delay of the event loop from a timer that should fire each `sampleMs`. */
export class DelayEstimate {
  readonly #sampleMs: number
  #dueMs: number
  #averageMs = 0

  constructor(sampleMs: number, nowMs: number) {
    this.#sampleMs = sampleMs
    this.#dueMs = nowMs + sampleMs
  }

  /** Adds a sample. The timer calls it. */
  sample(nowMs: number): void {
    const delayMs = Math.max(0, nowMs - this.#dueMs)
    this.#averageMs += WEIGHT * (delayMs - this.#averageMs)
    this.#dueMs = nowMs + this.#sampleMs
  }

  /** Returns the estimate. It includes the current delay, because the timer cannot fire while the event loop is blocked. */
  at(nowMs: number): number {
    const lateMs = nowMs - this.#dueMs
    return lateMs > this.#averageMs ? this.#averageMs + WEIGHT * (lateMs - this.#averageMs) : this.#averageMs
  }
}
