import type { Deadlines } from '../event-loop/deadlines.ts'
import type { Limits } from '../../options/limits.ts'

type RateLimits = Pick<Limits, 'writeStallTimeoutMs' | 'minResponseBytesPerSecond'>

/** Returns the bytes that a client must take in `writeStallTimeoutMs` while response bytes wait for it. */
export function leastTakenBytes({ writeStallTimeoutMs, minResponseBytesPerSecond }: RateLimits): number {
  return Math.max(1, (minResponseBytesPerSecond * writeStallTimeoutMs) / 1000)
}

/** Judges how fast a client takes the bytes that wait for it. Time in which none wait does not count. */
export class ResponseRate {
  /** When the client must have taken enough; `Infinity` while nothing waits. */
  deadlineMs: number = Infinity
  readonly #deadlines: Deadlines
  readonly #timeoutMs: number
  readonly #leastBytes: number
  /** Bytes that were taken since the time began. */
  #takenBytes = 0

  constructor(deadlines: Deadlines, limits: RateLimits) {
    this.#deadlines = deadlines
    this.#timeoutMs = limits.writeStallTimeoutMs
    this.#leastBytes = leastTakenBytes(limits)
  }

  /** Bytes wait. Has no effect while others wait already: to write more is not progress. */
  start(): void {
    if (this.deadlineMs === Infinity) this.restart()
  }

  /** Gives the client the whole time again: bytes waited for others, or it has taken enough. */
  restart(): void {
    this.#takenBytes = 0
    this.deadlineMs = this.#deadlines.in(this.#timeoutMs)
  }

  /** @returns Whether that was enough, so that there is another deadline */
  onTaken(bytes: number): boolean {
    this.#takenBytes += bytes
    if (this.#takenBytes < this.#leastBytes || this.deadlineMs === Infinity) return false
    this.restart()
    return true
  }

  /** Nothing waits. */
  stop(): void {
    this.deadlineMs = Infinity
  }
}
