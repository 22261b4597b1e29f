import type { Coding } from './precompressed.ts'

/** Folded into the first number of a tag, so that a sidecar never shares its tag with the plain file. */
const CODING_NUMBER: Readonly<Record<Coding, bigint>> = { identity: 0n, gzip: 1n, br: 2n, zstd: 3n }

/** Bits of the first number; below zero (times before 1970) it wraps, as a tag has no sign. */
const FIRST_NUMBER_BITS = 72

/** One entity-tag and what separates it from the next (RFC 9110 §8.8.3, §5.6.1). */
const LIST_MEMBER = /[\t ,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/y

/**
 * The strong validator of a stored representation: `"0x<hex>-0x<hex>"` of modification time and size.
 *
 * @param mtimeNs Nanoseconds since the Unix epoch
 * @param size In bytes, of the file that is sent
 * @see RFC 9110 §8.8.3
 */
export function strongETag(mtimeNs: bigint, size: bigint, coding: Coding): string {
  const first = BigInt.asUintN(FIRST_NUMBER_BITS, mtimeNs * 4n + CODING_NUMBER[coding])
  return `"0x${first.toString(16)}-0x${size.toString(16)}"`
}

/**
 * Whether a list of entity-tags, as in `If-None-Match`, names `etag` whether or not one of the two is weak.
 * The list is read as far as it is well-formed.
 *
 * @see RFC 9110 §8.8.3.2 (weak comparison)
 */
export function matchesWeakly(list: string, etag: string): boolean {
  // What nearly every client sends back: the one tag that it was given.
  if (list === etag) return true
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag
  return someTag(list, (_, tag) => tag === opaque)
}

/**
 * Whether a list of entity-tags, as in `If-Match`, names `etag` and both are strong.
 * The list is read as far as it is well-formed.
 *
 * @see RFC 9110 §8.8.3.2 (strong comparison)
 */
export function matchesStrongly(list: string, etag: string): boolean {
  return someTag(list, (isWeak, tag) => !isWeak && tag === etag)
}

function someTag(list: string, matches: (isWeak: boolean, tag: string) => boolean): boolean {
  LIST_MEMBER.lastIndex = 0
  for (let found = LIST_MEMBER.exec(list); found !== null; found = LIST_MEMBER.exec(list)) {
    if (matches(found[1] !== undefined, found[2] ?? '')) return true
  }
  return false
}
