import { HpackError } from './error.ts'

/** What a block is read by. */
export interface BlockCursor {
  bytes: Buffer
  at: number
  end: number
}

/** No index, length or size that means anything is larger. */
const MAX_INTEGER = 2 ** 31
/** Bytes behind the prefix: five hold 35 bits. More could only add zeros. */
const MAX_CONTINUATION_BYTES = 5

/**
 * Reads an integer that begins in the low bits of a byte, and moves the cursor behind it.
 *
 * @throws {HpackError} if it breaks off, is larger than 2^31 or has more than five bytes behind the first
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
  if (cursor.at >= cursor.end) throw new HpackError('it breaks off')
  return cursor.bytes[cursor.at++] ?? 0
}

/**
 * Writes an integer behind the flags of its first byte, in six bytes at most.
 *
 * @param value Up to 2^31
 * @returns Where the bytes end
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
