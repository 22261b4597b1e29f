import { ProtocolError } from '../../engine/errors.ts'
import { ErrorCode, Http3Error } from '../errors.ts'
import { decodeHuffman } from '../../engine/fields/huffman.ts'
import { STATIC_TABLE } from './static-table.ts'

/** Bytes that RFC 9114 §4.2.2 adds to the size of each field. */
const FIELD_OVERHEAD_BYTES = 32
/**
 * Maximum number of continuation bytes in an integer: enough for the 62 bits that RFC 9204 §4.1.1 requires. Values
 * above 2^53 are rounded, which is harmless because they exceed every limit.
 */
const MAX_CONTINUATION_BYTES = 9
const BASE_SIGN = 0x80

/** Limits of a field section. */
export interface FieldSectionLimits {
  /** Maximum size: the bytes of names and values plus 32 for each field (RFC 9114 §4.2.2). */
  readonly maxBytes: number
  readonly maxFields: number
}

/**
 * Decodes a field section that uses no dynamic table.
 *
 * @returns Alternating names and values, as received, in Latin-1
 * @throws {Http3Error} QPACK_DECOMPRESSION_FAILED if the section is invalid or refers to a dynamic table
 * @throws {ProtocolError} 431 if the section exceeds the limits
 * @see RFC 9204 §4.5
 */
export function decodeFieldSection(section: Uint8Array, limits: FieldSectionLimits): string[] {
  const cursor = new Cursor(section)
  if (cursor.integer(8) !== 0) throw failed('it needs a dynamic table')
  // §4.5.1.2: without insertions the Base has no meaning, but it must not be negative.
  if ((cursor.peek() & BASE_SIGN) !== 0) throw failed('its Base is below 0')
  cursor.integer(7)

  const fields: string[] = []
  let bytes = 0
  while (!cursor.isAtEnd) {
    readFieldLine(cursor, fields)
    const size = (fields.at(-2)?.length ?? 0) + (fields.at(-1)?.length ?? 0) + FIELD_OVERHEAD_BYTES
    if ((bytes += size) > limits.maxBytes) throw new ProtocolError(431, 'Fields too large', 'stream')
    if (fields.length > limits.maxFields * 2) throw new ProtocolError(431, 'Too many fields', 'stream')
  }
  return fields
}

/** @see RFC 9204 §4.5.2 to §4.5.6 */
function readFieldLine(cursor: Cursor, fields: string[]): void {
  const first = cursor.peek()
  if ((first & 0b1100_0000) === 0b1100_0000) {
    fields.push(...staticField(cursor.integer(6)))
  } else if ((first & 0b1101_0000) === 0b0101_0000) {
    const [name] = staticField(cursor.integer(4))
    fields.push(name, cursor.string(7))
  } else if ((first & 0b1110_0000) === 0b0010_0000) {
    const name = cursor.string(3)
    fields.push(name, cursor.string(7))
  } else throw failed('it refers to a dynamic table')
}

function staticField(index: number): readonly [name: string, value: string] {
  const field = STATIC_TABLE[index]
  if (field === undefined) throw failed('it refers to an index beyond the static table')
  return field
}

function failed(reason: string): Http3Error {
  return new Http3Error(ErrorCode.QPACK_DECOMPRESSION_FAILED, `Cannot decode a field section: ${reason}`)
}

/** Reads the primitives that RFC 9204 §4.1 defines, in order. */
class Cursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.byteLength
  }

  peek(): number {
    return this.#bytes[this.#at] ?? 0
  }

  /** Reads an integer from the low `prefixBits` bits of a byte and its continuation bytes (RFC 7541 §5.1). */
  integer(prefixBits: number): number {
    const max = 2 ** prefixBits - 1
    let value = this.#next() & max
    if (value < max) return value
    for (let bytes = 0; bytes < MAX_CONTINUATION_BYTES; bytes++) {
      const byte = this.#next()
      value += (byte & 0x7f) * 128 ** bytes
      if (byte < 0x80) return value
    }
    throw failed('an integer is too large')
  }

  /** Reads a string with a length prefix of `prefixBits` bits. The bit before the prefix marks Huffman coding. */
  string(prefixBits: number): string {
    const isHuffman = (this.peek() & (1 << prefixBits)) !== 0
    const length = this.integer(prefixBits)
    const start = this.#at
    this.#at += length
    if (this.#at > this.#bytes.byteLength) throw failed('it is truncated')
    if (!isHuffman) return this.#bytes.toString('latin1', start, this.#at)
    const decoded = decodeHuffman(this.#bytes, start, this.#at)
    if (decoded === undefined) throw failed('a string has an invalid Huffman code')
    return decoded
  }

  #next(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw failed('it is truncated')
    return byte
  }
}
