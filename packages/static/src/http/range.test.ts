import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRange } from './range.ts'

const whole = undefined
it.each([
  // field, size, want
  ['bytes=0-4', 10, { start: 0, end: 4 }],
  ['BYTES=0-4', 10, { start: 0, end: 4 }],
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-15', 10, { start: 0, end: 9 }],
  ['bytes=-18446744073709551616', 10, { start: 0, end: 9 }],
  ['bytes=5-1000', 10, { start: 5, end: 9 }],
  ['bytes=0-18446744073709551615', 10, { start: 0, end: 9 }],
  ['bytes=,0-4 ,', 10, { start: 0, end: 4 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=9007199254740993-', 10, 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable'],
  ['bytes=0-', 0, whole],
  ['bytes=-5', 0, whole],
  ['bytes=5-2', 10, whole],
  ['bytes=-', 10, whole],
  ['bytes=', 10, whole],
  ['bytes=a-b', 10, whole],
  ['bytes=--5', 10, whole],
  ['bytes=+1-2', 10, whole],
  ['bytes=1e1-', 10, whole],
  ['bytes=1-2-3', 10, whole],
  ['bytes=0-4;x', 10, whole],
  ['bytes:0-4', 10, whole],
  ['bytes=0-4\u00a0', 10, whole],
  [' bytes=0-4\t', 10, { start: 0, end: 4 }],
  ['lines=0-1', 10, whole],
  ['bytes=0-1,4-5', 10, whole],
  [`bytes=${'0-0,'.repeat(1000)}0-0`, 10, whole],
  ['', 10, whole],
])('parses %j with size %i as %j', (field, size, want) => {
  expect(parseRange(field, size)).toEqual(want)
})

it('stays within the representation for any requested range', () => {
  const position = fc.oneof(fc.constant(''), fc.nat().map(String), fc.bigInt({ min: 0n, max: 2n ** 80n }).map(String))
  fc.assert(
    fc.property(position, position, fc.nat(), (first, last, size) => {
      const range = parseRange(`bytes=${first}-${last}`, size)
      if (range === undefined || range === 'unsatisfiable') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThanOrEqual(range.start)
      expect(range.end).toBeLessThan(size)
    }),
  )
})
