import { BodyRate } from '../engine/exchange/body-rate.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Limits } from '../options/limits.ts'

export type BodyTimeLimits = Pick<
  Limits,
  'bodyStallTimeoutMs' | 'requestTimeoutMs' | 'minBodyBytesPerSecond' | 'bodyRateGraceMs'
>

/** How long the body of a request may take: until it goes on, in all, and by its rate. */
export class BodyTimeout {
  /** When more must have arrived. */
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

  /** So many bytes have arrived, and more are waited for. @throws {ProtocolError} 408 if they come too slowly */
  onBytes(bytes: number, nowMs: number): void {
    this.deadlineMs = Math.min(this.#deadlines.in(this.#stallTimeoutMs, nowMs), this.#requestDeadlineMs)
    if (bytes > 0) this.#rate.add(bytes)
  }

  /** The client was made to wait: what comes is judged anew. */
  restart(): void {
    this.#rate.restart()
  }

  /** Nothing more is waited for. */
  stop(): void {
    this.deadlineMs = Infinity
  }
}
