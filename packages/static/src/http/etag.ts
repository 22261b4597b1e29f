import type { Coding } from './precompressed.ts'

/** Numbers that are added to the first number of a tag, so that a sidecar never shares its tag with the plain file. */
const CODING_NUMBER: Readonly<Record<Coding, bigint>> = { identity: 0n, gzip: 1n, br: 2n, zstd: 3n }

/** Number of bits in the first number. A negative number (a time before 1970) wraps, because a tag has no sign. */
const FIRST_NUMBER_BITS = 72

/**
 * Returns the strong entity-tag of a file: `"0x<hex>-0x<hex>"` of its modification time and size.
 *
 * @param mtimeNs Nanoseconds since the Unix epoch
 * @param size Bytes of the sent file
 * @see RFC 9110 §8.8.3
 */
export function strongETag(mtimeNs: bigint, size: bigint, coding: Coding): string {
  const first = BigInt.asUintN(FIRST_NUMBER_BITS, mtimeNs * 4n + CODING_NUMBER[coding])
  return `"0x${first.toString(16)}-0x${size.toString(16)}"`
}
