import assert from 'node:assert/strict'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { encodeHuffman, huffmanBytes } from '../src/engine/fields/huffman.ts'
import { ProtocolError } from '../src/engine/errors.ts'
import { ErrorCode, Http3Error } from '../src/http3/errors.ts'
import { decodeFieldSection } from '../src/http3/qpack/decoder.ts'
import { encodeFieldSection } from '../src/http3/qpack/encoder.ts'
import { STATIC_TABLE } from '../src/http3/qpack/static-table.ts'
import { integer } from '../test/http2/hpack.ts'
import { readFieldSection } from './fields/qpack-reference.ts'
import { requestFields } from './http2/request-grammar.ts'

const LIMITS = { maxBytes: 2000, maxFields: 20 }
const PIECES: readonly string[] = [
  '\x00',
  '\xff',
  '\xc0',
  '\x50',
  '\x20',
  '\x27',
  '\x2f',
  '\x80',
  '\x7f',
  '\x10',
  '\x40',
  '\x01',
  '\xd1',
]

const target: FuzzTarget<string> = {
  parser: 'QPACK field sections without a dynamic table (RFC 9204), compared with a simple reader',
  generate: section,
  check(text) {
    const bytes = Buffer.from(text, 'latin1')
    const expected = readFieldSection(bytes)
    let fields
    try {
      fields = decodeFieldSection(bytes, LIMITS)
    } catch (error) {
      if (error instanceof ProtocolError) {
        assert.equal(error.status, 431)
        assert.ok(exceeds(expected.fields), 'A section within the limits is too large')
      } else {
        assert.ok(error instanceof Http3Error && error.code === ErrorCode.QPACK_DECOMPRESSION_FAILED)
        assert.ok(!expected.isComplete, 'A valid section is refused')
      }
      return
    }
    assert.ok(expected.isComplete, 'An invalid section is decoded')
    assert.deepEqual(fields, expected.fields)
    assert.ok(!exceeds(fields))
    assert.deepEqual(decodeFieldSection(encodeFieldSection(fields), LIMITS), fields)
  },
}
export default target

function section(random: Random): string {
  if (random.chance(0.002)) return `\0\0${random.pick(PIECES).repeat(random.below(16_000))}`
  if (random.chance(0.02)) return randomBytes(random, 40)
  const prefix = random.chance(0.97)
    ? Buffer.of(0, random.pick([0, 0, 0, 1, 0x7f]))
    : Buffer.of(random.below(256), random.below(256))
  const lines = requestFields(random, undefined).flatMap(([name, value]) => fieldLine(random, name, value))
  const text = Buffer.concat([prefix, ...lines]).toString('latin1')
  return random.chance(0.15) ? mutate(text, random, PIECES) : text
}

/** Encodes a field in a random valid representation (RFC 9204 §4.5). */
function fieldLine(random: Random, name: string, value: string): Buffer[] {
  const never = random.pick([0, 0, 0x20])
  const whole = STATIC_TABLE.findIndex(([n, v]) => n === name && v === value)
  if (whole >= 0 && random.chance(0.8)) return [integer(whole, 6, 0xc0)]
  const known = STATIC_TABLE.findIndex(([n]) => n === name)
  if (known >= 0 && random.chance(0.8)) return [integer(known, 4, 0x50 | never), stringLiteral(random, value, 7, 0)]
  return [stringLiteral(random, name, 3, 0x20 | (never >> 1)), stringLiteral(random, value, 7, 0)]
}

function stringLiteral(random: Random, value: string, prefixBits: number, flags: number): Buffer {
  if (random.chance(0.5)) {
    return Buffer.concat([integer(value.length, prefixBits, flags), Buffer.from(value, 'latin1')])
  }
  const coded = Buffer.alloc(huffmanBytes(value))
  encodeHuffman(value, coded, 0)
  return Buffer.concat([integer(coded.length, prefixBits, flags | (1 << prefixBits)), coded])
}

function exceeds(fields: readonly string[]): boolean {
  const bytes = fields.reduce((sum, each) => sum + each.length + 16, 0)
  return bytes > LIMITS.maxBytes || fields.length > LIMITS.maxFields * 2
}
