import { ErrorCode, Http3Error } from './errors.ts'
import { FrameReader, FrameType, isHttp2FrameType, type FrameHandler } from './frames.ts'
import { readSettings } from './settings.ts'
import { readVarint, varintLength } from './varint.ts'

/** Largest frame that we read; SETTINGS of a client take some dozen bytes. */
const MAX_FRAME_BYTES = 4096

/**
 * Reads the client's control stream. Its bytes may be cut anywhere.
 *
 * @see RFC 9114 §6.2.1, §7.2
 */
export class ControlStream implements FrameHandler {
  /** The client's settings, once they have arrived. */
  settings: ReadonlyMap<number, number> | undefined = undefined
  readonly #reader = new FrameReader(this)
  #maxPushId = -1
  #goawayId = Infinity

  /** @throws {Http3Error} for the connection */
  push(bytes: Uint8Array): void {
    this.#reader.push(bytes)
  }

  onFrame(type: number, length: number): 'whole' | 'skip' {
    if (this.settings === undefined && type !== FrameType.SETTINGS) {
      throw new Http3Error(ErrorCode.MISSING_SETTINGS, 'The control stream does not begin with SETTINGS')
    }
    switch (type) {
      case FrameType.SETTINGS:
        if (this.settings !== undefined) throw unexpected('a second SETTINGS frame')
        break
      case FrameType.GOAWAY:
      case FrameType.MAX_PUSH_ID:
      case FrameType.CANCEL_PUSH:
        break
      case FrameType.DATA:
      case FrameType.HEADERS:
      case FrameType.PUSH_PROMISE:
        throw unexpected('a frame of a request')
      default:
        if (isHttp2FrameType(type)) throw unexpected('a frame of HTTP/2')
        return 'skip'
    }
    if (length > MAX_FRAME_BYTES) throw new Http3Error(ErrorCode.EXCESSIVE_LOAD, 'A control frame is too large')
    return 'whole'
  }

  onPayload(type: number, payload: Uint8Array): void {
    if (type === FrameType.SETTINGS) {
      this.settings = readSettings(payload)
      return
    }
    const id = readId(payload)
    if (type === FrameType.MAX_PUSH_ID) {
      if (id < this.#maxPushId) throw new Http3Error(ErrorCode.ID_ERROR, 'MAX_PUSH_ID was reduced')
      this.#maxPushId = id
    } else if (type === FrameType.GOAWAY) {
      // §5.2: of pushes, of which there are none; it may not go up.
      if (id > this.#goawayId) throw new Http3Error(ErrorCode.ID_ERROR, 'GOAWAY was raised')
      this.#goawayId = id
    } else throw new Http3Error(ErrorCode.ID_ERROR, 'CANCEL_PUSH without a push')
  }

  onSlice(): void {
    // No frame of a control stream is wanted in slices.
  }
}

function readId(payload: Uint8Array): number {
  const first = payload[0]
  if (first === undefined || varintLength(first) !== payload.byteLength) {
    throw new Http3Error(ErrorCode.FRAME_ERROR, 'A control frame does not hold one number')
  }
  return readVarint(payload, 0)
}

function unexpected(what: string): Http3Error {
  return new Http3Error(ErrorCode.FRAME_UNEXPECTED, `On the control stream: ${what}`)
}
