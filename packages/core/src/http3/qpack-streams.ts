import { ErrorCode, Http3Error } from './errors.ts'

/** "Set Dynamic Table Capacity" with the only capacity we allow, 0 (RFC 9204 §4.3.1). */
const SET_CAPACITY_0 = 0b0010_0000

/**
 * Checks octets of the peer's encoder stream. We allow no dynamic table, so there is nothing it could say but that.
 *
 * @throws {Http3Error} QPACK_ENCODER_STREAM_ERROR
 * @see RFC 9204 §4.3
 */
export function checkEncoderStream(bytes: Uint8Array): void {
  for (const octet of bytes) {
    if (octet !== SET_CAPACITY_0) {
      throw new Http3Error(ErrorCode.QPACK_ENCODER_STREAM_ERROR, 'An instruction for a dynamic table')
    }
  }
}

/**
 * Checks the peer's decoder stream. We never use a dynamic table, so there is nothing to acknowledge; it may say that
 * it gave up a stream.
 *
 * @see RFC 9204 §4.4
 */
export class DecoderStream {
  #isInsideInteger = false

  /** @throws {Http3Error} QPACK_DECODER_STREAM_ERROR */
  push(bytes: Uint8Array): void {
    for (const octet of bytes) {
      if (this.#isInsideInteger) {
        this.#isInsideInteger = octet >= 0x80
      } else if ((octet & 0b1100_0000) === 0b0100_0000) {
        this.#isInsideInteger = (octet & 0b0011_1111) === 0b0011_1111
      } else throw new Http3Error(ErrorCode.QPACK_DECODER_STREAM_ERROR, 'An acknowledgment of nothing')
    }
  }
}
