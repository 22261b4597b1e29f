import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeInBrackets, escapeInJson, escapeWord, escapeWordInBrackets } from './escape.ts'

/** Returns the bytes of a string, one character each, like header values. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

describe('escapeWord', () => {
  it.each([
    ['/a/b.c?d=e&f[]=g', '/a/b.c?d=e&f[]=g'],
    ['/a%20b%0a', '/a%20b%0a'],
    ['a b', 'a\\x20b'],
    ['a"b', 'a\\"b'],
    ['a\\x0ab', 'a\\\\x0ab'],
    ['a\r\nb\0', 'a\\x0d\\x0ab\\x00'],
    ['\u001b[2J\u007f', '\\x1b[2J\\x7f'],
    [latin1('žluť漢🚀'), 'žluť漢🚀'],
    [latin1('a\u00a0b'), 'a\u00a0b'],
    [latin1('a\u0085\u009fb'), 'a\\x85\\x9fb'],
    [
      latin1('\u061c\u200e\u200f\u2028\u202e\u2066\u2069\ufeff'),
      '\\u061c\\u200e\\u200f\\u2028\\u202e\\u2066\\u2069\\ufeff',
    ],
    [latin1('a\u00adb\u180ec'), 'a\\u00adb\\u180ec'],
    [latin1('\u200b\u200c\u200d'), '\\u200b\\u200c\\u200d'],
    [latin1('\u2060\u2064\u206a\u206f'), '\\u2060\\u2064\\u206a\\u206f'],
    [latin1('\u00ae\u200a\u2010\u2065\u2070'), '\u00ae\u200a\u2010\u2065\u2070'],
    ['a\xadb\xff', 'a\\xadb\\xff'],
    ['caf\xe9', 'caf\\xe9'],
    ['\xc3\xa9\xff\n', '\\xc3\\xa9\\xff\\x0a'],
    ['already text: \u2028\ud800 漢', 'already\\x20text:\\x20\\u2028\\ud800\\x20漢'],
    ['', ''],
    ["$& $1 $' %s {}", "$&\\x20$1\\x20$'\\x20%s\\x20{}"],
  ])('escapes %j as %j', (value, escaped) => {
    expect(escapeWord(value)).toBe(escaped)
  })
})

describe('escapeInBrackets', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux)', 'Mozilla/5.0 (X11; Linux)'],
    ['x] [role: admin', 'x\\x5d \\x5brole: admin'],
    ['\t"', '\\x09\\"'],
    [latin1('é] '), 'é\\x5d '],
    ['\xff[', '\\xff\\x5b'],
  ])('escapes %j as %j', (value, escaped) => {
    expect(escapeInBrackets(value)).toBe(escaped)
  })
})

describe('escapeWordInBrackets', () => {
  it('escapes spaces and brackets', () => {
    expect(escapeWordInBrackets('/a[1] b"')).toBe('/a\\x5b1\\x5d\\x20b\\"')
  })
})

describe('escapeInJson', () => {
  it.each([
    ['/a b', '"/a b"'],
    ['"\\', '"\\"\\\\"'],
    ['\u0001\n\u007f', '"\\u0001\\n\\u007f"'],
    [latin1('é漢🚀\u0085\u202e\ufeff'), '"é漢🚀\\u0085\\u202e\\ufeff"'],
    [latin1('a\u00ad\u200b\u2060b'), '"a\\u00ad\\u200b\\u2060b"'],
    ['a\xadb\xff', '"a\\u00adbÿ"'],
    ['caf\xe9', '"café"'],
    ['\ud800漢', '"\\ud800漢"'],
  ])('escapes %j as %s', (value, json) => {
    expect(`"${escapeInJson(value)}"`).toBe(json)
  })
})

const anyBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
const anyValue = fc.oneof(anyBytes, fc.string({ unit: 'binary' }).map(latin1))
/** Matches characters that values must not add to a line. */
const FORGERY =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\p{Surrogate}]/u

describe('an escaped value of arbitrary bytes', () => {
  it('becomes one word without control characters', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const escaped = escapeWord(value)
        expect(escaped).not.toMatch(FORGERY)
        expect(escaped).toMatch(/^([^ \\"]|\\[\\"]|\\x[\da-f]{2}|\\u[\da-f]{4})*$/u)
      }),
    )
  })

  it('cannot close its brackets', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const escaped = escapeInBrackets(value)
        expect(escaped).not.toMatch(FORGERY)
        expect(escaped).toMatch(/^([^[\]\\"]|\\[\\"]|\\x[\da-f]{2}|\\u[\da-f]{4})*$/u)
      }),
    )
  })

  it('becomes a JSON string of visible characters with the same content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const json = `"${escapeInJson(latin1(text))}"`
        expect(json).not.toMatch(FORGERY)
        expect(JSON.parse(json)).toBe(text)
      }),
    )
  })
})
