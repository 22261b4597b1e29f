import type { BufferAccount } from '../../engine/budget/buffer-account.ts'
import { ChunkQueue } from '../../engine/budget/chunk-queue.ts'
import type { Chunk } from '../../engine/budget/queued-text.ts'
import { ResponseRate } from '../../engine/exchange/response-rate.ts'
import type { Deadlines } from '../../engine/event-loop/deadlines.ts'
import type { Limits } from '../../options/limits.ts'

/** Queues the content of a response that could not be sent immediately, and measures how fast the client reads it. */
export class QueuedResponse {
  /** Whether the application has written the whole response. */
  isEnding = false
  readonly rate: ResponseRate
  readonly #queue = new ChunkQueue()

  constructor(deadlines: Deadlines, limits: Limits) {
    this.rate = new ResponseRate(deadlines, limits)
  }

  /** Queued bytes. */
  get bytes(): number {
    return this.#queue.bytes
  }

  push(chunk: Chunk): void {
    this.#queue.push(chunk)
  }

  /** Removes and returns up to `maxBytes` from the front, at most one chunk; `undefined` if the queue is empty. */
  take(maxBytes: number): Uint8Array | undefined {
    return this.#queue.take(maxBytes)
  }

  /** Charges the queued bytes to the account and starts the client's read timeout. */
  await(account: BufferAccount): void {
    this.#queue.hold(account)
    this.rate.start()
  }

  /** Counts sent bytes. @returns Whether the deadline has changed */
  onSent(bytes: number): boolean {
    if (this.bytes > 0) return this.rate.onTaken(bytes)
    this.rate.stop()
    return true
  }

  /** Releases the taken chunks, which the transport has read. */
  settle(): void {
    this.#queue.settle()
  }

  clear(): void {
    this.#queue.clear()
  }
}
