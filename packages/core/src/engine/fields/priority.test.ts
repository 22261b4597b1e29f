import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_PRIORITY, parsePriority } from './priority.ts'

describe('parsePriority', () => {
  it.each<[value: string, urgency: number, isIncremental: boolean]>([
    ['', 3, false],
    ['u=0', 0, false],
    ['u=7', 7, false],
    ['i', 3, true],
    ['i=?1', 3, true],
    ['i=?0', 3, false],
    ['u=5, i', 5, true],
    ['i,u=5', 5, true],
    ['i \t,\t u=5', 5, true],
    [' u=1 ', 1, false],
    ['u=1;x=2;y, i;z="a,b"', 1, true],
    ['u=1, u=2', 2, false],
    ['u=01', 1, false],
    ['u=-0', 0, false],
    ['i, i=?0', 3, false],
    ['x="u=0, i", u=6', 6, false],
    ['x=(a "b, u=0" 1.5), y=:AA==:, z=tok/en, u=6', 6, false],
  ])('parses %j as urgency %i, incremental %s', (value, urgency, isIncremental) => {
    expect(parsePriority(value)).toEqual({ urgency, isIncremental })
  })

  it.each(['u=8', 'u=-1', 'u=1.0', 'u="1"', 'u=?1', 'u', 'i=1', 'i=x', 'u=(1)'])(
    'ignores the invalid member value in %j (RFC 9218 §4)',
    (value) => {
      expect(parsePriority(value)).toEqual(DEFAULT_PRIORITY)
    },
  )

  it.each([
    'u=1,',
    ',u=1',
    'u=1 i',
    'U=1',
    'u=',
    'u=1, é',
    'u=1;',
    'u=1, x="',
    '=1',
    'u==1',
    'u=1,,i',
    'u=1;x=1234567890123.5',
  ])('ignores the whole value %j, which is not a dictionary (RFC 9651 §4.2)', (value) => {
    expect(parsePriority(value)).toEqual(DEFAULT_PRIORITY)
  })

  it.each<[value: string, urgency: number, isIncremental: boolean]>([
    ['', 5, true],
    ['u=1', 1, true],
    ['i=?0', 5, false],
    ['u=8, i=?0', 5, false],
    ['u=1,,', 5, true],
    [`u=1, x="${'x'.repeat(300)}"`, 5, true],
  ])('applies %j to urgency 5, incremental true: urgency %i, incremental %s', (value, urgency, isIncremental) => {
    expect(parsePriority(value, { urgency: 5, isIncremental: true })).toEqual({ urgency, isIncremental })
  })

  it('accepts any value of any length', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('u', 'i', '=', '?', '1', ',', ';', ' ', '(', '"') })),
        (value) => {
          const { urgency } = parsePriority(value)
          expect(urgency >= 0 && urgency <= 7).toBe(true)
        },
      ),
    )
    expect(parsePriority(`u=1${', x'.repeat(100_000)}`)).toEqual(DEFAULT_PRIORITY)
  })
})
