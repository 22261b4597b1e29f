import type { Deadlines } from '../engine/deadlines.ts'
import type { Limits } from '../limits.ts'

/** By when a request has to go on arriving, and its answer to be taken. */
export class StreamDeadlines {
  readonly #deadlines: Deadlines
  readonly #limits: Limits
  readonly #requestMs: number
  #inputMs: number
  #outputMs = Infinity

  constructor(deadlines: Deadlines, limits: Limits) {
    this.#deadlines = deadlines
    this.#limits = limits
    this.#requestMs = deadlines.in(limits.requestTimeoutMs)
    this.#inputMs = deadlines.in(limits.headTimeoutMs)
  }

  /** The earlier of the two. */
  get nextMs(): number {
    return Math.min(this.#inputMs, this.#outputMs)
  }

  /** Whether the client does not take its answer. */
  get isOutputLate(): boolean {
    return performance.now() >= this.#outputMs
  }

  /** The body is waited for from now on, or nothing is. */
  watchBody(isAwaited: boolean): void {
    if (!isAwaited) this.#inputMs = Infinity
    else this.#inputMs = Math.min(this.#deadlines.in(this.#limits.bodyStallTimeoutMs), this.#requestMs)
  }

  /** @param hasProgressed Whether the client has taken any of it since the last time */
  watchAnswer(bufferedBytes: number, hasProgressed: boolean): void {
    if (bufferedBytes === 0) this.#outputMs = Infinity
    else if (hasProgressed || this.#outputMs === Infinity) {
      this.#outputMs = this.#deadlines.in(this.#limits.writeStallTimeoutMs)
    }
  }
}
