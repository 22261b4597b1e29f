import { BodyRate } from '../engine/exchange/body-rate.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Limits } from '../options/limits.ts'

export type BodyTimeLimits = Pick<
  Limits,
  'bodyStallTimeoutMs' | 'requestTimeoutMs' | 'minBodyBytesPerSecond' | 'bodyRateGraceMs'
>

/** Enforces the time limits of a request body: between two frames, in total, and by its average rate. */
export class BodyTimeout {
  /** Time by which the next bytes must arrive; `Infinity` while stopped. */
  deadlineMs: number = Infinity
  readonly #deadlines: Deadlines
  readonly #stallTimeoutMs: number
  readonly #requestDeadlineMs: number
  readonly #rate: BodyRate

  constructor(limits: BodyTimeLimits, deadlines: Deadlines, nowMs: number) {
    this.#deadlines = deadlines
    this.#stallTimeoutMs = limits.bodyStallTimeoutMs
    this.#requestDeadlineMs = deadlines.in(limits.requestTimeoutMs, nowMs)
    this.#rate = new BodyRate(limits)
  }

  /** Counts received bytes and restarts the stall timeout. @throws {ProtocolError} 408 below the minimum rate */
  onBytes(bytes: number, nowMs: number): void {
    this.deadlineMs = Math.min(this.#deadlines.in(this.#stallTimeoutMs, nowMs), this.#requestDeadlineMs)
    if (bytes > 0) this.#rate.add(bytes)
  }

  /** Restarts the rate measurement after the server has paused the client. */
  restart(): void {
    this.#rate.restart()
  }

  /** Removes the deadline. */
  stop(): void {
    this.deadlineMs = Infinity
  }
}
