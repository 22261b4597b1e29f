import type { Deadlines } from '../../engine/event-loop/deadlines.ts'

/** Bytes that a client must take of a response in the time it has, so that one cannot last for ever. */
const PROGRESS_BYTES = 16 * 1024

/** How long a response that could not be sent at once may wait for its client. */
export class ResponseTimeout {
  /** When the client must have taken more. */
  deadlineMs: number = Infinity
  readonly #deadlines: Deadlines
  readonly #timeoutMs: number
  /** Bytes that were sent since the client was last seen to take enough. */
  #progressBytes = 0

  /** @param timeoutMs In which the client must take something, 0 for no limit */
  constructor(deadlines: Deadlines, timeoutMs: number) {
    this.#deadlines = deadlines
    this.#timeoutMs = timeoutMs
  }

  /** Waits anew. */
  start(): void {
    this.#progressBytes = 0
    this.deadlineMs = this.#deadlines.in(this.#timeoutMs)
  }

  /** @returns Whether there is another deadline */
  onSent(bytes: number, waitingBytes: number): boolean {
    this.#progressBytes += bytes
    if (waitingBytes === 0) this.stop()
    else if (this.#progressBytes >= PROGRESS_BYTES) this.start()
    else return false
    return true
  }

  /** Nothing waits. */
  stop(): void {
    this.deadlineMs = Infinity
  }
}
