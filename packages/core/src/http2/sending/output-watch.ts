import type { Deadlines } from '../../engine/event-loop/deadlines.ts'
import { leastTakenBytes } from '../../engine/exchange/response-rate.ts'
import type { Limits } from '../../options/limits.ts'
import type { Sender } from './sender.ts'

/** How often it is seen whether the client takes something, in the time in which it must have. */
const SAMPLES = 4

/** Sees whether a client takes what it is sent; byte by byte it could hold its responses for ever. */
export class OutputWatch {
  /** When `isStalled` is to be asked next. */
  deadlineMs: number
  readonly #sender: Sender
  readonly #deadlines: Deadlines
  readonly #timeoutMs: number
  /** Bytes of content that are progress. */
  readonly #leastBytes: number
  /** What the sender had sent when it was last seen to go on, and when that was. */
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

  /** The socket has taken all that it was given. */
  onDrain(): void {
    this.#progressMs = performance.now()
  }

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
