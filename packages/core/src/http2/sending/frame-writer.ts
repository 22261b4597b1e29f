import type { FieldList } from '@fw/types'
import { HpackEncoder } from '../hpack/encoder.ts'
import { DEFAULT_FRAME_BYTES, Flag, FRAME_HEAD_BYTES, FrameType } from '../frames/frame-types.ts'
import { Output, OUTPUT_BUFFER_BYTES } from './output.ts'

/**
 * Maximum size of a payload, in bytes, that is copied into the output buffer. Writing such a payload separately would
 * cost more than the copy.
 */
const COPIED_BYTES = 4 * 1024

/**
 * Writes a connection's frames.
 *
 * @see RFC 9113 §4.1, §6
 */
export class FrameWriter extends Output {
  readonly encoder: HpackEncoder = new HpackEncoder()

  /** Writes a DATA frame. @param endsStream Whether to set END_STREAM, after which no frame may follow on the stream */
  data(streamId: number, payload: Uint8Array, endsStream: boolean): void {
    this.#frame(FrameType.DATA, endsStream ? Flag.END_STREAM : 0, streamId, payload)
  }

  /** Writes a short Latin-1 string as a DATA frame with END_STREAM. It must fit in the output buffer. */
  lastText(streamId: number, text: string): void {
    const frameBytes = FRAME_HEAD_BYTES + text.length
    const buffer = this.room(frameBytes)
    this.#writeHead(buffer, FrameType.DATA, Flag.END_STREAM, streamId, text.length)
    buffer.write(text, this.at + FRAME_HEAD_BYTES, 'latin1')
    this.added(frameBytes)
  }

  /** Writes a field section as HEADERS, and CONTINUATION if it is long. @param status Status code, or 0 for trailers */
  fields(streamId: number, endsStream: boolean, status: number, fields: FieldList): void {
    const flags = endsStream ? Flag.END_STREAM : 0
    const { encoder } = this
    let buffer = this.room(FRAME_HEAD_BYTES)
    let end = encoder.encode(status, fields, buffer, this.at + FRAME_HEAD_BYTES)
    if (end === -1) {
      const maxBytes = HpackEncoder.maxBytes(fields)
      if (maxBytes > OUTPUT_BUFFER_BYTES - FRAME_HEAD_BYTES) {
        const space = Buffer.allocUnsafe(maxBytes)
        this.#longBlock(streamId, flags, space.subarray(0, encoder.encode(status, fields, space, 0)))
        return
      }
      buffer = this.room(FRAME_HEAD_BYTES + maxBytes)
      end = encoder.encode(status, fields, buffer, this.at + FRAME_HEAD_BYTES)
    }
    const frameBytes = end - this.at
    this.#writeHead(buffer, FrameType.HEADERS, flags | Flag.END_HEADERS, streamId, frameBytes - FRAME_HEAD_BYTES)
    this.added(frameBytes)
  }

  rstStream(streamId: number, code: number): void {
    this.#numbers(FrameType.RST_STREAM, streamId, code)
  }

  settings(payload: Uint8Array): void {
    this.#frame(FrameType.SETTINGS, 0, 0, payload)
  }

  settingsAck(): void {
    this.#frame(FrameType.SETTINGS, Flag.ACK, 0, NOTHING)
  }

  ping(): void {
    this.#frame(FrameType.PING, 0, 0, PING_PAYLOAD)
  }

  pingAck(payload: Uint8Array): void {
    this.#frame(FrameType.PING, Flag.ACK, 0, payload)
  }

  goaway(lastStreamId: number, code: number): void {
    this.#numbers(FrameType.GOAWAY, 0, lastStreamId, code)
  }

  windowUpdate(streamId: number, bytes: number): void {
    this.#numbers(FrameType.WINDOW_UPDATE, streamId, bytes)
  }

  #numbers(type: number, streamId: number, ...values: number[]): void {
    const length = 4 * values.length
    const buffer = this.room(FRAME_HEAD_BYTES + length)
    this.#writeHead(buffer, type, 0, streamId, length)
    let at = this.at + FRAME_HEAD_BYTES
    for (const value of values) at = buffer.writeUInt32BE(value, at)
    this.added(FRAME_HEAD_BYTES + length)
  }

  /** Writes a frame. Copies a short payload, and passes a long one on without a copy. */
  #frame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    const { byteLength } = payload
    const isCopied = byteLength <= COPIED_BYTES
    const bytes = isCopied ? FRAME_HEAD_BYTES + byteLength : FRAME_HEAD_BYTES
    const buffer = this.room(bytes)
    this.#writeHead(buffer, type, flags, streamId, byteLength)
    if (isCopied) {
      buffer.set(payload, this.at + FRAME_HEAD_BYTES)
      this.added(bytes)
    } else this.addedBefore(bytes, payload)
  }

  /** Writes a field block that can exceed one frame or the output buffer. */
  #longBlock(streamId: number, flags: number, block: Buffer): void {
    let type: number = FrameType.HEADERS
    for (let at = 0; at === 0 || at < block.length; at += DEFAULT_FRAME_BYTES) {
      const fragment = block.subarray(at, at + DEFAULT_FRAME_BYTES)
      const isLast = at + DEFAULT_FRAME_BYTES >= block.length
      this.#frame(type, (at === 0 ? flags : 0) | (isLast ? Flag.END_HEADERS : 0), streamId, fragment)
      type = FrameType.CONTINUATION
    }
  }

  #writeHead(buffer: Buffer, type: number, flags: number, streamId: number, payloadBytes: number): void {
    const { at } = this
    buffer[at] = payloadBytes >>> 16
    buffer[at + 1] = payloadBytes >>> 8
    buffer[at + 2] = payloadBytes
    buffer[at + 3] = type
    buffer[at + 4] = flags
    buffer[at + 5] = streamId >>> 24
    buffer[at + 6] = streamId >>> 16
    buffer[at + 7] = streamId >>> 8
    buffer[at + 8] = streamId
  }
}

const NOTHING = Buffer.alloc(0)
/** Payload of the only PING that the server sends, during shutdown. */
const PING_PAYLOAD = Buffer.from('fw drain')
