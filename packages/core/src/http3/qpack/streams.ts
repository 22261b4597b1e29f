import { ErrorCode, Http3Error } from '../errors.ts'

/** "Set Dynamic Table Capacity" with the capacity 0, the only permitted one (RFC 9204 §4.3.1). */
const SET_CAPACITY_0 = 0b0010_0000

/** Maximum number of continuation bytes in a 62-bit stream ID (RFC 9204 §4.1.1). */
const MAX_CONTINUATION_BYTES = 9

/**
 * Checks bytes from the peer's encoder stream. Without a dynamic table, the only valid instruction sets its capacity to
 * 0.
 *
 * @throws {Http3Error} QPACK_ENCODER_STREAM_ERROR
 * @see RFC 9204 §4.3
 */
export function checkEncoderStream(bytes: Uint8Array): void {
  for (const byte of bytes) {
    if (byte !== SET_CAPACITY_0) {
      throw new Http3Error(ErrorCode.QPACK_ENCODER_STREAM_ERROR, 'The dynamic table is disabled')
    }
  }
}

/**
 * Checks the peer's decoder stream. Without a dynamic table, the only valid instruction is Stream Cancellation.
 *
 * @see RFC 9204 §4.4
 */
export class DecoderStream {
  /** Remaining continuation bytes that the current stream ID can have; 0 between instructions. */
  #bytesLeft = 0

  /**
   * Checks the next bytes.
   *
   * @throws {Http3Error} QPACK_DECODER_STREAM_ERROR
   */
  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#bytesLeft > 0) this.#continue(byte)
      else this.#begin(byte)
    }
  }

  #begin(byte: number): void {
    if ((byte & 0b1100_0000) !== 0b0100_0000) throw decoderStreamError('An acknowledgment without a dynamic table')
    if ((byte & 0b0011_1111) === 0b0011_1111) this.#bytesLeft = MAX_CONTINUATION_BYTES
  }

  #continue(byte: number): void {
    this.#bytesLeft--
    if (byte < 0x80) this.#bytesLeft = 0
    else if (this.#bytesLeft === 0) throw decoderStreamError('A stream ID is too large')
  }
}

function decoderStreamError(message: string): Http3Error {
  return new Http3Error(ErrorCode.QPACK_DECODER_STREAM_ERROR, message)
}
