import type { BufferAccount } from '../../engine/budget/buffer-account.ts'
import { ChunkQueue } from '../../engine/budget/chunk-queue.ts'
import type { Chunk } from '../../engine/budget/queued-text.ts'
import { ResponseRate } from '../../engine/exchange/response-rate.ts'
import type { Deadlines } from '../../engine/event-loop/deadlines.ts'
import type { Limits } from '../../options/limits.ts'

/** The content of a response that could not be sent at once, and how fast its client takes it. */
export class QueuedResponse {
  /** Whether the application has written everything. */
  isEnding = false
  readonly rate: ResponseRate
  readonly #queue = new ChunkQueue()

  constructor(deadlines: Deadlines, limits: Limits) {
    this.rate = new ResponseRate(deadlines, limits)
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#queue.bytes
  }

  push(chunk: Chunk): void {
    this.#queue.push(chunk)
  }

  /** Takes up to `maxBytes` off the front; as many as there are in one piece. */
  take(maxBytes: number): Uint8Array | undefined {
    return this.#queue.take(maxBytes)
  }

  /** Counts the bytes that wait, and the time that the client has for them. */
  await(account: BufferAccount): void {
    this.#queue.hold(account)
    this.rate.start()
  }

  /** Counts bytes that the client was sent. @returns Whether there is another deadline */
  onSent(bytes: number): boolean {
    if (this.bytes > 0) return this.rate.onTaken(bytes)
    this.rate.stop()
    return true
  }

  /** The transport has read all that was taken. */
  settle(): void {
    this.#queue.settle()
  }

  clear(): void {
    this.#queue.clear()
  }
}
