import type { Deadlines } from '../event-loop/deadlines.ts'
import type { Limits } from '../../options/limits.ts'

type RateLimits = Pick<Limits, 'writeStallTimeoutMs' | 'minResponseBytesPerSecond'>

/**
 * Returns the number of response bytes that a client must read in each `writeStallTimeoutMs` while bytes are waiting.
 */
export function leastTakenBytes({ writeStallTimeoutMs, minResponseBytesPerSecond }: RateLimits): number {
  return Math.max(1, (minResponseBytesPerSecond * writeStallTimeoutMs) / 1000)
}

/** Measures how fast a client reads waiting response bytes. Time without waiting bytes does not count. */
export class ResponseRate {
  /** Time by which the client must have read enough; `Infinity` while no bytes are waiting. */
  deadlineMs: number = Infinity
  readonly #deadlines: Deadlines
  readonly #timeoutMs: number
  readonly #leastBytes: number
  /** Bytes read by the client since the last restart. */
  #takenBytes = 0

  constructor(deadlines: Deadlines, limits: RateLimits) {
    this.#deadlines = deadlines
    this.#timeoutMs = limits.writeStallTimeoutMs
    this.#leastBytes = leastTakenBytes(limits)
  }

  /**
   * Starts the time limit when bytes begin to wait. Has no effect while other bytes are already waiting, because a
   * write is not progress.
   */
  start(): void {
    if (this.deadlineMs === Infinity) this.restart()
  }

  /** Restarts the time limit, because the client has read enough or the bytes waited for other connections. */
  restart(): void {
    this.#takenBytes = 0
    this.deadlineMs = this.#deadlines.in(this.#timeoutMs)
  }

  /** Counts bytes read by the client. @returns True if they reached the minimum, which moves the deadline */
  onTaken(bytes: number): boolean {
    this.#takenBytes += bytes
    if (this.#takenBytes < this.#leastBytes || this.deadlineMs === Infinity) return false
    this.restart()
    return true
  }

  /** Stops the time limit, because no bytes are waiting. */
  stop(): void {
    this.deadlineMs = Infinity
  }
}
