import { isIPv6 } from 'node:net'

/**
 * RFC 3986 §3.2.2 (host) and §3.2.3 (port), without user information, which RFC 9110 §4.2.4 forbids, and without the
 * comma: a list of hosts is a repeated field. RFC 9110 §4.2.1 forbids an empty host.
 */
const AUTHORITY =
  /^(?:\[(?:([0-9A-Fa-f:.]+)|[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+;=:]+)\]|(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})+)(?::(\d{0,5}))?$/
const PORT = /:\d+$/

/** The value that was found valid last: most requests of a process are for the same host. */
let lastValid = ''

/**
 * Reports whether `value` can be the host and port of a request: a `Host` field, `:authority`, or the authority of a
 * request target.
 *
 * @see RFC 9110 §7.2
 */
export function isAuthority(value: string): boolean {
  if (value === lastValid && value !== '') return true
  const match = AUTHORITY.exec(value)
  if (match === null) return false
  const [, ipv6, port] = match
  if ((ipv6 !== undefined && !isIPv6(ipv6)) || (port !== undefined && Number(port) > 65_535)) return false
  lastValid = value
  return true
}

/** Reports whether a valid authority names a port, as that of a CONNECT request must (RFC 9110 §9.3.6). */
export function hasPort(authority: string): boolean {
  return PORT.test(authority)
}
