import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { ChunkQueue } from '../engine/budget/chunk-queue.ts'
import type { Chunk } from '../engine/budget/queued-text.ts'

/** Slices given to the transport are no larger, so that one response cannot hold up all the others. */
const SLICE_BYTES = 64 * 1024

/** Gives bytes to the transport. @returns Bytes taken, -1 if nobody will receive them */
export type SendBytes = (chunk: Uint8Array, isEnd: boolean) => number

const NOTHING = new Uint8Array()

/** The bytes of a stream that the transport has not taken yet, in order. */
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

  /** Whether the end, and so everything, was taken. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Puts bytes behind the others; `flush` sends them. */
  push(chunk: Chunk): void {
    if (!this.#isEnding && chunk.byteLength > 0) this.#queue.push(chunk)
  }

  /** Nothing follows; `flush` says so. */
  end(): void {
    this.#isEnding = true
  }

  /** Counts the bytes that wait. */
  hold(account: BufferAccount): void {
    this.#queue.hold(account)
  }

  /** Drops what was not taken. */
  clear(): void {
    this.#isEnding = true
    this.#isEnded = true
    this.#queue.clear()
  }

  /** Sends as much as the transport takes. @returns Whether it took anything */
  flush(): boolean {
    const queue = this.#queue
    const before = queue.bytes
    for (let slice = queue.peek(SLICE_BYTES); slice !== undefined; slice = queue.peek(SLICE_BYTES)) {
      const isEnd = this.#isEnding && slice.byteLength === queue.bytes
      const taken = this.#send(slice, isEnd)
      // Nobody is there: whoever owns this has been told, and has dropped the rest.
      if (taken < 0) return false
      queue.skip(taken)
      if (taken < slice.byteLength) break
      if (isEnd) this.#isEnded = true
    }
    // QUIC has a copy of its own.
    queue.settle()
    if (this.#isEnding && !this.#isEnded && queue.bytes === 0) this.#isEnded = this.#send(NOTHING, true) >= 0
    return this.#isEnded || queue.bytes < before
  }
}
