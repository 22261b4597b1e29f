import { ErrorCode, Http3Error } from '../errors.ts'

/** "Set Dynamic Table Capacity" with the only capacity we allow, 0 (RFC 9204 §4.3.1). */
const SET_CAPACITY_0 = 0b0010_0000

/** Continuation bytes of a stream number of 62 bits (RFC 9204 §4.1.1). */
const MAX_CONTINUATION_BYTES = 9

/**
 * Checks bytes of the peer's encoder stream. We allow no dynamic table, so there is nothing it could say but that.
 *
 * @throws {Http3Error} QPACK_ENCODER_STREAM_ERROR
 * @see RFC 9204 §4.3
 */
export function checkEncoderStream(bytes: Uint8Array): void {
  for (const byte of bytes) {
    if (byte !== SET_CAPACITY_0) {
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
  /** Bytes that the stream number which is being read may still have; 0 between instructions. */
  #bytesLeft = 0

  /** @throws {Http3Error} QPACK_DECODER_STREAM_ERROR */
  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#bytesLeft > 0) this.#continue(byte)
      else this.#begin(byte)
    }
  }

  #begin(byte: number): void {
    if ((byte & 0b1100_0000) !== 0b0100_0000) throw decoderStreamError('An acknowledgment of nothing')
    if ((byte & 0b0011_1111) === 0b0011_1111) this.#bytesLeft = MAX_CONTINUATION_BYTES
  }

  #continue(byte: number): void {
    this.#bytesLeft--
    if (byte < 0x80) this.#bytesLeft = 0
    else if (this.#bytesLeft === 0) throw decoderStreamError('The number of a stream is too large')
  }
}

function decoderStreamError(message: string): Http3Error {
  return new Http3Error(ErrorCode.QPACK_DECODER_STREAM_ERROR, message)
}
