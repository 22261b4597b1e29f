import { STATIC_TABLE } from '../../src/http3/qpack/static-table.ts'
import { readHuffman } from './huffman-reference.ts'

/** Fields of a section up to its first error. */
export interface ReadSection {
  /** Alternating names and values. */
  readonly fields: readonly string[]
  /** Whether the section is valid without a dynamic table. */
  readonly isComplete: boolean
}

class Invalid extends Error {}

/** Maximum number of continuation bytes: enough for the 62 bits of RFC 9204 §4.1.1. */
const MAX_CONTINUATION_BYTES = 9

/** Reads a field section with a simple implementation of RFC 9204 §4.5 and exact integers. */
export function readFieldSection(bytes: Buffer): ReadSection {
  const fields: string[] = []
  let at = 0
  try {
    if (integer(8) !== 0n) throw new Invalid()
    if ((peek() & 0x80) !== 0) throw new Invalid()
    integer(7)
    while (at < bytes.length) {
      const first = peek()
      if (first >= 0xc0) fields.push(...entry(integer(6)))
      else if (first >= 0x80) throw new Invalid()
      else if (first >= 0x50 && (first & 0x10) !== 0) fields.push(entry(integer(4))[0], text(7))
      else if (first >= 0x40) throw new Invalid()
      else if (first >= 0x20) fields.push(text(3), text(7))
      else throw new Invalid()
    }
    return { fields, isComplete: true }
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return { fields: fields.slice(0, fields.length - (fields.length % 2)), isComplete: false }
  }

  function peek(): number {
    return bytes[at] ?? 0
  }

  function next(): bigint {
    const byte = bytes[at++]
    if (byte === undefined) throw new Invalid()
    return BigInt(byte)
  }

  function integer(prefixBits: number): bigint {
    const most = 2n ** BigInt(prefixBits) - 1n
    let value = next() & most
    if (value < most) return value
    for (let shift = 0n; shift < 7n * BigInt(MAX_CONTINUATION_BYTES); shift += 7n) {
      const byte = next()
      value += (byte & 0x7fn) << shift
      if (byte < 0x80n) return value
    }
    throw new Invalid()
  }

  function text(prefixBits: number): string {
    const isHuffman = (peek() & (1 << prefixBits)) !== 0
    const length = integer(prefixBits)
    if (length > BigInt(bytes.length - at)) throw new Invalid()
    const slice = bytes.subarray(at, at + Number(length))
    at += Number(length)
    const value = isHuffman ? readHuffman(slice) : slice.toString('latin1')
    if (value === undefined) throw new Invalid()
    return value
  }
}

function entry(index: bigint): readonly [string, string] {
  const found = STATIC_TABLE[Number(index)]
  if (found === undefined) throw new Invalid()
  return found
}
