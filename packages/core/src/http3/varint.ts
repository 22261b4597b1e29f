/** Maximum length of a variable-length integer in bytes. */
export const MAX_VARINT_BYTES = 8

/** Largest values that fit into one, two and four bytes. */
const MAX_1 = 63
const MAX_2 = 16_383
const MAX_4 = 2 ** 30 - 1

/** Returns the length of a variable-length integer, given its first byte (RFC 9000 §16). */
export function varintLength(firstByte: number): number {
  return 1 << (firstByte >> 6)
}

/**
 * Reads the variable-length integer at `at`. All its bytes must be in `bytes`.
 *
 * Values above 2^53 are rounded. HTTP/3 counts never become that large, and identifiers that are only compared need not
 * be exact.
 */
export function readVarint(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  const end = at + varintLength(first)
  let value = first & 0x3f
  for (let i = at + 1; i < end; i++) value = value * 256 + (bytes[i] ?? 0)
  return value
}

/** Returns the encoded length of `value` in bytes. */
export function encodedVarintLength(value: number): number {
  return value <= MAX_1 ? 1 : value <= MAX_2 ? 2 : value <= MAX_4 ? 4 : 8
}

/**
 * Writes `value` in its shortest form.
 *
 * @param value Integer from 0 to `Number.MAX_SAFE_INTEGER`
 * @returns The offset after the written bytes
 */
export function writeVarint(target: Buffer, value: number, at: number): number {
  if (value <= MAX_1) return target.writeUInt8(value, at)
  if (value <= MAX_2) return target.writeUInt16BE(value | 0x4000, at)
  if (value <= MAX_4) return target.writeUInt32BE((value | 0x8000_0000) >>> 0, at)
  target.writeUInt32BE((Math.floor(value / 2 ** 32) | 0xc000_0000) >>> 0, at)
  return target.writeUInt32BE(value % 2 ** 32, at + 4)
}
