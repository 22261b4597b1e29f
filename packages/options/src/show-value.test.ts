import { describe, expect, it } from 'vitest'
import { showType, showValue } from './show-value.ts'

class Empty {
  readonly isEmpty = true
}

describe('showValue', () => {
  it.each<[unknown, string]>([
    ['1', '"1"'],
    ['a\n"b"', String.raw`"a\n\"b\""`],
    [1, '1'],
    [NaN, 'NaN'],
    [-0, '0'],
    [1n, '1n'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Symbol('x'), 'Symbol(x)'],
    [[], 'an array'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [new Empty(), 'an Empty'],
    [new Map(), 'a Map'],
    [new Uint8Array(1), 'a Uint8Array'],
    [new URL('file:///'), 'a URL'],
    [new ArrayBuffer(1), 'an ArrayBuffer'],
    [Object.create({ constructor: null }), 'an object'],
    [Object.create({ constructor: undefined }), 'an object'],
    ['-----BEGIN PRIVATE KEY-----\nMIGH', 'PEM text'],
    [() => {}, 'a function'],
    [Empty, 'a function'],
  ])('formats %s as %s', (value, expected) => {
    expect(showValue(value)).toBe(expected)
  })

  it('truncates long text', () => {
    expect(showValue('x'.repeat(1000))).toBe(`"${'x'.repeat(80)}…"`)
  })
})

describe('showType', () => {
  it.each<[unknown, string]>([
    ['secret', 'a string'],
    [5, 'a number'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['secret'], 'an array'],
  ])('names the type of %j as %s', (value, expected) => {
    expect(showType(value)).toBe(expected)
  })
})
