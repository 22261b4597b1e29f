import type { BufferAccount } from './buffer-account.ts'
import { QueuedText, type Chunk } from './queued-text.ts'

/** Minimum number of free slots at the front before the remaining chunks are moved. */
const EMPTY_PLACES = 16

/**
 * Queues chunks of bytes and text that cannot be sent yet. Bytes are not copied, and text is encoded when it is taken.
 *
 * The account counts all bytes of a chunk until the last one is taken, because even a one-byte view keeps the whole
 * chunk in memory.
 */
export class ChunkQueue {
  /** Bytes in the queue. */
  bytes = 0
  #chunks: (Chunk | undefined)[] = []
  /** Index of the first chunk. Moving all chunks for each one taken would be slow in a long queue. */
  #first = 0
  /** The first chunk, or its last encoded piece. */
  #piece: Uint8Array | undefined = undefined
  /** Bytes taken from `#piece`. */
  #taken = 0
  /** Account that counts the chunks after `hold`. */
  #account: BufferAccount | undefined = undefined
  /** Number of chunks at the front that the account counts. */
  #counted = 0
  /** Counted chunks that the transport is still sending. */
  #leaving: Chunk[] | undefined = undefined

  push(chunk: Chunk): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.byteLength
  }

  /** Returns at most `maxBytes` from the front, without removing them; fewer at the end of a chunk. */
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

  /** Removes `count` of the bytes that `peek` returned. */
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

  /** Removes and returns at most `maxBytes` from the front; fewer at the end of a chunk. */
  take(maxBytes: number): Uint8Array | undefined {
    const taken = this.peek(maxBytes)
    if (taken !== undefined) this.skip(taken.byteLength)
    return taken
  }

  /** Counts all chunks in the queue. Chunks that are taken before this call are never counted. */
  hold(account: BufferAccount): void {
    this.#account = account
    for (let at = this.#first + this.#counted; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]
      if (chunk === undefined) continue
      account.hold(chunk)
      this.#counted++
    }
  }

  /** Releases the taken chunks, which the transport has sent. */
  settle(): void {
    const leaving = this.#leaving
    if (leaving === undefined) return
    this.#leaving = undefined
    for (const chunk of leaving) this.#account?.release(chunk)
  }

  /** Drops all chunks and releases them. */
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
