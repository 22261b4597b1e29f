import { isToken } from '../fields/field-rules.ts'
import { hasPort, isAuthority } from './authority.ts'
import { judgeContentLength } from './content-length.ts'
import { judgeFieldCount, judgeRequestLine, requestLineBytes, type FieldLimits } from './field-limits.ts'
import { isPath } from './path.ts'
import { accepted, malformed, refused, type Rejected, type Verdict } from './verdict.ts'

/** Matches the name of a protocol, with an optional version (RFC 9110 §7.8). */
const PROTOCOL = /^[!#$%&'*+.^_`|~\dA-Za-z-]+(?:\/[!#$%&'*+.^_`|~\dA-Za-z-]+)?$/

/** The head of a request as an engine received it. The values of a repeated field are joined with `, `. */
export interface ReceivedHead {
  readonly version: '1.0' | '1.1' | '2' | '3'
  readonly method: string
  /** The request target of HTTP/1.1; on HTTP/2 and HTTP/3, `:path`, or `:authority` for CONNECT. */
  readonly target: string
  /** `:scheme`, or the scheme of an absolute target. */
  readonly scheme: string | undefined
  /** `:authority`, or the authority of an absolute target or a CONNECT target. */
  readonly authority: string | undefined
  readonly host: string | undefined
  /** Path and query of the target. */
  readonly path: string | undefined
  /** `:protocol` of an extended CONNECT (RFC 8441 §4, RFC 9220 §3). HTTP/1.x has no such field. */
  readonly protocol: string | undefined
  /** Whether the server has announced extended CONNECT on this connection. */
  readonly allowsProtocol: boolean
  readonly contentLength: string | undefined
  /** Whether the body has a transfer coding. Only HTTP/1.1 defines one. */
  readonly isChunked: boolean
  /** The `TE` field; HTTP/1.x engines leave it `undefined`, which skips its check. */
  readonly te: string | undefined
  readonly expect: string | undefined
  /** Number of header fields, without pseudo-header fields. */
  readonly fieldCount: number
}

/** The parts of a valid head that mean the same in every protocol. */
export interface JudgedHead {
  /** The requested host and port; empty for an HTTP/1.0 request without `Host`. */
  readonly authority: string
  /** Body length in bytes from `Content-Length`; `undefined` without that field. */
  readonly contentLength: number | undefined
  /** Whether the client waits for 100 (Continue) before it sends a body. */
  readonly expectsContinue: boolean
}

/**
 * Checks a request head against the rules that all protocols share. An engine converts its wire format to `received`,
 * and a rejection to the form that its protocol uses.
 *
 * @see docs/decisions/0104
 */
export function judgeRequestHead(received: ReceivedHead, limits: FieldLimits): Verdict<JudgedHead> {
  const line = judgeRequestLine(requestLineBytes(received.method, received.target), limits)
  if (line.kind !== 'ok') return line
  const count = judgeFieldCount(received.fieldCount, limits)
  if (count.kind !== 'ok') return count
  const rejected = targetFault(received) ?? fieldFault(received)
  if (rejected !== undefined) return rejected
  let contentLength: number | undefined
  if (received.contentLength !== undefined) {
    const length = judgeContentLength(received.contentLength)
    if (length.kind !== 'ok') return length
    contentLength = length.value
  }
  const authority = received.authority ?? received.host ?? ''
  return accepted({ authority, contentLength, expectsContinue: expectsContinue(received) })
}

function targetFault(received: ReceivedHead): Rejected | undefined {
  const { method, path } = received
  if (!isToken(method)) return malformed('Invalid method')
  const fault = authorityFault(received)
  if (fault !== undefined) return fault
  if (received.protocol !== undefined) return extendedConnectFault(received, received.protocol)
  if (method === 'CONNECT') return connectFault(received)
  const scheme = schemeFault(received)
  if (scheme !== undefined) return scheme
  if (path === undefined || !isPath(method, path)) return malformed('Invalid request target')
  return undefined
}

function authorityFault({ version, authority, host }: ReceivedHead): Rejected | undefined {
  // RFC 9112 §3.2: HTTP/1.1 requires a Host field, even if the target names the authority.
  if (host === undefined && version === '1.1') return malformed('Host missing')
  const named = authority ?? host
  // RFC 9113 §8.3.1 and RFC 9114 §4.3.1: `:authority` or Host is mandatory. HTTP/1.0 does not require Host.
  if (named === undefined) return version === '1.0' ? undefined : malformed('Authority missing')
  // RFC 9110 §4.2.1: a URI with an empty host is invalid.
  if (named === '') return malformed('Authority missing')
  if (host?.includes(',')) return malformed('Host given twice')
  if (!isAuthority(named)) return refused(400, 'Invalid authority')
  if (host === undefined || host === named) return undefined
  // RFC 9112 §3.2.2: an absolute target overrides Host. Host must still be valid (§3.2).
  if (version === '1.0' || version === '1.1') return isAuthority(host) ? undefined : refused(400, 'Invalid authority')
  // RFC 9113 §8.3.1, RFC 9114 §4.3.1: the two fields must name the same authority.
  return host.toLowerCase() === named.toLowerCase() ? undefined : malformed('Host differs from the authority')
}

/** @see RFC 9110 §9.3.6, RFC 9112 §3.2.3, RFC 9113 §8.5, RFC 9114 §4.4 */
function connectFault({ scheme, path, authority, contentLength, isChunked }: ReceivedHead): Rejected | undefined {
  if (scheme !== undefined || path !== undefined) return malformed('CONNECT with a scheme or a path')
  if (authority === undefined || !hasPort(authority)) return malformed('CONNECT without a host and a port')
  // RFC 9110 §9.3.6: the bytes after a CONNECT head can be tunnel data, so a body has no meaning.
  if (contentLength !== undefined || isChunked) return malformed('CONNECT with a body')
  return undefined
}

/** @see RFC 8441 §4, RFC 9220 §3 */
function extendedConnectFault(received: ReceivedHead, protocol: string): Rejected | undefined {
  const { method, path, contentLength } = received
  // RFC 8441 §3: a client must not send `:protocol` before it has received the setting.
  if (!received.allowsProtocol) return malformed(':protocol without the setting that permits it')
  if (method !== 'CONNECT') return malformed(':protocol with a method other than CONNECT')
  if (!PROTOCOL.test(protocol)) return malformed('Invalid :protocol')
  const scheme = schemeFault(received)
  if (scheme !== undefined) return scheme
  if (path === undefined || !isPath(method, path)) return malformed('Invalid request target')
  // The bytes after the head belong to the tunnel, as after any other CONNECT.
  return contentLength === undefined ? undefined : malformed('CONNECT with a body')
}

function schemeFault({ version, scheme }: ReceivedHead): Rejected | undefined {
  // RFC 9112 §3.2.1: an origin-form target has no scheme.
  if (scheme === undefined && (version === '1.0' || version === '1.1')) return undefined
  // RFC 9113 §8.3.1 and RFC 9114 §4.3.1: `:scheme` is mandatory.
  if (scheme === undefined || scheme === '') return malformed('Scheme missing')
  // RFC 3986 §3.1: schemes are case-insensitive.
  const lower = scheme.toLowerCase()
  if (lower !== 'http' && lower !== 'https') return refused(400, 'Unknown scheme')
  // RFC 9110 §7.4: a QUIC connection serves only https origins.
  return version === '3' && lower === 'http' ? refused(421, 'Scheme is not https') : undefined
}

function fieldFault({ version, te, expect }: ReceivedHead): Rejected | undefined {
  // RFC 9113 §8.2.2 and RFC 9114 §4.2: `trailers` is the only permitted member.
  if (te !== undefined && !isListOf('trailers', te)) return malformed('TE with more than trailers')
  // RFC 9110 §10.1.1: ignore Expect in an HTTP/1.0 request.
  if (expect !== undefined && version !== '1.0' && !isListOf('100-continue', expect))
    return refused(417, 'Unknown expectation')
  return undefined
}

function expectsContinue({ version, expect }: ReceivedHead): boolean {
  return expect !== undefined && version !== '1.0'
}

/** Reports whether every member of a comma-separated list is `member`, ignoring case. */
function isListOf(member: string, value: string): boolean {
  const lower = value.toLowerCase()
  return lower === member || lower.split(',').every((each) => each.trim() === member)
}
