import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Coding } from './precompressed.ts'
import { matchesStrongly, matchesWeakly, strongETag } from './etag.ts'

describe('strongETag', () => {
  it('returns two hexadecimal numbers', () => {
    expect(strongETag(4n, 255n, 'identity')).toBe('"0x10-0xff"')
  })

  it('returns no sign for times before 1970', () => {
    expect(strongETag(-1n, 0n, 'identity')).toMatch(/^"0x[0-9a-f]+-0x0"$/)
  })

  it('differs when time, size or coding differ', () => {
    const stored = fc.record({
      mtimeNs: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 63n }),
      size: fc.bigInt({ min: 0n, max: 2n ** 53n }),
      coding: fc.constantFrom<Coding>('identity', 'gzip', 'br', 'zstd'),
    })
    fc.assert(
      fc.property(stored, stored, (a, b) => {
        const isSame = a.mtimeNs === b.mtimeNs && a.size === b.size && a.coding === b.coding
        const equal = strongETag(a.mtimeNs, a.size, a.coding) === strongETag(b.mtimeNs, b.size, b.coding)
        expect(equal).toBe(isSame)
      }),
    )
    expect(strongETag(1n, 5n, 'gzip')).not.toBe(strongETag(1n, 5n, 'identity'))
  })
})

describe('matchesWeakly and matchesStrongly', () => {
  it.each([
    // list, tag, weak, strong
    ['"a"', '"a"', true, true],
    ['W/"a"', '"a"', true, false],
    ['"a"', 'W/"a"', true, false],
    ['W/"a"', 'W/"a"', true, false],
    ['"b"', '"a"', false, false],
    ['"x", "y",\t"a"', '"a"', true, true],
    [', ,"a",', '"a"', true, true],
    ['"a,b", "c"', '"c"', true, true],
    ['"x,a,y"', '"a"', false, false],
    ['"xa"', '"a"', false, false],
    ['"ax"', '"a"', false, false],
    ['', '"a"', false, false],
    ['a', '"a"', false, false],
    ['"a', '"a"', false, false],
    ['w/"a"', '"a"', false, false],
    ['"b" "a"', '"a"', false, false],
    ['junk, "a"', '"a"', false, false],
    ['"a", junk', '"a"', true, true],
    ['""', '""', true, true],
  ])('compares %j with %j: weak %s, strong %s', (list, tag, weak, strong) => {
    expect(matchesWeakly(list, tag)).toBe(weak)
    expect(matchesStrongly(list, tag)).toBe(strong)
  })
})
