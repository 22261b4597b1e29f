import type { Limits } from '../../options/limits.ts'
import type { Deadlines } from '../event-loop/deadlines.ts'

/**
 * Limits how long an engine reads and discards the rest of a request after its response.
 *
 * Clients such as Python's `http.client` send their whole request before they read the response. Closing with unread
 * bytes resets the connection, and the client's kernel then discards the response.
 *
 * @see RFC 9112 §9.6
 */
// docs/decisions/0108
export class LingerLimits {
  /** Time at which to stop lingering. Every method can change it. */
  deadlineMs: number = Infinity
  readonly #limits: Limits
  readonly #deadlines: Deadlines
  #stallTimeoutMs = 0
  #lastMs = Infinity
  #bytes = 0

  constructor(limits: Limits, deadlines: Deadlines) {
    this.#limits = limits
    this.#deadlines = deadlines
  }

  /**
   * Waits up to `writeStallTimeoutMs` for the client to read the response. Each part of the request that the client
   * sends extends the wait.
   */
  awaitResponse(): void {
    const { writeStallTimeoutMs, lingerTimeoutMs } = this.#limits
    this.#stallTimeoutMs = writeStallTimeoutMs
    this.#lastMs = this.#deadlines.in(lingerTimeoutMs) + writeStallTimeoutMs
    this.#extend()
  }

  /** Starts lingering, because the response has been sent. */
  start(stallTimeoutMs: number = this.#limits.lingerStallTimeoutMs): void {
    this.#stallTimeoutMs = stallTimeoutMs
    this.#lastMs = this.#deadlines.in(this.#limits.lingerTimeoutMs)
    this.#extend()
  }

  /** Counts discarded bytes. @returns False if the discarded bytes exceed `lingerBytes` */
  add(bytes: number): boolean {
    this.#bytes += bytes
    this.#extend()
    const { lingerBytes } = this.#limits
    return lingerBytes === 0 || this.#bytes <= lingerBytes
  }

  #extend(): void {
    this.deadlineMs = Math.min(this.#deadlines.in(this.#stallTimeoutMs), this.#lastMs)
  }
}
