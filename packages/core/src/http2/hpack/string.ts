import { decodeHuffmanInto, encodeHuffman, huffmanBytes, maxDecodedBytes } from '../../engine/fields/huffman.ts'
import { HpackError } from './error.ts'
import { readInteger, writeInteger } from './integer.ts'
import type { BlockCursor } from './integer.ts'

/** In the first byte: the string is in Huffman code. */
const HUFFMAN = 0x80
export const STRING_LENGTH_BITS = 7
/** The most bytes that the length of a string takes. */
const MAX_LENGTH_BYTES = 6

/** Large enough for nearly every string; what is larger has memory of its own. */
const scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Reads a string literal and moves the cursor behind it.
 *
 * @returns Where the bytes of the string stand, until the next call
 * @throws {HpackError} if it breaks off or is not in Huffman code although it says so
 * @see RFC 7541 §5.2
 */
export function readString(cursor: BlockCursor): BlockCursor {
  const { bytes } = cursor
  const isHuffman = cursor.at < cursor.end && ((bytes[cursor.at] ?? 0) & HUFFMAN) !== 0
  const length = readInteger(cursor, STRING_LENGTH_BITS)
  const start = cursor.at
  const end = start + length
  if (end > cursor.end) throw new HpackError('it breaks off')
  cursor.at = end
  if (!isHuffman) return { bytes, at: start, end }
  const room = maxDecodedBytes(length)
  const target = room <= scratch.length ? scratch : Buffer.allocUnsafe(room)
  const decoded = decodeHuffmanInto(bytes, start, end, target)
  if (decoded < 0) throw new HpackError('a string is not in Huffman code')
  return { bytes: target, at: 0, end: decoded }
}

/**
 * A text, latin1, as a string literal, in Huffman code if that is shorter.
 *
 * @see RFC 7541 §5.2
 */
export function stringLiteral(text: string): Uint8Array {
  const coded = huffmanBytes(text)
  const isShorter = coded < text.length
  const literal = Buffer.allocUnsafeSlow(MAX_LENGTH_BYTES + Math.min(coded, text.length))
  const at = writeInteger(literal, 0, isShorter ? HUFFMAN : 0, STRING_LENGTH_BITS, isShorter ? coded : text.length)
  const end = isShorter ? encodeHuffman(text, literal, at) : at + literal.write(text, at, 'latin1')
  return Uint8Array.from(literal.subarray(0, end))
}
