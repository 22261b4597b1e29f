import { isIPv6 } from 'node:net'

/** The key of all clients without an address, such as those of a Unix socket. */
const UNKNOWN = 'unknown'
const GROUPS = 8
/** A client with IPv6 often has 2^64 addresses, which share their first four groups (RFC 6177). */
const NETWORK_GROUPS = 4

/**
 * Returns the key of a client address: IPv4 as it is, even in the notation of IPv6, and of IPv6 the network of 64 bits.
 *
 * @param address The address, such as `ctx.clientAddress`. All clients without one share a key
 *
 * @example
 * addressKey('2001:db8::1:2:3:4')    // '2001:db8:0:0::/64'
 * addressKey('::ffff:192.0.2.7')     // '192.0.2.7'
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  if (!address.includes(':') || !isIPv6(address)) return address
  const groups = groupsOf(address)
  if (isIPv4Mapped(groups)) return groups.slice(6).map(dotted).join('.')
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** Returns the eight numbers of an IPv6 address, of any notation. */
function groupsOf(address: string): number[] {
  const [text = ''] = address.split('%')
  const [head = '', tail] = text.split('::')
  const first = numbers(head)
  if (tail === undefined) return first
  const last = numbers(tail)
  return [...first, ...Array<number>(Math.max(0, GROUPS - first.length - last.length)).fill(0), ...last]
}

function numbers(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** Compares values, because `::ffff:102:304` is the same address as `::ffff:1.2.3.4` (RFC 4291 §2.5.5.2). */
function isIPv4Mapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.every((group, at) => at > 4 || group === 0)
}

function dotted(group: number): string {
  return `${group >> 8}.${group & 0xff}`
}
