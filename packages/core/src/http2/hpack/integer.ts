import { HpackError } from './error.ts'

/** Position in a field block. */
export interface BlockCursor {
  bytes: Buffer
  at: number
  end: number
}

/** Maximum integer; no valid index, length or size is larger. */
const MAX_INTEGER = 2 ** 31
/** Maximum bytes after the prefix. Five bytes contain 35 bits; more could only add zeros. */
const MAX_CONTINUATION_BYTES = 5

/**
 * Reads an integer that begins in the low bits of a byte, and moves the cursor past it.
 *
 * @throws {HpackError} if the integer is truncated, exceeds 2^31 or has more than five bytes after the first
 * @see RFC 7541 §5.1
 */
export function readInteger(cursor: BlockCursor, prefixBits: number): number {
  const max = (1 << prefixBits) - 1
  let value = nextByte(cursor) & max
  if (value < max) return value
  for (let bytes = 0, factor = 1; bytes < MAX_CONTINUATION_BYTES; bytes++, factor *= 128) {
    const byte = nextByte(cursor)
    value += (byte & 0x7f) * factor
    if (value > MAX_INTEGER) break
    if (byte < 0x80) return value
  }
  throw new HpackError('an integer is too large')
}

function nextByte(cursor: BlockCursor): number {
  if (cursor.at >= cursor.end) throw new HpackError('it is truncated')
  return cursor.bytes[cursor.at++] ?? 0
}

/**
 * Writes an integer after the flags of its first byte, in at most six bytes.
 *
 * @param value At most 2^31
 * @returns End of the written bytes
 * @see RFC 7541 §5.1
 */
export function writeInteger(target: Buffer, at: number, flags: number, prefixBits: number, value: number): number {
  const max = (1 << prefixBits) - 1
  if (value < max) {
    target[at] = flags | value
    return at + 1
  }
  target[at] = flags | max
  let next = at + 1
  let rest = value - max
  for (; rest >= 128; rest >>>= 7) target[next++] = rest | 0x80
  target[next] = rest
  return next + 1
}
