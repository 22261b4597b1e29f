import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeJson, escapeLine } from './escape.ts'

it.each([
  ['plain text, ünï and 👍', 'plain text, ünï and 👍'],
  ['C:\\new\\table', 'C:\\new\\table'],
  ['a\nb\rc\td', 'a\\nb\\rc\\td'],
  ['\u0000\u001b[31m\u007f\u009b', '\\x00\\x1b[31m\\x7f\\x9b'],
  ['\u0085\u2028\u2029', '\\x85\\u2028\\u2029'],
  ['\u202e\u2066\u2069\u200e\u200f\u061c\ufeff', '\\u202e\\u2066\\u2069\\u200e\\u200f\\u061c\\ufeff'],
  ['\ud83d x \udc4d', '\\ud83d x \\udc4d'],
  ['\u00a0\u00ad\u200d', '\u00a0\u00ad\u200d'],
])('escapeLine(%j) is %j', (text, escaped) => {
  expect(escapeLine(text)).toBe(escaped)
})

it('leaves nothing that ends a line, acts on a terminal or has no UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = escapeLine(text)
      expect(escaped).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      expect(escaped.isWellFormed()).toBe(true)
    }),
  )
})

it('keeps JSON the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = escapeJson(JSON.stringify({ text }))
      expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
      expect(JSON.parse(json)).toEqual({ text })
    }),
  )
})

it.each([0, 1, 2])('long text is escaped in parts, without parting a pair that begins at %d', (before) => {
  const text = 'x'.repeat(before) + '😀'.repeat(1_000_001) + '\ud800\n'
  expect(escapeLine(text) === 'x'.repeat(before) + '😀'.repeat(1_000_001) + '\\ud800\\n').toBe(true)
})
