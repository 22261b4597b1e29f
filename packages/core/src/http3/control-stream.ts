import { ErrorCode, Http3Error } from './errors.ts'
import { FrameReader, FrameType, isHttp2FrameType, type FrameHandler } from './frames.ts'
import { readSettings } from './settings.ts'
import { readVarint, varintLength } from './varint.ts'

/** Largest accepted frame in bytes. A client's SETTINGS frame has a few dozen bytes. */
const MAX_FRAME_BYTES = 4096

/**
 * Reads the client's control stream. Calls to `push` can split frames anywhere.
 *
 * @see RFC 9114 §6.2.1, §7.2
 */
export class ControlStream implements FrameHandler {
  /** The client's settings; `undefined` until they arrive. */
  settings: ReadonlyMap<number, number> | undefined = undefined
  readonly #reader = new FrameReader(this)
  #maxPushId = -1
  #goawayId = Infinity

  /**
   * Reads the next bytes.
   *
   * @throws {Http3Error} for the connection
   */
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
        throw unexpected('a request frame')
      default:
        if (isHttp2FrameType(type)) throw unexpected('an HTTP/2 frame')
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
      if (id < this.#maxPushId) throw new Http3Error(ErrorCode.ID_ERROR, 'MAX_PUSH_ID decreased')
      this.#maxPushId = id
    } else if (type === FrameType.GOAWAY) {
      // §5.2: the ID in a client's GOAWAY is a push ID. It must not increase.
      if (id > this.#goawayId) throw new Http3Error(ErrorCode.ID_ERROR, 'The ID in GOAWAY increased')
      this.#goawayId = id
    } else throw new Http3Error(ErrorCode.ID_ERROR, 'CANCEL_PUSH without a push')
  }

  onSlice(): void {
    // Control frames are read whole.
  }
}

function readId(payload: Uint8Array): number {
  const first = payload[0]
  if (first === undefined || varintLength(first) !== payload.byteLength) {
    throw new Http3Error(ErrorCode.FRAME_ERROR, 'A control frame must contain exactly one integer')
  }
  return readVarint(payload, 0)
}

function unexpected(what: string): Http3Error {
  return new Http3Error(ErrorCode.FRAME_UNEXPECTED, `On the control stream: ${what}`)
}
