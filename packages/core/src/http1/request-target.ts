import { ProtocolError } from '../engine/protocol-error.ts'
import { isHost } from '../engine/host.ts'

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
