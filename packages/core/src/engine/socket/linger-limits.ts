import type { Limits } from '../../options/limits.ts'
import type { Deadlines } from '../event-loop/deadlines.ts'

/**
 * Limits how long an engine reads and discards the rest of a request after its response.
 *
 * Clients such as the `http.client` of Python send their whole request before they read the response. Closing with
 * unread bytes resets the connection, and the kernel of the client then discards the response.
 *
 * @see RFC 9112 §9.6
 */
// docs/decisions/0108
export class LingerLimits {
  /** When to stop. Every call of a method can change it. */
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

  /** Gives the client the usual time to take the response, and more of it while it still sends its request. */
  awaitResponse(): void {
    const { writeStallTimeoutMs, lingerTimeoutMs } = this.#limits
    this.#stallTimeoutMs = writeStallTimeoutMs
    this.#lastMs = this.#deadlines.in(lingerTimeoutMs) + writeStallTimeoutMs
    this.#extend()
  }

  /** Starts the time to linger: the response has been sent. */
  start(stallTimeoutMs: number = this.#limits.lingerStallTimeoutMs): void {
    this.#stallTimeoutMs = stallTimeoutMs
    this.#lastMs = this.#deadlines.in(this.#limits.lingerTimeoutMs)
    this.#extend()
  }

  /** Counts discarded bytes. @returns False if there are too many */
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
