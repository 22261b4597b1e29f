import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import { leastTakenBytes } from '../engine/exchange/response-rate.ts'
import type { Limits } from '../options/limits.ts'

/** By when a request has to go on arriving, and its response to be taken. */
export class StreamDeadlines {
  readonly #deadlines: Deadlines
  readonly #limits: Limits
  readonly #requestMs: number
  #inputMs: number
  #outputMs = Infinity
  /** What the connection had written when the client was last seen to go on. */
  #writtenBytes = 0

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

  /** Whether the client does not take its response. */
  get isOutputTimedOut(): boolean {
    return performance.now() >= this.#outputMs
  }

  /** The body is waited for from now on, or nothing is. */
  watchBody(isAwaited: boolean): void {
    if (!isAwaited) this.#inputMs = Infinity
    else this.#inputMs = Math.min(this.#deadlines.in(this.#limits.bodyStallTimeoutMs), this.#requestMs)
  }

  /**
   * Where a path takes little it is shared by many responses: each has to go on, and all of them together at the
   * minimum rate.
   *
   * @param hasProgressed Whether the client has taken any of it since the last time
   * @param writtenBytes Bytes of all responses of the connection so far
   */
  watchResponse(bufferedBytes: number, hasProgressed: boolean, writtenBytes: number): void {
    const isProgress = hasProgressed && writtenBytes - this.#writtenBytes >= leastTakenBytes(this.#limits)
    if (bufferedBytes === 0) this.#outputMs = Infinity
    else if (isProgress || this.#outputMs === Infinity) {
      this.#writtenBytes = writtenBytes
      this.#outputMs = this.#deadlines.in(this.#limits.writeStallTimeoutMs)
    }
  }
}
