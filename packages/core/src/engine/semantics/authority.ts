import { isIPv6 } from 'node:net'
import { ProtocolError } from '../errors.ts'

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

const ABSOLUTE = /^(https?):\/\/([^/?]+)(?:[/?].*)?$/i

/**
 * Checks that a target has the form its method asks for.
 *
 * @param target Visible ASCII without `#`, at least one character
 * @returns The authority that the target itself names, which then counts instead of `Host`
 * @throws {ProtocolError} 400
 * @see RFC 9112 §3.2 (origin, absolute, authority and asterisk form)
 */
export function targetAuthority(method: string, target: string): string | undefined {
  if (method === 'CONNECT') {
    if (!isHost(target) || !/[^:]:\d+$/.test(target)) throw new ProtocolError(400, 'CONNECT needs a host and a port')
    return target
  }
  if (target.charCodeAt(0) === 0x2f) return undefined
  if (target === '*' && method === 'OPTIONS') return undefined
  const authority = ABSOLUTE.exec(target)?.[2]
  // RFC 9110 §4.2.4: user information in a target is a sign of phishing.
  if (authority === undefined || authority === '' || authority.startsWith(':') || !isHost(authority)) {
    throw new ProtocolError(400, 'Invalid request target')
  }
  return authority
}
