/** A part of a representation: bytes `start` to `end`, both inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Matches one byte range. The list syntax in RFC 9110 §5.6.1 allows empty members around it. */
const SINGLE_RANGE = /^[\t ]*bytes=[\t ,]*(\d*)-(\d*)[\t ,]*$/i

/**
 * Parses a `Range` field for a representation of `size` bytes.
 *
 * @returns The range to send as 206, `undefined` to send the whole representation as 200, or `'unsatisfiable'` to answer 416
 * @see RFC 9110 §14.1.2 (byte ranges), §14.2 (range)
 *
 * @example
 * parseRange('bytes=0-4', 10)   // { start: 0, end: 4 }
 * parseRange('bytes=-3', 10)    // { start: 7, end: 9 }
 * parseRange('bytes=10-', 10)   // 'unsatisfiable'
 * parseRange('bytes=0-1,4-5', 10) // undefined: several ranges get a 200
 */
export function parseRange(field: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  // Some clients send Range with every request. An empty representation cannot satisfy a range, so send it whole.
  if (size === 0) return undefined

  // §14.2: an unknown unit MUST be ignored, an invalid range set MAY be.
  const match = SINGLE_RANGE.exec(field)
  if (match === null) return undefined
  const [, first = '', last = ''] = match

  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }

  const start = clamp(first)
  const end = last === '' ? Number.MAX_SAFE_INTEGER : clamp(last)
  // §14.1.1: a last position before the first makes the set invalid, not unsatisfiable.
  if (end < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) }
}

/** Converts digits to a number, clamped to 2^53-1. No file is that large. */
function clamp(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}
