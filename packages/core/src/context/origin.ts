import { forwardedOrigin, type Trust, UNIX_SOCKET } from '@fw/client-address'
import { withCode } from '@fw/options'
import type { Exchange } from '@fw/types'
import { isAuthority } from '../engine/semantics/authority.ts'
import { HttpError } from '../response/http-error.ts'

/** Matches an IPvFuture address (RFC 3986 §3.2.2), such as `[v1.a]`. The URL standard has no such hosts. */
const IP_FUTURE = /^\[v[^\]]*\]/i
/**
 * Name that replaces an IPvFuture address. RFC 6761 §6.4: no client resolves the name, so no link built on it leads to
 * another host.
 */
const IP_FUTURE_HOST = 'ipvfuture.invalid'

/**
 * Returns the scheme that the client used. Trusted proxies can report it; an ambiguous or invalid report is ignored.
 * Never throws, unlike `originOf`.
 */
export function schemeOf(exchange: Exchange, trust: Trust | undefined): 'http' | 'https' {
  if (trust === undefined || trust.origin.length === 0) return exchange.scheme
  return forwardedOrigin(exchange.headers, peerOf(exchange), trust)?.scheme ?? exchange.scheme
}

function peerOf({ isUnixSocket, remoteAddress }: Exchange): string | undefined {
  return isUnixSocket === true ? UNIX_SOCKET : remoteAddress
}

/** The last origin, cached because most requests to a server have the same one. */
let last = { scheme: '', authority: '', origin: '' }

/**
 * Returns the origin that the client sees: scheme, host, and the port unless it is the default. Trusted proxies can report its
 * parts.
 *
 * @param allows Reports whether the server accepts a host; `undefined` if it accepts every host
 * @throws {HttpError} 400 if the host is not valid in a URL, or a trusted proxy reports an invalid origin
 * @throws {HttpError} 421 if a trusted proxy reports a host that the server does not accept
 */
export function originOf(
  exchange: Exchange,
  trust: Trust | undefined,
  allows: ((authority: string) => boolean) | undefined,
): string {
  let { scheme, authority } = exchange
  if (trust !== undefined && trust.origin.length > 0) {
    const reported = forwardedOrigin(exchange.headers, peerOf(exchange), trust)
    if (reported === null || (reported.host !== undefined && !isAuthority(reported.host))) {
      throw withCode('FW_INVALID_HOST', new HttpError(400, 'A proxy reported an invalid origin'))
    }
    if (reported.host !== undefined && allows?.(reported.host) === false) {
      throw withCode('FW_INVALID_HOST', new HttpError(421, 'A proxy reported a host that this server does not accept'))
    }
    scheme = reported.scheme ?? scheme
    authority = reported.host ?? authority
  }
  if (scheme === last.scheme && authority === last.authority) return last.origin
  const url = URL.parse(`${scheme}://${authority.replace(IP_FUTURE, IP_FUTURE_HOST) || 'localhost'}`)
  if (url === null) {
    throw withCode('FW_INVALID_HOST', new HttpError(400, 'The host of the request is not valid in a URL'))
  }
  last = { scheme, authority, origin: url.origin }
  return url.origin
}
