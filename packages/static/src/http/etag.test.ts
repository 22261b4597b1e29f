import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Coding } from './precompressed.ts'
import { strongETag } from './etag.ts'

describe('strongETag', () => {
  it('returns two hexadecimal numbers', () => {
    expect(strongETag(4n, 255n, 'identity')).toBe('"0x10-0xff"')
  })

  it('omits the sign for times before 1970', () => {
    expect(strongETag(-1n, 0n, 'identity')).toMatch(/^"0x[0-9a-f]+-0x0"$/)
  })

  it('returns different tags for different times, sizes and content codings', () => {
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
