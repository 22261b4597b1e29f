/** Bytes of the longest variable-length integer. */
export const MAX_VARINT_BYTES = 8

/** Largest value that one byte, two bytes and four bytes hold. */
const MAX_1 = 63
const MAX_2 = 16_383
const MAX_4 = 2 ** 30 - 1

/** Bytes that a variable-length integer takes, told by its first one (RFC 9000 §16). */
export function varintLength(firstByte: number): number {
  return 1 << (firstByte >> 6)
}

/**
 * Reads the variable-length integer at `at`, all of whose bytes must be there.
 *
 * Values above 2^53 are rounded: what HTTP/3 counts never gets there, and what it only compares need not be exact.
 */
export function readVarint(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  const end = at + varintLength(first)
  let value = first & 0x3f
  for (let i = at + 1; i < end; i++) value = value * 256 + (bytes[i] ?? 0)
  return value
}

/** Bytes that `value` takes when it is written. */
export function encodedVarintLength(value: number): number {
  return value <= MAX_1 ? 1 : value <= MAX_2 ? 2 : value <= MAX_4 ? 4 : 8
}

/**
 * Writes `value` in its shortest form.
 *
 * @param value Whole number up to `Number.MAX_SAFE_INTEGER`
 * @returns Where the next byte goes
 */
export function writeVarint(target: Buffer, value: number, at: number): number {
  if (value <= MAX_1) return target.writeUInt8(value, at)
  if (value <= MAX_2) return target.writeUInt16BE(value | 0x4000, at)
  if (value <= MAX_4) return target.writeUInt32BE((value | 0x8000_0000) >>> 0, at)
  target.writeUInt32BE((Math.floor(value / 2 ** 32) | 0xc000_0000) >>> 0, at)
  return target.writeUInt32BE(value % 2 ** 32, at + 4)
}
