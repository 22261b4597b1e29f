import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { ChunkQueue } from '../engine/budget/chunk-queue.ts'
import type { Chunk } from '../engine/budget/queued-text.ts'

/** Maximum bytes per write to the transport, so that one response does not block the others. */
const SLICE_BYTES = 64 * 1024

/**
 * Writes bytes to the transport.
 *
 * @returns The number of bytes accepted; -1 if the stream has ended
 */
export type SendBytes = (chunk: Uint8Array, isEnd: boolean) => number

const NOTHING = new Uint8Array()

/** Queues the bytes of a stream that the transport has not accepted yet. */
export class StreamOutput {
  readonly #send: SendBytes
  readonly #queue = new ChunkQueue()
  #isEnding = false
  #isEnded = false

  constructor(send: SendBytes) {
    this.#send = send
  }

  get bufferedBytes(): number {
    return this.#queue.bytes
  }

  /** Whether the transport has accepted the end of the stream. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Appends bytes; `flush` sends them. */
  push(chunk: Chunk): void {
    if (!this.#isEnding && chunk.byteLength > 0) this.#queue.push(chunk)
  }

  /** Ends the stream; `flush` sends the end. */
  end(): void {
    this.#isEnding = true
  }

  /** Charges the queued bytes to an account. */
  hold(account: BufferAccount): void {
    this.#queue.hold(account)
  }

  /** Discards the queued bytes. */
  clear(): void {
    this.#isEnding = true
    this.#isEnded = true
    this.#queue.clear()
  }

  /**
   * Sends as many bytes as the transport accepts.
   *
   * @returns Whether it accepted any
   */
  flush(): boolean {
    const queue = this.#queue
    const before = queue.bytes
    for (let slice = queue.peek(SLICE_BYTES); slice !== undefined; slice = queue.peek(SLICE_BYTES)) {
      const isEnd = this.#isEnding && slice.byteLength === queue.bytes
      const taken = this.#send(slice, isEnd)
      // The stream has ended. Its owner has been notified and has cleared the queue.
      if (taken < 0) return false
      queue.skip(taken)
      if (taken < slice.byteLength) break
      if (isEnd) this.#isEnded = true
    }
    // QUIC has copied the bytes.
    queue.settle()
    if (this.#isEnding && !this.#isEnded && queue.bytes === 0) this.#isEnded = this.#send(NOTHING, true) >= 0
    return this.#isEnded || queue.bytes < before
  }
}
