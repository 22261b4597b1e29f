import { decodeHuffmanInto, maxDecodedBytes } from '../engine/huffman.ts'
import { HpackError } from './hpack-error.ts'
import { isName, isValue, knownName, receivedField } from './hpack-field.ts'
import type { ReceivedField } from './hpack-field.ts'
import { readInteger } from './hpack-integer.ts'
import type { BlockCursor } from './hpack-integer.ts'

const HUFFMAN = 0x80
/** Large enough for nearly every field; what is larger has memory of its own. */
const scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Reads the strings of a literal and moves the cursor behind them.
 *
 * @param named The field that has the name already, if the name is not a string of its own
 * @throws {HpackError} if a string breaks off or is not in Huffman code although it says so
 * @see RFC 7541 §6.2
 */
export function readLiteral(cursor: BlockCursor, named: ReceivedField | undefined): ReceivedField {
  let name
  let isNameValid
  if (named === undefined) {
    const octets = readString(cursor)
    name = knownName(octets.bytes.toString('latin1', octets.at, octets.end))
    isNameValid = isName(octets.bytes, octets.at, octets.end)
  } else {
    name = named.name
    isNameValid = named.isNameValid
  }
  const { bytes, at, end } = readString(cursor)
  return receivedField(name, bytes.toString('latin1', at, end), isNameValid, isValue(bytes, at, end))
}

/**
 * @returns Where the octets of the string stand, until the next call
 * @see RFC 7541 §5.2
 */
function readString(cursor: BlockCursor): BlockCursor {
  const { bytes } = cursor
  const isHuffman = cursor.at < cursor.end && ((bytes[cursor.at] ?? 0) & HUFFMAN) !== 0
  const length = readInteger(cursor, 7)
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
