/** The polynomial of CRC-32C (RFC 3720 §B.4), reflected. */
const POLYNOMIAL = 0x82f63b78

let table: Uint32Array | undefined

/**
 * Continues a CRC-32C checksum (RFC 9260 §A).
 *
 * @param checksum The checksum of the preceding bytes. Default 0, for no preceding bytes
 *
 * @example
 * crc32c(Buffer.from('123456789'))    // 0xe3069283
 */
export function crc32c(bytes: Uint8Array, checksum: number = 0): number {
  const steps = (table ??= remainders())
  let rest = ~checksum
  for (const byte of bytes) rest = (steps[(rest ^ byte) & 0xff] ?? 0) ^ (rest >>> 8)
  return ~rest >>> 0
}

/** Returns the remainder of each byte value. */
function remainders(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
    return rest
  })
}
