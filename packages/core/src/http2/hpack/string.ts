import { decodeHuffmanInto, encodeHuffman, huffmanBytes, maxDecodedBytes } from '../../engine/fields/huffman.ts'
import { HpackError } from './error.ts'
import { readInteger, writeInteger } from './integer.ts'
import type { BlockCursor } from './integer.ts'

/** Flag in the first byte of a Huffman-coded string. */
const HUFFMAN = 0x80
/** Prefix bits of a string length (RFC 7541 §5.2). */
export const STRING_LENGTH_BITS = 7
/** Maximum bytes of an encoded string length. */
const MAX_LENGTH_BYTES = 6

/** Shared buffer for decoded strings. A larger string is decoded into its own buffer. */
const scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Reads a string literal and moves the cursor past it.
 *
 * @returns Position of the decoded bytes, valid until the next call
 * @throws {HpackError} if the string is truncated or its Huffman code is invalid
 * @see RFC 7541 §5.2
 */
export function readString(cursor: BlockCursor): BlockCursor {
  const { bytes } = cursor
  const isHuffman = cursor.at < cursor.end && ((bytes[cursor.at] ?? 0) & HUFFMAN) !== 0
  const length = readInteger(cursor, STRING_LENGTH_BITS)
  const start = cursor.at
  const end = start + length
  if (end > cursor.end) throw new HpackError('it is truncated')
  cursor.at = end
  if (!isHuffman) return { bytes, at: start, end }
  const room = maxDecodedBytes(length)
  const target = room <= scratch.length ? scratch : Buffer.allocUnsafe(room)
  const decoded = decodeHuffmanInto(bytes, start, end, target)
  if (decoded < 0) throw new HpackError('a string has invalid Huffman code')
  return { bytes: target, at: 0, end: decoded }
}

/**
 * Encodes a Latin-1 string as a string literal, Huffman-encoded if that is shorter.
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
