import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import parseRanges from 'range-parser'
import { parseRange } from '../src/http/range.ts'

/** A `Range` field and the file's size. */
interface Input {
  readonly field: string
  readonly size: number
}

const NUMBERS: readonly string[] = [
  '0',
  '1',
  '4',
  '9',
  '10',
  '11',
  '007',
  '',
  '99999999999999999999',
  '9007199254740993',
]
const PIECES: readonly string[] = [
  '-',
  '--',
  ',',
  ' ',
  '\t',
  '=',
  'bytes',
  'BYTES=',
  '0',
  '5',
  '+',
  '.',
  'e1',
  '-0',
  '\u00a0',
]
const SIZES: readonly number[] = [0, 1, 2, 10, 10, 10, 11, 2 ** 32, Number.MAX_SAFE_INTEGER]
/** The list syntax of RFC 9110 §5.6.1 around one range of decimal digits. */
const ONE_RANGE = /^[ \t]*bytes=[ \t,]*([0-9]*)-([0-9]*)[ \t,]*$/i

const target: FuzzTarget<Input> = {
  parser: 'Range (RFC 9110 §14.2), compared with range-parser',
  generate: (random) => ({ field: field(random), size: random.pick(SIZES) }),
  check({ field: value, size }) {
    const range = parseRange(value, size)
    const expected = reference(value, size)
    assert.deepEqual(range, expected)
    if (typeof range === 'object') {
      assert.ok(range.start >= 0 && range.start <= range.end && range.end < size, 'A range extends beyond the file')
      // range-parser does not support empty members, a unit in capitals, or a suffix longer than the file.
      if (!/^bytes=\d+-\d*$/.test(value)) return
      assert.deepEqual(parseRanges(size, value), Object.assign([{ ...range }], { type: 'bytes' }))
    }
  },
}
export default target

function field(random: Random): string {
  if (random.chance(0.005)) return `bytes=${random.pick(PIECES).repeat(random.below(16_000))}`
  const range = (): string => `${random.pick(NUMBERS)}-${random.pick(NUMBERS)}`
  const text = `bytes=${[range(), ...random.list(0.15, range)].join(random.pick([',', ', ', ' ,']))}`
  return random.chance(0.4) ? mutate(text, random, PIECES) : text
}

/** The maximum size of a file. Larger positions need not be distinguished. */
const MAX_POSITION = BigInt(Number.MAX_SAFE_INTEGER)

/** Reads one range with exact integers, as RFC 9110 §14.1.2 defines it. */
function reference(value: string, size: number): ReturnType<typeof parseRange> {
  const [, first, last] = ONE_RANGE.exec(value) ?? []
  if (size === 0 || first === undefined || last === undefined || (first === '' && last === '')) return undefined
  const length = BigInt(size)
  if (first === '') {
    const suffix = position(last)
    if (suffix === 0n) return 'unsatisfiable'
    return { start: Number(suffix > length ? 0n : length - suffix), end: size - 1 }
  }
  const start = position(first)
  const end = last === '' ? length - 1n : position(last)
  if (end < start && last !== '') return undefined
  if (start >= length) return 'unsatisfiable'
  return { start: Number(start), end: Number(end >= length ? length - 1n : end) }
}

function position(digits: string): bigint {
  const exact = BigInt(digits)
  return exact > MAX_POSITION ? MAX_POSITION : exact
}
