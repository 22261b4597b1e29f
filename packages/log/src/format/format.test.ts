import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeLine } from '../text/escape.ts'
import { formatMessage, parseFormat, templateOf } from './format.ts'

it.each<[string, unknown[], string]>([
  ['listening on {}:{}', ['127.0.0.1', 80], 'listening on 127.0.0.1:80'],
  ['{}{}{}', [1, 2, 3], '123'],
  ['{1} before {0}', ['a', 'b'], 'b before a'],
  ['{0} {0}', ['a'], 'a a'],
  ['{:>4}|{:.1f}|{:x}', ['a', 0.25, 255], '   a|0.2|ff'],
  ['{0:x} {0:d}', [255], 'ff 255'],
  ['{:}', ['a'], 'a'],
  ['{:{}}|', ['a', 3], 'a  |'],
  ['{:{}}{:{}}|', ['a', 3, 'b', 2], 'a  b |'],
  ['{:*>{}.{}}', ['abc', 4, 2], '**ab'],
  ['{:.{}f} {}', [0.25, 1, 'x'], '0.2 x'],
  ['{1:{0}}|{1:.{2}}', [4, 'abc', 1], 'abc |a'],
  ['{0:{0}}', [3], '  3'],
  ['{:{}}', ['日', 4n], '日  '],
  ['{:{}}', ['a', 999], 'a'.padEnd(999)],
  ['{{{}}}', [1], '{1}'],
  ['{{}} {}', [1], '{} 1'],
  ['}}{}{{', [1], '}1{'],
  ['{}', [undefined], 'undefined'],
  ['{}', [''], ''],
  ['{} {}', ['{}', '{0}'], '{} {0}'],
  ['{}', ['$&'], '$&'],
  [Array.from({ length: 12 }, () => '{}').join(','), Array.from('abcdefghijkl'), 'a,b,c,d,e,f,g,h,i,j,k,l'],
])('formats %j with %o as %j', (format, args, message) => {
  expect(formatMessage(format, args)).toBe(message)
})

it.each(['', 'plain', '{}', '{"a": 1}', '{{}}', '{', '}', '{:zz} {name}'])(
  'uses %j as the message if there are no arguments',
  (text) => {
    expect(formatMessage(text, [])).toBe(text)
  },
)

it.each<[string, string, unknown[], string]>([
  ['a missing argument leaves its placeholder', 'a {} b {}', [1], 'a 1 b {}'],
  ['a missing index leaves its placeholder', '{0} {7:>3}', [1], '1 {7:>3}'],
  ['surplus arguments follow', 'failed', ['a', { b: 1 }], 'failed a { b: 1 }'],
  ['a name is not a placeholder', '{name} {}', [1], '{name} 1'],
  ['an invalid spec is not a placeholder', '{:zz} {}', [1], '{:zz} 1'],
  ['an open brace is text', 'a { b {}', [1], 'a { b 1'],
  ['a closing brace is text', 'a } b {}', [1], 'a } b 1'],
  ['a missing width is ignored', '{:{}}', [1], '1'],
  ['a missing precision is ignored', '{:.{}}', ['abc'], 'abc'],
  ['a negative width is ignored', '{:{}}', ['a', -3], 'a'],
  ['a fraction is not a width', '{:{}}', ['a', 2.5], 'a'],
  ['NaN is not a width', '{:{}}', ['a', Number.NaN], 'a'],
  ['text is not a width', '{:{}}', ['a', '5'], 'a'],
  ['a width above 999 is ignored', '{:{}}', ['a', 1000], 'a'],
  ['a precision above 999 is ignored', '{:.{}f}', [1, 10n ** 30n], '1.000000'],
  ['a missing value leaves its placeholder', '{:{}.{}f}', [], '{:{}.{}f}'],
  ['a missing value leaves its placeholder by index', '{1:{0}}', [5], '{1:{0}}'],
  ['a placeholder in an invalid spec is text', '{:z{}} {}', [1], '{:z{}} 1'],
  ['an index above 999 is not a placeholder', '{9999999999}', [1], '{9999999999} 1'],
])('follows the rule "%s": %j with %o is %j', (_rule, format, args, message) => {
  expect(formatMessage(format, args)).toBe(message)
})

it('formats any format and arguments without throwing', () => {
  const format = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom('{:{', '}.{', ...Array.from('{}:0x.9<>^# a'))).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(format, fc.array(fc.anything()), (text, args) => {
      expect(formatMessage(text, args)).toEqual(expect.any(String))
    }),
  )
})

it('returns the original text if its braces are doubled', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const escaped = text.replaceAll('{', '{{').replaceAll('}', '}}')
      expect(formatMessage(`${escaped}{}`, ['!'])).toBe(`${text}!`)
    }),
  )
})

it('returns one more text part than fields', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('{', '}', '{}', '{0}', '{:x}', 'a')), (parts) => {
      const { texts, fields } = parseFormat(parts.join(''))
      expect(texts.length).toBe(fields.length + 1)
    }),
  )
})

it('caches formats, and clears the cache when it is full', () => {
  expect(templateOf('same {}')).toBe(templateOf('same {}'))
  const first = templateOf('same {}')
  for (let at = 0; at < 2000; at++) templateOf(`format ${at} {}`)
  expect(templateOf('same {}')).not.toBe(first)
  expect(formatMessage('same {}', [1])).toBe('same 1')
})

it('does not mark a message as safe if escapeLine must escape it, even with {:c}', () => {
  const formats = ['{}', '{} {:c}', '{:c}', '{:>3c}|', '{:d}', '{:x}', '{:.1f}', '{:?}', '{:>{}}', '{:\n>3}', 'a\n{}']
  const arg = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.nat(40), fc.double(), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(fc.constantFrom(...formats), fc.array(arg, { minLength: 1, maxLength: 3 }), (format, args) => {
      const message = formatMessage(format, args)
      const line = escapeLine(message)
      // A new string on each call.
      expect(line).toBe(escapeLine(`${message}!`).slice(0, -1))
    }),
    { numRuns: 1000 },
  )
})

it.each([0, 7, 10, 13, 27, 0x9b, 0x2028, 0x202e])(
  'formats the character with code point %i so that escapeLine escapes it',
  (code) => {
    const shown = escapeLine(String.fromCodePoint(code))
    expect(escapeLine(formatMessage('{:c}', [code]))).toBe(shown)
    expect(escapeLine(formatMessage('{} {:c}', ['x', code]))).toBe(`x ${shown}`)
  },
)
