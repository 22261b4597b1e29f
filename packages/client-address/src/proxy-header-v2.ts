import { crc32c } from './crc32c.ts'
import { parseAddress } from './ip-address.ts'
import { invalid, type ProxyHeader, type ProxySource } from './proxy-header.ts'

/** §2.2: the first 12 bytes. */
const SIGNATURE = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a] as const
/** Bytes before the addresses: the signature, command, family and length. */
const FIXED_BYTES = 16
const VERSION = 2
const LOCAL = 0
const PROXY = 1
/** Size of both addresses and ports in bytes, by address family: unspecified, INET, INET6 and UNIX. */
const ADDRESS_BYTES = [0, 12, 36, 216] as const
const INET = 1
const INET6 = 2
const UNIX = 3
/** Highest transport protocol: 0 is unspecified, 1 is STREAM and 2 is DGRAM. */
const MAX_TRANSPORT = 2
/** §2.2.3: type of the TLV with a checksum. */
const CRC32C = 0x03
/** Bytes before the value of a TLV: type and length. */
const TLV_BYTES = 3
const CHECKSUM_BYTES = 4
const NO_CHECKSUM = new Uint8Array(CHECKSUM_BYTES)

/**
 * Reads a version 2 header, which is binary.
 *
 * Accepts the addresses of datagrams too, because a proxy that terminates QUIC can forward over TCP. Of the TLVs, only
 * the checksum has an effect.
 *
 * @see https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt §2.2
 */
export function readBinaryHeader(bytes: Uint8Array, maxBytes: number): ProxyHeader {
  for (let at = 0; at < Math.min(bytes.length, SIGNATURE.length); at++) {
    if (bytes[at] !== SIGNATURE[at]) return invalid('its first bytes are not a PROXY header')
  }
  // Reject each field as early as possible: a peer that does not send headers waits for a response.
  const command = bytes[12]
  if (command === undefined) return { kind: 'incomplete' }
  if (command >> 4 !== VERSION) return invalid('its PROXY header has an unknown version')
  const isLocal = (command & 0xf) === LOCAL
  if (!isLocal && (command & 0xf) !== PROXY) return invalid('its PROXY header has an unknown command')
  const family = bytes[13]
  if (family === undefined) return { kind: 'incomplete' }
  // §2.2: LOCAL ignores the family.
  const isKnown = family >> 4 < ADDRESS_BYTES.length && (family & 0xf) <= MAX_TRANSPORT
  if (!isLocal && !isKnown) return invalid('its PROXY header has an unknown address family or protocol')
  if (bytes.length < FIXED_BYTES) return { kind: 'incomplete' }
  const length = FIXED_BYTES + uint16At(bytes, 14)
  if (length > maxBytes) return invalid(`its PROXY header has ${length} bytes, more than ${maxBytes}`)
  const tlvStart = FIXED_BYTES + (ADDRESS_BYTES[family >> 4] ?? 0)
  // §2.2: the receiver uses the endpoints of the connection and ignores the addresses, so those cannot be malformed.
  const isIgnored = isLocal || family >> 4 === 0 || (family & 0xf) === 0
  if (!isIgnored && length < tlvStart) return invalid('its PROXY header is too short for its addresses')
  if (bytes.length < length) return { kind: 'incomplete' }
  const header = bytes.subarray(0, length)
  const fault = faultOfTlvs(header, tlvStart)
  if (fault !== undefined && !(isIgnored && fault === MALFORMED_TLV)) return invalid(fault)
  return { kind: 'complete', length, source: isIgnored ? undefined : sourceOf(header, family >> 4) }
}

const MALFORMED_TLV = 'its PROXY header ends within a TLV'

/** Checks the TLVs. @returns The reason why the header is invalid, or `undefined` if it is valid */
function faultOfTlvs(header: Uint8Array, start: number): string | undefined {
  let checksumAt = -1
  let checksums = 0
  // Walk all TLVs first: in an ignored header, only those that end with it can contain a checksum.
  for (let at = start; at < header.length;) {
    if (at + TLV_BYTES > header.length) return MALFORMED_TLV
    const end = at + TLV_BYTES + uint16At(header, at + 1)
    if (end > header.length) return MALFORMED_TLV
    if (header[at] === CRC32C) {
      checksumAt = at
      checksums++
    }
    at = end
  }
  if (checksums > 1) return 'its PROXY header has more than one checksum'
  if (checksums === 1 && !hasValidChecksum(header, checksumAt)) return 'its PROXY header does not match its checksum'
  return undefined
}

/** Compares the checksum in the TLV at `at` with that of the header, in which zeros replace it (§2.2.3). */
function hasValidChecksum(header: Uint8Array, at: number): boolean {
  if (uint16At(header, at + 1) !== CHECKSUM_BYTES) return false
  const value = at + TLV_BYTES
  const end = value + CHECKSUM_BYTES
  const before = crc32c(NO_CHECKSUM, crc32c(header.subarray(0, value)))
  return crc32c(header.subarray(end), before) === uint16At(header, value) * 0x1_0000 + uint16At(header, value + 2)
}

/** @returns `undefined` for a Unix socket, whose path is not an address */
function sourceOf(header: Uint8Array, family: number): ProxySource | undefined {
  if (family === UNIX) return undefined
  const bytes = header.subarray(FIXED_BYTES, FIXED_BYTES + (family === INET ? 4 : 16))
  const text = family === INET6 ? groupsOf(bytes).join(':') : bytes.join('.')
  const port = uint16At(header, FIXED_BYTES + 2 * bytes.length)
  return { address: parseAddress(text) ?? text, port }
}

function groupsOf(address: Uint8Array): string[] {
  return Array.from({ length: address.length / 2 }, (_, group) => uint16At(address, 2 * group).toString(16))
}

function uint16At(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}
