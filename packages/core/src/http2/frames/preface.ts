import { HTTP2_PREFACE_BYTES, startsWithPreface } from '../../engine/socket/http2-preface.ts'
import { ConnectionError, ErrorCode } from '../errors.ts'

/** Waits for the preface of a client, however it is cut. */
export class Preface {
  #received: Buffer | undefined = undefined

  /**
   * @returns What follows the preface, `undefined` while it is not complete
   * @throws {ConnectionError} PROTOCOL_ERROR if it is none
   * @see RFC 9113 §3.4
   */
  take(chunk: Buffer): Buffer | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const isPreface = startsWithPreface(received)
    if (isPreface === false) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'No HTTP/2 preface')
    this.#received = received
    return isPreface === undefined ? undefined : received.subarray(HTTP2_PREFACE_BYTES)
  }
}
