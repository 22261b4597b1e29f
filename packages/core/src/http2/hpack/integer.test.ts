import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readInteger, writeInteger } from './integer.ts'

function read(hex: string, prefixBits: number): [value: number, bytes: number] {
  const bytes = Buffer.from(hex, 'hex')
  const cursor = { bytes, at: 0, end: bytes.length }
  return [readInteger(cursor, prefixBits), cursor.at]
}

describe('readInteger and writeInteger', () => {
  // RFC 7541 Appendix C.1
  it.each([
    ['0a', 5, 10],
    ['1f9a0a', 5, 1337],
    ['2a', 8, 42],
    ['7f00', 7, 127],
    ['7f8001', 7, 255],
    ['0fffffffff06', 4, 15 + 0x6fffffff],
    ['7f81ffffff07', 7, 2 ** 31],
  ])('reads %s with a prefix of %i bits as %i, and writes it', (hex, bits, value) => {
    expect(read(hex, bits)).toEqual([value, hex.length / 2])
    const target = Buffer.alloc(8)
    const end = writeInteger(target, 0, 0, bits, value)
    expect(target.toString('hex', 0, end)).toBe(hex)
  })

  it('keeps the flags', () => {
    expect(read('ea', 5)).toEqual([10, 1])
    const target = Buffer.alloc(2)
    expect(writeInteger(target, 1, 0xe0, 5, 10)).toBe(2)
    expect(target.toString('hex')).toBe('00ea')
  })

  it('accepts trailing zeros within five bytes', () => {
    expect(read('1f8080808000', 5)).toEqual([31, 6])
    expect(() => read('1f808080808000', 5)).toThrow('Cannot decode a field block: an integer is too large')
  })

  it.each([
    ['above 2^31', '7f82ffffff07'],
    ['above 2^32', '7fffffffff7f'],
    ['that does not end', '7fffffffffffffffffffff'],
  ])('rejects an integer %s', (_what, hex) => {
    expect(() => read(hex, 7)).toThrow(expect.objectContaining({ name: 'HpackError' }))
  })

  it.each(['', '1f', '1f9a', '1f9aff'])('rejects the truncated integer %j', (hex) => {
    expect(() => read(hex, 5)).toThrow('it is truncated')
  })

  it('reads back every integer that it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.integer({ min: 1, max: 8 }), (value, bits) => {
        const bytes = Buffer.alloc(8)
        const cursor = { bytes, at: 1, end: writeInteger(bytes, 1, 0, bits, value) }
        expect(readInteger(cursor, bits)).toBe(value)
        expect(cursor.at).toBe(cursor.end)
      }),
    )
  })
})
