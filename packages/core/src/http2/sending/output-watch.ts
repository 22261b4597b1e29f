import type { Deadlines } from '../../engine/event-loop/deadlines.ts'
import { leastTakenBytes } from '../../engine/exchange/response-rate.ts'
import type { Limits } from '../../options/limits.ts'
import type { Sender } from './sender.ts'

/** Number of checks per `writeStallTimeoutMs`. */
const SAMPLES = 4

/**
 * Detects a client that reads no response bytes, or too few. A client that reads byte by byte would otherwise keep
 * responses in memory indefinitely.
 */
export class OutputWatch {
  /** Time of the next call to `isStalled`. */
  deadlineMs: number
  readonly #sender: Sender
  readonly #deadlines: Deadlines
  readonly #timeoutMs: number
  /** Minimum number of body bytes, sent between two checks, that counts as progress. */
  readonly #leastBytes: number
  /** Body bytes that had been sent at the last progress, and the time of that progress. */
  #sentBytes = 0
  #progressMs: number

  constructor(sender: Sender, deadlines: Deadlines, limits: Limits, nowMs: number) {
    this.#sender = sender
    this.#deadlines = deadlines
    this.#timeoutMs = limits.writeStallTimeoutMs
    this.#leastBytes = leastTakenBytes(limits)
    this.#progressMs = nowMs
    this.deadlineMs = deadlines.in(this.#timeoutMs / SAMPLES, nowMs)
  }

  /** Records progress, because the socket has accepted all bytes. */
  onDrain(): void {
    this.#progressMs = performance.now()
  }

  /** Reports whether no progress occurred for `writeStallTimeoutMs`, and schedules the next check. */
  isStalled(nowMs: number): boolean {
    const { isBusy, writer, sentBytes } = this.#sender
    this.deadlineMs = this.#deadlines.in(this.#timeoutMs / SAMPLES, nowMs)
    const isWaiting = isBusy || writer.isBlocked
    if (isWaiting && sentBytes - this.#sentBytes < this.#leastBytes) {
      return nowMs - this.#progressMs >= this.#timeoutMs
    }
    this.#progressMs = nowMs
    this.#sentBytes = sentBytes
    return false
  }
}
