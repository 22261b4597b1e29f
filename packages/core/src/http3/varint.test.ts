import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodedVarintLength, readVarint, varintLength, writeVarint } from './varint.ts'

describe('a variable-length integer', () => {
  // RFC 9000 Appendix A.1, except the one above 2^53.
  it.each([
    ['25', 37],
    ['4025', 37],
    ['7bbd', 15_293],
    ['9d7f3e7d', 494_878_333],
    ['c000000000000001', 1],
    ['c01fffffffffffff', Number.MAX_SAFE_INTEGER],
  ])('is read from %s as %i', (hex, value) => {
    const bytes = Buffer.from(hex, 'hex')
    expect(varintLength(bytes[0] ?? 0)).toBe(bytes.length)
    expect(readVarint(bytes, 0)).toBe(value)
    expect(readVarint(Buffer.concat([Buffer.from('ff', 'hex'), bytes]), 1)).toBe(value)
  })

  it.each([
    [0, '00'],
    [63, '3f'],
    [64, '4040'],
    [16_383, '7fff'],
    [16_384, '80004000'],
    [2 ** 30 - 1, 'bfffffff'],
    [2 ** 30, 'c000000040000000'],
  ])('is written in its shortest form: %i as %s', (value, hex) => {
    const target = Buffer.alloc(9)
    const end = writeVarint(target, value, 1)
    expect(target.toString('hex', 1, end)).toBe(hex)
    expect(encodedVarintLength(value)).toBe(hex.length / 2)
  })

  it('is read back unchanged', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const target = Buffer.alloc(8)
        writeVarint(target, value, 0)
        expect(readVarint(target, 0)).toBe(value)
      }),
    )
  })
})
