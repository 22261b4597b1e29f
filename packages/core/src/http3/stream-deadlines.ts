import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import { leastTakenBytes } from '../engine/exchange/response-rate.ts'
import type { Limits } from '../options/limits.ts'

/**
 * Tracks the two deadlines of a stream: one until the request must arrive, and one until the client must read the
 * response.
 */
export class StreamDeadlines {
  readonly #deadlines: Deadlines
  readonly #limits: Limits
  readonly #requestMs: number
  #inputMs: number
  #outputMs = Infinity
  /** Bytes that the connection had written when the client last made progress. */
  #writtenBytes = 0

  constructor(deadlines: Deadlines, limits: Limits) {
    this.#deadlines = deadlines
    this.#limits = limits
    this.#requestMs = deadlines.in(limits.requestTimeoutMs)
    this.#inputMs = deadlines.in(limits.headTimeoutMs)
  }

  /** Earlier of the two deadlines. */
  get nextMs(): number {
    return Math.min(this.#inputMs, this.#outputMs)
  }

  /** Whether the client has read the response too slowly. */
  get isOutputTimedOut(): boolean {
    return performance.now() >= this.#outputMs
  }

  /** Starts the body deadline, or stops it if the handler is not waiting for the body. */
  watchBody(isAwaited: boolean): void {
    if (!isAwaited) this.#inputMs = Infinity
    else this.#inputMs = Math.min(this.#deadlines.in(this.#limits.bodyStallTimeoutMs), this.#requestMs)
  }

  /**
   * Renews the response deadline when the client makes progress. Responses share the path. Each must make progress, and
   * all together must reach the minimum rate.
   *
   * @param hasProgressed Whether the client has read bytes from this response since the last call
   * @param writtenBytes Bytes of all responses on the connection so far
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
