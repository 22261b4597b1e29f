import { isIPv4, isIPv6 } from 'node:net'
import { parseAddress } from './ip-address.ts'
import { invalid, type ProxyHeader } from './proxy-header.ts'

/** Maximum length of the line with its CRLF, in bytes (§2.1). */
const MAX_LINE_BYTES = 107
/** Start of the line, with the space that follows. */
const START = 'PROXY '
const CR = 0x0d
const LF = 0x0a

/**
 * Reads a version 1 header: one line of text, such as `PROXY TCP4 192.0.2.1 192.0.2.2 56324 443`.
 *
 * @see https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt §2.1
 */
export function readTextHeader(bytes: Uint8Array): ProxyHeader {
  for (let at = 0; at < Math.min(bytes.length, START.length); at++) {
    if (bytes[at] !== START.charCodeAt(at)) return invalid('its first bytes are not a PROXY header')
  }
  let end = START.length
  while (end < bytes.length && bytes[end] !== CR) {
    // §2.1: a single CR or LF must not end the line. Reject it, because other parsers stop there.
    if (bytes[end] === LF) return invalid('its PROXY line ends without CRLF')
    end++
    if (end > MAX_LINE_BYTES - 2) return invalid(`its PROXY line is longer than ${MAX_LINE_BYTES} bytes`)
  }
  if (end + 1 >= bytes.length) return { kind: 'incomplete' }
  if (bytes[end + 1] !== LF) return invalid('its PROXY line ends without CRLF')
  return readFields(String.fromCharCode(...bytes.subarray(START.length, end)), end + 2)
}

/** @param text The line without its start and its CRLF */
function readFields(text: string, length: number): ProxyHeader {
  // §2.1: ignore the rest of the line, which old senders fill with addresses.
  if (text === 'UNKNOWN' || text.startsWith('UNKNOWN ')) return { kind: 'complete', length, source: undefined }
  const fields = text.split(' ')
  const [family, source = '', destination = '', sourcePort = '', destinationPort = ''] = fields
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isPlainIPv6 : undefined
  if (isAddress === undefined) return invalid('its PROXY line names an unknown protocol')
  const address = parseAddress(source)
  if (address === undefined || !isAddress(source) || !isAddress(destination)) {
    return invalid(`its PROXY line has an address that does not fit ${family}`)
  }
  if (!isPort(sourcePort) || !isPort(destinationPort) || fields.length > 5) {
    return invalid('its PROXY line does not end with two ports')
  }
  return { kind: 'complete', length, source: { address, port: Number(sourcePort) } }
}

/**
 * Reports whether the text is an IPv6 address without a zone. HAProxy and nginx write IPv4-mapped addresses with dots.
 */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%')
}

/** §2.1: decimal, without leading zeros. */
function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}
