import { isIPv6 } from 'node:net'

/** RFC 3986 §3.2.2 (host) and §3.2.3 (port), without the comma: a list of hosts is a repeated field in disguise. */
const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|[A-Za-z0-9\-._~!$&'()*+;=%]*)(?::(\d{0,5}))?$/

/**
 * Whether `value` can be the host and port of a request.
 *
 * @see RFC 9110 §7.2 (Host)
 */
export function isHost(value: string): boolean {
  const match = HOST.exec(value)
  if (match === null) return false
  const [, ipv6, port] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && (port === undefined || Number(port) <= 65_535)
}
