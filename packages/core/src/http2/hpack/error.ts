/**
 * Reports a field block that cannot be decoded. The tables of the two sides can differ afterwards, so the connection
 * ends with COMPRESSION_ERROR.
 *
 * @see RFC 7541 §2.3.3, RFC 9113 §4.3
 */
export class HpackError extends Error {
  override readonly name = 'HpackError'

  constructor(reason: string) {
    super(`Cannot decode a field block: ${reason}`)
  }
}
