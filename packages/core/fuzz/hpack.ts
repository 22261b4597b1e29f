import assert from 'node:assert/strict'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { HpackDecoder } from '../src/http2/hpack/decoder.ts'
import { HpackEncoder } from '../src/http2/hpack/encoder.ts'
import { HpackError } from '../src/http2/hpack/error.ts'
import type { FieldSection } from '../src/http2/hpack/field.ts'
import type { Field } from '../test/http2/hpack.ts'
import { HpackGrammar } from './http2/hpack-grammar.ts'
import { HpackReader } from './http2/hpack-reader.ts'
import { requestFields } from './http2/request-grammar.ts'

/**
 * Input: the field blocks on a connection, one character per byte, and the table sizes that the peer permits, in order.
 */
interface Input {
  readonly blocks: readonly string[]
  readonly tableBytes: readonly number[]
}

const TABLE_BYTES = 4096
const MAX_LIST_BYTES = 2000
/** Reasons why this decoder rejects blocks that RFC 7541 permits. */
const STRICTER = /an integer is too large|more than two table size updates/
const PIECES: readonly string[] = [
  '\x80',
  '\xff',
  '\x00',
  '\x40',
  '\x20',
  '\x3f',
  '\x82',
  '\x7f',
  '\x8a',
  '\x01',
  '\x0f',
  '\xbe',
]

const target: FuzzTarget<Input> = {
  parser: 'HPACK (RFC 7541): field blocks compared with a simple reader, and the encoder output',
  generate(random) {
    const grammar = new HpackGrammar(random)
    const blocks = [block(grammar, random), ...random.list(0.7, () => block(grammar, random))]
    return { blocks, tableBytes: random.list(0.5, () => random.pick([0, 40, 100, 1000, 4096, 65_536])) }
  },
  check({ blocks, tableBytes }) {
    const sections = checkDecoder(blocks)
    checkEncoder(
      sections.filter(({ isTooLarge }) => !isTooLarge),
      tableBytes,
    )
  },
}
export default target

function block(grammar: HpackGrammar, random: Random): string {
  if (random.chance(0.002)) return random.pick(PIECES).repeat(random.below(16_000))
  const known = random.chance(0.2) ? grammar.repeatedBlock() : undefined
  const bytes = known ?? (random.chance(0.03) ? grammar.brokenBlock() : grammar.block(requestFields(random, undefined)))
  const text = bytes.toString('latin1')
  if (random.chance(0.02)) return randomBytes(random, 40)
  return random.chance(0.1) ? mutate(text, random, PIECES) : text
}

/** Returns the sections up to the first invalid block, which closes the connection. */
function checkDecoder(blocks: readonly string[]): FieldSection[] {
  const decoder = new HpackDecoder(TABLE_BYTES, MAX_LIST_BYTES)
  const reader = new HpackReader()
  const sections: FieldSection[] = []
  for (const text of blocks) {
    // A block can be at any offset in a frame's memory.
    const frame = Buffer.from(`#${text}#`, 'latin1')
    let section
    try {
      section = decoder.decode(frame, 1, frame.length - 1)
    } catch (error) {
      assert.ok(error instanceof HpackError)
      if (!STRICTER.test(error.message)) assert.throws(() => reader.read(frame.subarray(1, -1)))
      return sections
    }
    const fields = reader.read(frame.subarray(1, -1))
    frame.fill('#')
    checkSection(section, fields)
    sections.push(section)
  }
  return sections
}

function checkSection({ fields, listBytes, isTooLarge, isWellFormed }: FieldSection, expected: readonly Field[]): void {
  let bytes = 0
  const fitting = expected.filter(([name, value]) => (bytes += name.length + value.length + 32) <= MAX_LIST_BYTES)
  assert.deepEqual(fields, fitting.flat())
  assert.equal(listBytes, bytes)
  assert.equal(isTooLarge, bytes > MAX_LIST_BYTES)
  assert.equal(isWellFormed, fitting.every(isValid))
}

/** Reports whether a field is valid (RFC 9113 §8.2.1). */
function isValid([name, value]: Field): boolean {
  if (!/^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) return false
  return /^(?![ \t])[\t -~\x80-\xff]*$/.test(value) && !/[ \t]$/.test(value)
}

/** Checks that two decoders find the same fields in encoded blocks, which fit into `maxBytes`, for all table sizes. */
function checkEncoder(sections: readonly FieldSection[], tableBytes: readonly number[]): void {
  const encoder = new HpackEncoder()
  const reader = new HpackReader()
  const decoder = new HpackDecoder(TABLE_BYTES, MAX_LIST_BYTES)
  for (const [at, { fields }] of sections.entries()) {
    const size = tableBytes[at]
    if (size !== undefined) {
      encoder.setMaxTableBytes(size)
      reader.setLimit(size)
    }
    const sent = fields.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text))
    const room = Buffer.alloc(HpackEncoder.maxBytes(sent))
    const end = encoder.encode(200, sent, room, 0)
    assert.ok(end >= 0 && end <= room.length)
    assert.equal(
      encoder.encode(200, sent, room.subarray(1), 0),
      -1,
      'The encoder succeeds in a buffer that is too small',
    )
    const expected = [':status', '200', ...sent]
    assert.deepEqual(reader.read(room.subarray(0, end)).flat(), expected)
    // A section that is too large drops fields, but still updates the table.
    const decoded = decoder.decode(room, 0, end)
    if (!decoded.isTooLarge) assert.deepEqual(decoded.fields, expected)
  }
}
