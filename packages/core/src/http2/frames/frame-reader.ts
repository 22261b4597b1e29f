import { ConnectionError, ErrorCode } from '../errors.ts'
import { DEFAULT_FRAME_BYTES, Flag, FRAME_HEAD_BYTES } from './frame-types.ts'

/**
 * Reads frames from the bytes of a connection, however the bytes are split.
 *
 * Stores the last frame in its own fields instead of a new object. The payload is in `bytes`, from `start` to `end`.
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
  /** The bytes from the last `push`. Those from `#at` on are unread. */
  #chunk: Buffer = NOTHING
  #at = 0
  /** Incomplete frame. Has room for the whole frame once its length is known. */
  #partial: Buffer | undefined = undefined
  #partialBytes = 0

  /** Whether `next` has unread bytes. */
  get hasRest(): boolean {
    return this.#at < this.#chunk.length
  }

  /** Adds received bytes. Copies them only if a frame is split. */
  push(chunk: Buffer): void {
    this.#chunk = this.hasRest ? Buffer.concat([this.#chunk.subarray(this.#at), chunk]) : chunk
    this.#at = 0
  }

  /**
   * Reads the next frame.
   *
   * @returns `false` if no frame is complete
   * @throws {ConnectionError} FRAME_SIZE_ERROR as soon as a frame announces more than 16,384 bytes
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
    this.#release()
    return false
  }

  /**
   * Removes the padding from the payload of the last frame, which must be DATA or HEADERS.
   *
   * @throws {ConnectionError} PROTOCOL_ERROR if the padding is as long as the payload or longer
   * @see RFC 9113 §6.1
   */
  stripPadding(): void {
    if ((this.flags & Flag.PADDED) === 0) return
    const padding = this.start < this.end ? (this.bytes[this.start] ?? 0) : Infinity
    this.start++
    this.end -= padding
    if (this.start > this.end) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'Padding as long as its frame')
  }

  /** Releases all buffers. The reader must not be used again. */
  clear(): void {
    this.#release()
    this.#partial = undefined
  }

  /** Releases the read bytes, so that an idle connection does not hold their buffer. */
  #release(): void {
    this.bytes = NOTHING
    this.#chunk = NOTHING
    this.#at = 0
  }

  /** Copies the first bytes of an incomplete frame. */
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
      // The frame header is complete, so the frame length is now known.
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
    // Ignore the reserved bit.
    this.streamId = readUint32(bytes, at + 5) & 0x7fff_ffff
    this.start = at + FRAME_HEAD_BYTES
    this.end = end
  }
}

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Reads an unsigned 32-bit integer. Faster than `readUInt32BE`, which checks its arguments. This function runs for
 * every frame.
 */
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
