import { isIPv4, isIPv6 } from 'node:net'

/** `[IPv6]`, and after either family a port, which RFC 7239 §6 lets be obfuscated. */
const BRACKETED = /^\[([^\]]*)\](?::(?:\d{1,5}|_[\w.-]+))?$/
const V4_WITH_PORT = /^([\d.]+):(?:\d{1,5}|_[\w.-]+)$/

/**
 * Reads an IP address with or without port, brackets and zone.
 *
 * @returns The address alone, IPv6 in the form of RFC 5952 and an IPv4-mapped one as IPv4; `undefined` if it is none
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

/** The form of RFC 5952, which is also that of the host of a URL. */
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
