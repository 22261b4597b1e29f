import type { BufferAccount } from './buffer-account.ts'
import { QueuedText, type Chunk } from './queued-text.ts'

/** Places of chunks that were taken, at least, before the others move up. */
const EMPTY_PLACES = 16

/**
 * Bytes that could not be sent yet, in order. Nothing of them is copied, and a text is encoded as it is taken.
 *
 * A chunk is counted as a whole until its last byte was taken: a view of its last bytes keeps all of its memory.
 */
export class ChunkQueue {
  /** Bytes that wait. */
  bytes = 0
  #chunks: (Chunk | undefined)[] = []
  /** The place of the first chunk. There may be very many, which are not moved for each that is taken. */
  #first = 0
  /** The first chunk, or what was encoded of it last. */
  #piece: Uint8Array | undefined = undefined
  /** Bytes of the piece that were taken. */
  #taken = 0
  /** Where the chunks are counted that wait longer than for a call. */
  #account: BufferAccount | undefined = undefined
  /** How many of the first chunks are counted. */
  #counted = 0
  /** Counted chunks whose last bytes are with the transport. */
  #leaving: Chunk[] | undefined = undefined

  push(chunk: Chunk): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.byteLength
  }

  /** Shows up to `maxBytes` from the front; as many as there are in one piece. */
  peek(maxBytes: number): Uint8Array | undefined {
    let piece = this.#piece
    if (piece === undefined) {
      const chunk = this.#chunks[this.#first]
      if (chunk === undefined) return undefined
      this.#piece = piece = chunk instanceof QueuedText ? chunk.encode(maxBytes) : chunk
    }
    if (this.#taken === 0 && piece.byteLength <= maxBytes) return piece
    return piece.subarray(this.#taken, this.#taken + maxBytes)
  }

  /** Drops so many of the bytes that `peek` has shown. */
  skip(count: number): void {
    this.bytes -= count
    this.#taken += count
    if (this.#counted > 0) this.#account?.onTaken(count)
    if (this.#piece === undefined || this.#taken < this.#piece.byteLength) return
    this.#piece = undefined
    this.#taken = 0
    const chunk = this.#chunks[this.#first]
    if (chunk !== undefined && !(chunk instanceof QueuedText && !chunk.isOver)) this.#shift(chunk)
  }

  /** Takes up to `maxBytes` off the front; as many as there are in one piece. */
  take(maxBytes: number): Uint8Array | undefined {
    const taken = this.peek(maxBytes)
    if (taken !== undefined) this.skip(taken.byteLength)
    return taken
  }

  /** Counts all chunks that wait. Chunks that leave before this call cost nothing. */
  hold(account: BufferAccount): void {
    this.#account = account
    for (let at = this.#first + this.#counted; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]
      if (chunk === undefined) continue
      account.hold(chunk)
      this.#counted++
    }
  }

  /** The transport has read all that was taken, so that its memory is free. */
  settle(): void {
    const leaving = this.#leaving
    if (leaving === undefined) return
    this.#leaving = undefined
    for (const chunk of leaving) this.#account?.release(chunk)
  }

  clear(): void {
    this.settle()
    for (let at = this.#first; this.#counted > 0; at++, this.#counted--) {
      const chunk = this.#chunks[at]
      if (chunk !== undefined) this.#account?.release(chunk)
    }
    this.#chunks = []
    this.#first = 0
    this.#piece = undefined
    this.#taken = 0
    this.bytes = 0
  }

  #shift(chunk: Chunk): void {
    if (this.#counted > 0) {
      this.#counted--
      ;(this.#leaving ??= []).push(chunk)
    }
    this.#chunks[this.#first++] = undefined
    if (this.#first < EMPTY_PLACES || this.#first * 2 < this.#chunks.length) return
    this.#chunks = this.#chunks.slice(this.#first)
    this.#first = 0
  }
}
