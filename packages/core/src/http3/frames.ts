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

/** Types that HTTP/2 used and HTTP/3 must not see again (RFC 9114 §7.2.8). */
const HTTP2_TYPES: ReadonlySet<number> = new Set([0x02, 0x06, 0x08, 0x09])

/** Whether `type` is one that must be treated as an error wherever it appears. */
export function isHttp2FrameType(type: number): boolean {
  return HTTP2_TYPES.has(type)
}

/** What a `FrameReader` finds. Whatever these throw goes through to the caller of `push`. */
export interface FrameHandler {
  /** A frame begins. @returns How its payload is wanted */
  onFrame(type: number, length: number): 'whole' | 'slices' | 'skip'
  /** The payload of a frame that was wanted whole; valid during the call. */
  onPayload(type: number, payload: Uint8Array): void
  /** Payload of a frame that was wanted in slices, never empty; valid during the call. */
  onSlice(slice: Uint8Array): void
}

/**
 * Takes the bytes of a stream, however they are cut, and finds the frames in them. It buffers no more than a frame
 * header and what the handler wants whole.
 *
 * @see RFC 9114 §7.1
 */
export class FrameReader {
  readonly #handler: FrameHandler
  /** A frame header that did not come at once. */
  #header: Buffer | undefined = undefined
  #headerBytes = 0
  #type = 0
  /** Payload bytes still to come; -1 between frames. */
  #left = -1
  #mode: 'whole' | 'slices' | 'skip' = 'skip'
  #whole: Buffer | undefined = undefined

  constructor(handler: FrameHandler) {
    this.#handler = handler
  }

  /** Whether the last byte was the last of a frame. */
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

  /** @returns Where the payload begins, if the header is complete */
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
    // `#left` was reduced by this slice already, or set to -1 by the last one.
    const rest = isLast ? 0 : this.#left
    const whole = (this.#whole ??= Buffer.allocUnsafe(slice.byteLength + rest))
    whole.set(slice, whole.byteLength - rest - slice.byteLength)
    if (!isLast) return
    this.#whole = undefined
    this.#handler.onPayload(this.#type, whole)
  }
}

/** Bytes of the header of a frame. */
export function frameHeaderLength(type: number, length: number): number {
  return encodedVarintLength(type) + encodedVarintLength(length)
}

/** Writes the header of a frame. @returns Where its payload goes */
export function writeFrameHeader(target: Buffer, type: number, length: number, at: number): number {
  return writeVarint(target, length, writeVarint(target, type, at))
}

/** A frame with its payload. */
export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  const headerBytes = frameHeaderLength(type, payload.byteLength)
  const frame = Buffer.allocUnsafe(headerBytes + payload.byteLength)
  frame.set(payload, writeFrameHeader(frame, type, payload.byteLength, 0))
  return frame
}

/** Is told of a frame that begins. */
export type FrameTrace = (type: number, length: number) => void

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(FrameType).map(([name, type]) => [type, name]))

/** Makes a Trace record of each frame of a request; nothing, not even a function, where that level is off. */
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
