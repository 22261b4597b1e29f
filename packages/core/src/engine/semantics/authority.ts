import { isIPv6 } from 'node:net'

/**
 * Host and optional port (RFC 3986 §3.2.2 and §3.2.3). RFC 9110 §4.2.1 forbids an empty host and §4.2.4 user
 * information. A comma is not allowed either, because it joins the values of a repeated field.
 */
const AUTHORITY =
  /^(?:\[(?:([0-9A-Fa-f:.]+)|[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+;=:]+)\]|(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})+)(?::(\d{0,5}))?$/
const PORT = /:\d+$/

/** The last valid value, cached because most requests to a process name the same host. */
let lastValid = ''

/**
 * Reports whether `value` is a valid host with an optional port, as in `Host`, `:authority` or a request target.
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

/** Reports whether a valid authority names a port, which CONNECT requires (RFC 9110 §9.3.6). */
export function hasPort(authority: string): boolean {
  return PORT.test(authority)
}
