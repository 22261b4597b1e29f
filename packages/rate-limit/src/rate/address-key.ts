import { isIPv6 } from 'node:net'

/** The key of all clients without an address, such as those on a Unix socket. */
const UNKNOWN = 'unknown'
const GROUPS = 8
const ZEROS: readonly number[] = Array<number>(GROUPS).fill(0)
const COLON = 0x3a
const DIGIT_9 = 0x39

/**
 * Returns the key for a client address: an IPv4 address unchanged, even in IPv6 notation, and the /64 network of an IPv6
 * address. An IPv6 client often has all addresses of such a network (RFC 6177).
 *
 * @param address The address, such as `ctx.clientAddress`. All clients without an address share a key
 *
 * @example
 * addressKey('2001:db8::1:2:3:4')    // '2001:db8:0:0::/64'
 * addressKey('::ffff:192.0.2.7')     // '192.0.2.7'
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  if (!address.includes(':') || !isIPv6(address)) return address
  const groups = groupsOf(address.includes('.') ? withoutDots(address) : address)
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  // Compares values, because `::ffff:102:304` is the same address as `::ffff:1.2.3.4` (RFC 4291 §2.5.5.2).
  if ((a | b | c | d | e) === 0 && f === 0xffff) return `${dotted(g)}.${dotted(h)}`
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`
}

/** Returns the eight numbers of an IPv6 address that consists of hexadecimal groups. */
function groupsOf(address: string): number[] {
  const zone = address.indexOf('%')
  const length = zone === -1 ? address.length : zone
  const groups: number[] = []
  /** Number of groups before `::`. */
  let gap = 0
  let value = -1
  for (let at = 0; at <= length; at++) {
    const code = at === length ? COLON : address.charCodeAt(at)
    if (code !== COLON) {
      // The low four bits of a digit are its value; those of a letter are 1 to 6.
      value = Math.max(0, value) * 16 + (code & 0xf) + (code > DIGIT_9 ? 9 : 0)
    } else if (value === -1) gap = groups.length
    else {
      groups.push(value)
      value = -1
    }
  }
  const missing = GROUPS - groups.length
  if (missing > 0) groups.splice(gap, 0, ...ZEROS.slice(0, missing))
  return groups
}

/** Writes the last 32 bits of an address as two hexadecimal groups. */
function withoutDots(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)(?=$|%)/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
}

function dotted(group: number): string {
  return `${group >> 8}.${group & 0xff}`
}
