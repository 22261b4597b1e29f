import { ProtocolError } from '../engine/errors.ts'
import { trimOws } from './headers.ts'

/** How a request body is delimited. `length` is in bytes. */
export type Framing = { kind: 'none' } | { kind: 'length'; length: number } | { kind: 'chunked' }

const NO_BODY: Framing = { kind: 'none' }

/**
 * Determines how an HTTP/1.x request body is delimited.
 *
 * A request without `Content-Length` and `Transfer-Encoding` has no body. Unlike a response body, a request body never
 * extends to the end of the connection.
 *
 * @param minor Minor version of HTTP/1.x
 * @param transferEncoding Values of all `Transfer-Encoding` fields, joined with a comma
 * @param contentLength Value of `Content-Length` in bytes
 * @throws {ProtocolError} 400 for contradictory or malformed fields, 501 for an unsupported coding
 * @see RFC 9112 §6.3 (message body length), §6.1 (transfer-encoding)
 */
// docs/decisions/0004
export function requestFraming(
  minor: 0 | 1,
  transferEncoding: string | undefined,
  contentLength: number | undefined,
): Framing {
  if (transferEncoding !== undefined) {
    // §6.1 permits both fields. Proxies disagree on which field takes precedence, so reject the request.
    if (contentLength !== undefined) throw new ProtocolError(400, 'Content-Length with Transfer-Encoding')
    // §6.1: treat Transfer-Encoding in an HTTP/1.0 message as faulty framing.
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

/**
 * Reports whether body bytes follow the head. Even an empty chunked body has framing bytes; `Content-Length: 0` has
 * none.
 */
export function hasBody(framing: Framing): boolean {
  return framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0)
}
