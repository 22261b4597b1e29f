import { isIPv4, isIPv6 } from 'node:net'

/** Matches `[IPv6]` with an optional port. RFC 7239 §6 allows an obfuscated port, such as `_a`. */
const BRACKETED = /^\[([^\]]*)\](?::(?:\d{1,5}|_[\w.-]+))?$/
const V4_WITH_PORT = /^([\d.]+):(?:\d{1,5}|_[\w.-]+)$/

/**
 * Parses an IP address with an optional port, brackets and zone.
 *
 * @returns Only the address: IPv6 in RFC 5952 form, IPv4-mapped as IPv4; `undefined` if it is not an address
 *
 * @example
 * parseAddress('[2001:DB8::0:1]:443')   // '2001:db8::1'
 */
export function parseAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const v6 = BRACKETED.exec(text)?.[1] ?? text
  if (isIPv6(v6)) return shortestForm(v6)
  const v4 = V4_WITH_PORT.exec(text)?.[1]
  return v4 !== undefined && isIPv4(v4) ? v4 : undefined
}

/** Returns the RFC 5952 form, which `URL` uses for hosts. */
function shortestForm(address: string): string {
  const zone = address.indexOf('%')
  const host = new URL(`http://[${zone === -1 ? address : address.slice(0, zone)}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(host)
  return mapped === null ? host : `${dotted(mapped[1])}.${dotted(mapped[2])}`
}

function dotted(group = ''): string {
  const value = Number.parseInt(group, 16)
  return `${value >> 8}.${value & 0xff}`
}
