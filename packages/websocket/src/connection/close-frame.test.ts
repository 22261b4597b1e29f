import { describe, expect, it } from 'vitest'
import { checkClose } from './close-frame.ts'

describe('checkClose', () => {
  it.each([1000, 1001, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])(
    'accepts %i',
    (code) => {
      expect(() => checkClose(code, '')).not.toThrow()
    },
  )

  it.each([0, 999, 1002, 1004, 1005, 1006, 1010, 1015, 1016, 2999, 5000, 1000.5, NaN, '1000', null])(
    'rejects %j with a RangeError',
    (code) => {
      expect(() => checkClose(code, '')).toThrow(RangeError)
      expect(() => checkClose(code, '')).toThrow(expect.objectContaining({ code: 'FW_INVALID_CLOSE' }))
    },
  )

  it('accepts a reason of 123 bytes, and rejects one of 124', () => {
    expect(() => checkClose(1000, 'a'.repeat(123))).not.toThrow()
    expect(() => checkClose(1000, 'ä'.repeat(61))).not.toThrow()
    expect(() => checkClose(1000, 'a'.repeat(124))).toThrow(/at most 123 bytes in UTF-8, got 124/)
    expect(() => checkClose(1000, 'ä'.repeat(62))).toThrow(RangeError)
  })

  it('rejects a reason that is not a string', () => {
    expect(() => checkClose(1000, 7)).toThrow(TypeError)
  })
})
