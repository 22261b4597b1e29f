import { ProtocolError } from '../engine/errors.ts'
import { trimOws } from './headers.ts'

/** How the bytes after a request head are delimited. `length` is in bytes. */
export type Framing = { kind: 'none' } | { kind: 'length'; length: number } | { kind: 'chunked' }

const NO_BODY: Framing = { kind: 'none' }

/** At most 15 digits, so the number is exact. */
const DECIMAL = /^\d{1,15}$/

/**
 * Decides how the body of an HTTP/1.x request is delimited.
 *
 * A request with neither field has no body; unlike a response it never runs to the end of the
 * connection.
 *
 * @param minor Minor version of HTTP/1.x
 * @param transferEncoding Values of every `Transfer-Encoding` line, in order
 * @param contentLength Values of every `Content-Length` line, in order
 * @throws {ProtocolError} 400 for contradictory or malformed fields, 501 for an unknown coding
 * @see RFC 9112 §6.3 (message body length), §6.1 (transfer-encoding)
 */
// docs/decisions/0004
export function requestFraming(
  minor: 0 | 1,
  transferEncoding: readonly string[],
  contentLength: readonly string[],
): Framing {
  if (transferEncoding.length > 0) {
    // §6.1 lets us process such a request; proxies disagree on which field wins, so we refuse.
    if (contentLength.length > 0) throw new ProtocolError(400, 'Content-Length with Transfer-Encoding')
    // §6.1: a 1.0 message with Transfer-Encoding has faulty framing.
    if (minor === 0) throw new ProtocolError(400, 'Transfer-Encoding in HTTP/1.0')

    const codings = transferEncoding.join(',')
    const last = codings.lastIndexOf(',') + 1
    // §6.3 rule 4: chunked must be the final coding of a request.
    if (trimOws(codings.slice(last)).toLowerCase() !== 'chunked') {
      throw new ProtocolError(400, 'Request body without a length')
    }
    if (last > 0) throw new ProtocolError(501, 'Unsupported transfer coding')
    return { kind: 'chunked' }
  }

  if (contentLength.length === 0) return NO_BODY

  // §6.3 rule 5 lets a list of identical values count as one; who repeats the field is likelier to smuggle than to err.
  const [value = ''] = contentLength
  if (contentLength.length > 1 || !DECIMAL.test(value)) throw new ProtocolError(400, 'Invalid Content-Length')
  return { kind: 'length', length: Number(value) }
}

/** Reports whether bytes of a body follow the head. `Content-Length: 0` announces none; a chunked body has at least its end. */
export function hasBody(framing: Framing): boolean {
  return framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0)
}
