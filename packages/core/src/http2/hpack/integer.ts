import { HpackError } from './error.ts'

/** What a block is read by. */
export interface BlockCursor {
  bytes: Buffer
  at: number
  end: number
}

/** No index, length or size that means anything is larger. */
const MAX_INTEGER = 2 ** 31
/** Octets behind the prefix: five hold 35 bits. More could only add zeros. */
const MAX_CONTINUATION_OCTETS = 5

/**
 * Reads an integer that begins in the low bits of an octet, and moves the cursor behind it.
 *
 * @throws {HpackError} if it breaks off, is larger than 2^31 or has more than five octets behind the first
 * @see RFC 7541 §5.1
 */
export function readInteger(cursor: BlockCursor, prefixBits: number): number {
  const max = (1 << prefixBits) - 1
  let value = nextOctet(cursor) & max
  if (value < max) return value
  for (let octets = 0, factor = 1; octets < MAX_CONTINUATION_OCTETS; octets++, factor *= 128) {
    const octet = nextOctet(cursor)
    value += (octet & 0x7f) * factor
    if (value > MAX_INTEGER) break
    if (octet < 0x80) return value
  }
  throw new HpackError('an integer is too large')
}

function nextOctet(cursor: BlockCursor): number {
  if (cursor.at >= cursor.end) throw new HpackError('it breaks off')
  return cursor.bytes[cursor.at++] ?? 0
}

/**
 * Writes an integer behind the flags of its first octet, in six octets at most.
 *
 * @param value Up to 2^31
 * @returns Where the octets end
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
