import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeJson, escapeLine, escapeLines } from './escape.ts'

const ZERO_WIDTH = /[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\u2066-\u206f\ufeff]/
/** Arbitrary text with many zero-width characters. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u00ad', '\u180e', '\u200b', '\u200d', '\u2060', '\u206f'),
    ),
  )
  .map((parts) => parts.join(''))

it.each([
  ['plain text, ünï and 👍', 'plain text, ünï and 👍'],
  ['C:\\new\\table', 'C:\\new\\table'],
  ['a\nb\rc\td', 'a\\nb\\rc\\td'],
  ['\u0000\u001b[31m\u007f\u009b', '\\x00\\x1b[31m\\x7f\\x9b'],
  ['\u0085\u2028\u2029', '\\x85\\u2028\\u2029'],
  ['\u202e\u2066\u2069\u200e\u200f\u061c\ufeff', '\\u202e\\u2066\\u2069\\u200e\\u200f\\u061c\\ufeff'],
  ['\ud83d x \udc4d', '\\ud83d x \\udc4d'],
  ['a\u00adb\u180ec', 'a\\u00adb\\u180ec'],
  ['\u200b\u200c\u200d', '\\u200b\\u200c\\u200d'],
  ['\u2060\u2061\u2064\u206a\u206f', '\\u2060\\u2061\\u2064\\u206a\\u206f'],
  ['👨\u200d👩', '👨\\u200d👩'],
  [
    '\u00a0\u00ac\u00ae\u180d\u180f\u200a\u2010\u2027\u202f\u2065\u2070',
    '\u00a0\u00ac\u00ae\u180d\u180f\u200a\u2010\u2027\u202f\u2065\u2070',
  ],
])('escapes %j as %j', (text, escaped) => {
  expect(escapeLine(text)).toBe(escaped)
})

it('escapes every character that ends a line, controls a terminal or cannot be encoded in UTF-8', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const escaped = escapeLine(text)
      expect(escaped).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      expect(escaped).not.toMatch(ZERO_WIDTH)
      expect(escaped.isWellFormed()).toBe(true)
    }),
  )
})

it.each([
  ['one line', 'one line'],
  ['Error: x\n    at f (a.ts:1)', 'Error: x\n  |     at f (a.ts:1)'],
  ['a\r\nb\tc\n', 'a\\r\n  | b\\tc\n  | '],
  ['a\u0085\u2028\u001b[2J', 'a\\x85\\u2028\\x1b[2J'],
])('keeps the line breaks in %j and returns %j', (text, escaped) => {
  expect(escapeLines(text)).toBe(escaped)
})

it('starts every line after the first with a mark', () => {
  fc.assert(
    fc.property(fc.array(anyText), (parts) => {
      const [first = '', ...others] = escapeLines(parts.join('\n')).split('\n')
      expect(first).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      for (const line of others) expect(line).toMatch(/^  \| [^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/)
    }),
  )
})

it('does not change the value of JSON', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const json = escapeJson(JSON.stringify({ text }))
      expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
      expect(json).not.toMatch(ZERO_WIDTH)
      expect(JSON.parse(json)).toEqual({ text })
    }),
  )
})

it.each([0, 1, 2])('does not split a surrogate pair at %d when it escapes long text in parts', (before) => {
  const text = 'x'.repeat(before) + '😀'.repeat(1_000_001) + '\ud800\n'
  expect(escapeLine(text) === 'x'.repeat(before) + '😀'.repeat(1_000_001) + '\\ud800\\n').toBe(true)
})
