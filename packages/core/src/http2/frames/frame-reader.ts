import { ConnectionError, ErrorCode } from '../errors.ts'
import { DEFAULT_FRAME_BYTES, Flag, FRAME_HEAD_BYTES } from './frame-types.ts'

/**
 * Takes frames off the bytes of a connection, however they are cut.
 *
 * The frame that was read last is in the fields of the reader, so that no object has to be made for each. Its payload is
 * `bytes` from `start` to `end`.
 *
 * @see RFC 9113 §4.1
 */
export class FrameReader {
  type = 0
  flags = 0
  streamId = 0
  bytes: Buffer = NOTHING
  start = 0
  end = 0
  /** What was pushed last, from where it has not been read. */
  #chunk: Buffer = NOTHING
  #at = 0
  /** A frame that is not complete, with room for all of it as soon as its length is known. */
  #partial: Buffer | undefined = undefined
  #partialBytes = 0

  /** Whether bytes wait that `next` has not looked at. */
  get hasRest(): boolean {
    return this.#at < this.#chunk.length
  }

  /** Takes bytes from the wire. They are not copied as long as whole frames arrive. */
  push(chunk: Buffer): void {
    this.#chunk = this.hasRest ? Buffer.concat([this.#chunk.subarray(this.#at), chunk]) : chunk
    this.#at = 0
  }

  /**
   * Reads the next frame.
   *
   * @returns Whether there was a whole one
   * @throws {ConnectionError} FRAME_SIZE_ERROR for one that is longer than we announced, before it has arrived
   */
  next(): boolean {
    if (this.#partial !== undefined) return this.#complete(this.#partial)
    const chunk = this.#chunk
    const at = this.#at
    const left = chunk.length - at
    if (left >= FRAME_HEAD_BYTES) {
      const frameBytes = FRAME_HEAD_BYTES + payloadBytes(chunk, at)
      if (left >= frameBytes) {
        this.#at = at + frameBytes
        this.#found(chunk, at, this.#at)
        return true
      }
    }
    if (left > 0) this.#keep(chunk, at)
    this.#letGo()
    return false
  }

  /**
   * Takes padding off the payload of DATA or HEADERS that was read last.
   *
   * @throws {ConnectionError} PROTOCOL_ERROR if there is more of it than payload
   * @see RFC 9113 §6.1
   */
  stripPadding(): void {
    if ((this.flags & Flag.PADDED) === 0) return
    const padding = this.start < this.end ? (this.bytes[this.start] ?? 0) : Infinity
    this.start++
    this.end -= padding
    if (this.start > this.end) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'Padding as long as its frame')
  }

  /** Nothing more is read. */
  clear(): void {
    this.#letGo()
    this.#partial = undefined
  }

  /** Keeps nothing of what was read, which an idle connection would do for long. */
  #letGo(): void {
    this.bytes = NOTHING
    this.#chunk = NOTHING
    this.#at = 0
  }

  /** A frame begins here, and the rest of it has not arrived. */
  #keep(chunk: Buffer, at: number): void {
    const left = chunk.length - at
    const size = FRAME_HEAD_BYTES + (left >= FRAME_HEAD_BYTES ? payloadBytes(chunk, at) : 0)
    this.#partial = Buffer.allocUnsafe(size)
    this.#partialBytes = chunk.copy(this.#partial, 0, at)
    this.#at = chunk.length
  }

  #complete(partial: Buffer): boolean {
    this.#fill(partial)
    if (this.#partialBytes < partial.length) return false
    const frameBytes = FRAME_HEAD_BYTES + payloadBytes(partial, 0)
    if (partial.length < frameBytes) {
      // Only the head of the frame was kept for, and it is complete.
      const whole = Buffer.allocUnsafe(frameBytes)
      partial.copy(whole)
      this.#partial = whole
      this.#fill(whole)
      if (this.#partialBytes < frameBytes) return false
      this.#partial = undefined
      this.#found(whole, 0, frameBytes)
      return true
    }
    this.#partial = undefined
    this.#found(partial, 0, frameBytes)
    return true
  }

  #fill(partial: Buffer): void {
    const copied = this.#chunk.copy(partial, this.#partialBytes, this.#at)
    this.#partialBytes += copied
    this.#at += copied
  }

  #found(bytes: Buffer, at: number, end: number): void {
    this.bytes = bytes
    this.type = bytes[at + 3] ?? 0
    this.flags = bytes[at + 4] ?? 0
    // Without the reserved bit.
    this.streamId = readUint32(bytes, at + 5) & 0x7fff_ffff
    this.start = at + FRAME_HEAD_BYTES
    this.end = end
  }
}

const NOTHING: Buffer = Buffer.alloc(0)

/** An unsigned number of 32 bits; `readUInt32BE` checks more, and this is done for every frame. */
export function readUint32(bytes: Buffer, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  )
}

function payloadBytes(bytes: Buffer, at: number): number {
  const length = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
  if (length > DEFAULT_FRAME_BYTES) {
    throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, `A frame of ${length} bytes, above ${DEFAULT_FRAME_BYTES}`)
  }
  return length
}
