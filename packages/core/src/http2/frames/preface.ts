import { HTTP2_PREFACE_BYTES, startsWithPreface } from '../../engine/socket/http2-preface.ts'
import { ConnectionError, ErrorCode } from '../errors.ts'

/** Reads the client's connection preface, however it is split. */
export class Preface {
  #received: Buffer | undefined = undefined

  /**
   * Adds received bytes.
   *
   * @returns The bytes after the preface, `undefined` while it is incomplete
   * @throws {ConnectionError} PROTOCOL_ERROR if the bytes are not the preface
   * @see RFC 9113 §3.4
   */
  take(chunk: Buffer): Buffer | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const isPreface = startsWithPreface(received)
    if (isPreface === false) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'Invalid HTTP/2 preface')
    this.#received = received
    return isPreface === undefined ? undefined : received.subarray(HTTP2_PREFACE_BYTES)
  }
}
