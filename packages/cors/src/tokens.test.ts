import { describe, expect, it } from 'vitest'
import { isToken, requestedFields } from './tokens.ts'

describe('isToken', () => {
  it.each(['PUT', 'x-a', "!#$%&'*+-.^_`|~0"])('accepts %j', (text) => expect(isToken(text)).toBe(true))
  it.each(['', 'a b', 'a,b', 'a:b', 'é', 'a\r\nb', '(a)', '"a"'])('refuses %j', (text) =>
    expect(isToken(text)).toBe(false),
  )
})

describe('requestedFields', () => {
  it.each<[string, string | undefined]>([
    ['content-type', 'content-type'],
    ['X-A, x-b ,\tx-c', 'x-a,x-b,x-c'],
    [' , x-a,,', 'x-a'],
    ['', ''],
    ['x-a x-b', undefined],
    ['x-a, x:b', undefined],
    ['x-a\u0000', undefined],
    ['bücher', undefined],
    [Array.from({ length: 64 }, (_, i) => `x${i}`).join(), Array.from({ length: 64 }, (_, i) => `x${i}`).join()],
    [Array.from({ length: 65 }, (_, i) => `x${i}`).join(), undefined],
    ['x'.repeat(2048), 'x'.repeat(2048)],
    ['x'.repeat(2049), undefined],
  ])('reads %j as %j', (value, expected) => {
    expect(requestedFields(value)).toBe(expected)
  })

  it('reads each character only once (GHSA-8j4g-w8fx-2239: quadratic regular expression in hono)', () => {
    // For these bytes, matching `\s*,\s*` takes a second.
    expect(requestedFields(`a${'\t'.repeat(100_000)}b`)).toBeUndefined()
    expect(requestedFields(`a${' '.repeat(2046)}b`)).toBeUndefined()
    expect(requestedFields(`${' '.repeat(2047)}b`)).toBe('b')
  })
})
