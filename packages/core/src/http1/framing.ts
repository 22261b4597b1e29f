import { ProtocolError } from '../engine/errors.ts'
import { trimOws } from './headers.ts'

/** How the bytes after a request head are delimited. `length` is in bytes. */
export type Framing = { kind: 'none' } | { kind: 'length'; length: number } | { kind: 'chunked' }

const NO_BODY: Framing = { kind: 'none' }

/**
 * Decides how the body of an HTTP/1.x request is delimited.
 *
 * A request with neither field has no body; unlike a response it never runs to the end of the
 * connection.
 *
 * @param minor Minor version of HTTP/1.x
 * @param transferEncoding Values of every `Transfer-Encoding` field, joined with a comma
 * @param contentLength Bytes by `Content-Length`
 * @throws {ProtocolError} 400 for contradictory or malformed fields, 501 for an unknown coding
 * @see RFC 9112 §6.3 (message body length), §6.1 (transfer-encoding)
 */
// docs/decisions/0004
export function requestFraming(
  minor: 0 | 1,
  transferEncoding: string | undefined,
  contentLength: number | undefined,
): Framing {
  if (transferEncoding !== undefined) {
    // §6.1 lets us process such a request; proxies disagree on which field wins, so we refuse.
    if (contentLength !== undefined) throw new ProtocolError(400, 'Content-Length with Transfer-Encoding')
    // §6.1: a 1.0 message with Transfer-Encoding has faulty framing.
    if (minor === 0) throw new ProtocolError(400, 'Transfer-Encoding in HTTP/1.0')

    const last = transferEncoding.lastIndexOf(',') + 1
    // §6.3 rule 4: chunked must be the final coding of a request.
    if (trimOws(transferEncoding.slice(last)).toLowerCase() !== 'chunked') {
      throw new ProtocolError(400, 'Request body without a length')
    }
    if (last > 0) throw new ProtocolError(501, 'Unsupported transfer coding')
    return { kind: 'chunked' }
  }
  return contentLength === undefined ? NO_BODY : { kind: 'length', length: contentLength }
}

/** Reports whether bytes of a body follow the head. `Content-Length: 0` announces none; a chunked body has at least its end. */
export function hasBody(framing: Framing): boolean {
  return framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0)
}
