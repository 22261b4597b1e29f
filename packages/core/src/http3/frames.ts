import { encodedVarintLength, MAX_VARINT_BYTES, readVarint, varintLength, writeVarint } from './varint.ts'
import { Level, type Logger } from '@fw/log'

/**
 * Frame types.
 *
 * @see RFC 9114 §7.2
 */
export const FrameType = {
  DATA: 0x00,
  HEADERS: 0x01,
  CANCEL_PUSH: 0x03,
  SETTINGS: 0x04,
  PUSH_PROMISE: 0x05,
  GOAWAY: 0x07,
  MAX_PUSH_ID: 0x0d,
} as const

/** HTTP/2 frame types that are errors in HTTP/3 (RFC 9114 §7.2.8). */
const HTTP2_TYPES: ReadonlySet<number> = new Set([0x02, 0x06, 0x08, 0x09])

/** Reports whether `type` belongs to HTTP/2 and is therefore an error on every stream. */
export function isHttp2FrameType(type: number): boolean {
  return HTTP2_TYPES.has(type)
}

/** Receives the frames from a `FrameReader`. Exceptions propagate to the caller of `push`. */
export interface FrameHandler {
  /**
   * Called when a frame begins.
   *
   * @returns How to deliver its payload
   */
  onFrame(type: number, length: number): 'whole' | 'slices' | 'skip'
  /** Receives the payload of a `whole` frame; valid during the call. */
  onPayload(type: number, payload: Uint8Array): void
  /** Receives the next payload bytes of a `slices` frame. Never empty; valid during the call. */
  onSlice(slice: Uint8Array): void
}

/**
 * Reads frames from a stream. Calls to `push` can split them anywhere. The reader buffers only frame headers and the
 * payloads that the handler requests as `whole`.
 *
 * @see RFC 9114 §7.1
 */
export class FrameReader {
  readonly #handler: FrameHandler
  /** Bytes of an incomplete frame header. */
  #header: Buffer | undefined = undefined
  #headerBytes = 0
  #type = 0
  /** Remaining payload bytes; -1 between frames. */
  #left = -1
  #mode: 'whole' | 'slices' | 'skip' = 'skip'
  #whole: Buffer | undefined = undefined

  constructor(handler: FrameHandler) {
    this.#handler = handler
  }

  /** Whether the bytes so far end with a complete frame. */
  get isBetweenFrames(): boolean {
    return this.#left === -1 && this.#headerBytes === 0
  }

  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.byteLength) {
      if (this.#left === -1) at = this.#readHeader(bytes, at)
      else {
        const end = Math.min(bytes.byteLength, at + this.#left)
        this.#left -= end - at
        this.#readPayload(at === 0 && end === bytes.byteLength ? bytes : bytes.subarray(at, end))
        at = end
      }
    }
  }

  /**
   * Reads a frame header.
   *
   * @returns The offset after the bytes that were read
   */
  #readHeader(bytes: Uint8Array, start: number): number {
    if (this.#headerBytes === 0) {
      const lengthAt = start + varintLength(bytes[start] ?? 0)
      const end = lengthAt + varintLength(bytes[lengthAt] ?? 0)
      if (end <= bytes.byteLength) {
        this.#begin(readVarint(bytes, start), readVarint(bytes, lengthAt))
        return end
      }
    }
    return this.#gatherHeader(bytes, start)
  }

  #gatherHeader(bytes: Uint8Array, start: number): number {
    const header = (this.#header ??= Buffer.alloc(2 * MAX_VARINT_BYTES))
    let at = start
    while (at < bytes.byteLength) {
      header[this.#headerBytes++] = bytes[at++] ?? 0
      const typeBytes = varintLength(header[0] ?? 0)
      if (this.#headerBytes <= typeBytes) continue
      if (this.#headerBytes < typeBytes + varintLength(header[typeBytes] ?? 0)) continue
      this.#headerBytes = 0
      this.#begin(readVarint(header, 0), readVarint(header, typeBytes))
      break
    }
    return at
  }

  #begin(type: number, length: number): void {
    this.#type = type
    this.#left = length
    this.#mode = this.#handler.onFrame(type, length)
    if (length > 0) return
    this.#left = -1
    if (this.#mode === 'whole') this.#handler.onPayload(type, new Uint8Array())
  }

  #readPayload(slice: Uint8Array): void {
    const isLast = this.#left === 0
    if (isLast) this.#left = -1
    if (this.#mode === 'skip') return
    if (this.#mode === 'slices') {
      this.#handler.onSlice(slice)
      return
    }
    if (this.#whole === undefined && isLast) {
      this.#handler.onPayload(this.#type, slice)
      return
    }
    // `#left` no longer counts this slice; after the last one it is -1.
    const rest = isLast ? 0 : this.#left
    const whole = (this.#whole ??= Buffer.allocUnsafe(slice.byteLength + rest))
    whole.set(slice, whole.byteLength - rest - slice.byteLength)
    if (!isLast) return
    this.#whole = undefined
    this.#handler.onPayload(this.#type, whole)
  }
}

/** Returns the number of bytes in a frame header. */
export function frameHeaderLength(type: number, length: number): number {
  return encodedVarintLength(type) + encodedVarintLength(length)
}

/**
 * Writes a frame header.
 *
 * @returns The offset of the payload
 */
export function writeFrameHeader(target: Buffer, type: number, length: number, at: number): number {
  return writeVarint(target, length, writeVarint(target, type, at))
}

/** Encodes a frame with its payload. */
export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  const headerBytes = frameHeaderLength(type, payload.byteLength)
  const frame = Buffer.allocUnsafe(headerBytes + payload.byteLength)
  frame.set(payload, writeFrameHeader(frame, type, payload.byteLength, 0))
  return frame
}

/** Called for each frame when it begins. */
export type FrameTrace = (type: number, length: number) => void

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(FrameType).map(([name, type]) => [type, name]))

/**
 * Returns a function that logs each frame in a request at Trace. Returns `undefined` if that level is off, so that
 * tracing costs nothing.
 */
export function frameTrace(logger: Logger | undefined, streamId: number): FrameTrace | undefined {
  if (logger === undefined || !logger.isEnabled(Level.Trace)) return undefined
  return (type, length) =>
    logger.trace(
      'HTTP/3 stream {}: {} frame, {} bytes',
      streamId,
      NAMES.get(type) ?? `type 0x${type.toString(16)}`,
      length,
    )
}
