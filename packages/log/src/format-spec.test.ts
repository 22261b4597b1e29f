import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { MOST_DIGITS } from './fixed.ts'
import { applySpec, parseSpec } from './format-spec.ts'

function apply(text: string, value: unknown): string {
  const spec = parseSpec(text)
  if (spec === undefined) throw new Error(`${text} is no spec`)
  return applySpec(spec, value)
}

// What `std::format` gives for the same spec and value.
it.each([
  // Text
  ['5', 'ab', 'ab   '],
  ['<5', 'ab', 'ab   '],
  ['>5', 'ab', '   ab'],
  ['^5', 'ab', ' ab  '],
  ['*^6', 'ab', '**ab**'],
  ['<<4', 'ab', 'ab<<'],
  ['1', 'ab', 'ab'],
  ['.1', 'ab', 'a'],
  ['>4.1', 'ab', '   a'],
  ['s', 'ab', 'ab'],
  ['08', 'ab', 'ab      '],
  // Whole numbers
  ['5', 42, '   42'],
  ['<5', 42, '42   '],
  ['^5', 42, ' 42  '],
  ['05', 42, '00042'],
  ['05', -42, '-0042'],
  ['<05', 42, '42   '],
  ['+', 42, '+42'],
  ['+', -42, '-42'],
  [' ', 42, ' 42'],
  ['-', 42, '42'],
  ['+06', 42, '+00042'],
  ['d', 42, '42'],
  ['x', 255, 'ff'],
  ['X', 255, 'FF'],
  ['#x', 255, '0xff'],
  ['#X', 255, '0XFF'],
  ['x', -255, '-ff'],
  ['#06x', 10, '0x000a'],
  ['+#x', 255, '+0xff'],
  ['#010b', 5, '0b00000101'],
  ['#B', 5, '0B101'],
  ['b', 5, '101'],
  ['o', 8, '10'],
  ['#o', 8, '010'],
  ['#o', 0, '0'],
  ['d', -0, '0'],
  // Real numbers
  ['.2f', 2.34567, '2.35'],
  ['f', 1.5, '1.500000'],
  ['.0f', 0.5, '0'],
  ['.0f', 1.5, '2'],
  ['.0f', 2.5, '2'],
  ['.1f', 0.25, '0.2'],
  ['.1f', 0.35, '0.3'],
  ['.2f', 0.125, '0.12'],
  ['.2f', 0.375, '0.38'],
  ['.2f', 1.005, '1.00'],
  ['.2f', 0.5, '0.50'],
  ['.0f', 2251799813685248.5, '2251799813685248'],
  ['.0f', -0.5, '-0'],
  ['#.0f', 2, '2.'],
  ['#.0e', 2, '2.e+00'],
  ['#.1f', 2, '2.0'],
  ['#.0E', 2, '2.E+00'],
  ['#g', 100_000, '100000.'],
  ['.2f', -0.001, '-0.00'],
  ['8.2f', 2.34567, '    2.35'],
  ['08.2f', -2.34567, '-0002.35'],
  ['+.1f', 1, '+1.0'],
  ['.1f', 1e21, '1000000000000000000000.0'],
  ['e', 12345.678, '1.234568e+04'],
  ['.2e', 0.00012, '1.20e-04'],
  ['.1E', 1e100, '1.0E+100'],
  ['g', 100_000, '100000'],
  ['g', 1_000_000, '1e+06'],
  ['g', 1_500_000, '1.5e+06'],
  ['.3g', 1.5e10, '1.5e+10'],
  ['g', 0.0001, '0.0001'],
  ['g', 0.00001, '1e-05'],
  ['g', 0.5, '0.5'],
  ['g', 0, '0'],
  ['#g', 0.5, '0.500000'],
  ['G', 1e-10, '1E-10'],
  ['.3', 2.34567, '2.35'],
  ['.0g', 123, '1e+02'],
])('{:%s} of %o is %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it.each([
  ['x', 255n, 'ff'],
  ['d', -(2n ** 64n), '-18446744073709551616'],
  ['#012x', 255n, '0x00000000ff'],
  ['.2f', 2n ** 64n, '18446744073709551616.00'],
  ['>6', 12n, '    12'],
  ['.2e', 1234n, '1.23e+03'],
])('{:%s} of a bigint: %o is %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it.each([
  ['.2f', 'text', 'text'.slice(0, 2)],
  ['x', 'text', 'text'],
  ['d', true, 'true'],
  ['d', undefined, 'undefined'],
  ['>12', { a: 1 }, '    { a: 1 }'],
  ['d', 1.5, '1.5'],
  ['05', Number.NaN, '  NaN'],
  ['06', -Infinity, '-Infinity'],
  ['.1f', Infinity, 'Infinity'],
  ['s', 42, '42'],
  ['?', 'a"b', `'a"b'`],
  ['?', 1, '1'],
])('a value that {:%s} is not made for is still shown: %o as %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it.each([
  ['4', '👍👍', '👍👍'],
  ['6', '👍👍', '👍👍  '],
  ['6', '日本', '日本  '],
  ['>6', '日本', '  日本'],
  ['*^7', '日本', '*日本**'],
  ['>5', 'ｱ', '    ｱ'],
  ['4', 'Ａ', 'Ａ  '],
  ['5', 'e\u0301', 'e\u0301    '],
  ['4', '👩‍👩‍👧', '👩‍👩‍👧  '],
  ['4', '🚀', '🚀  '],
  ['3', 'é', 'é  '],
  ['.3', '日本語', '日'],
  ['.4', '日本語', '日本'],
  ['.1', '👍👍', ''],
  ['.2', '👍👍', '👍'],
  ['.1', 'e\u0301x', 'e\u0301'],
  ['.2', 'ab\u0301x', 'ab\u0301'],
  ['.0', 'ab', ''],
  ['👍>3', 'x', '👍👍x'],
  ['日<4', '本', '本日日'],
])('{:%s} counts columns and cuts no character in half: %j is %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it('a tie goes to the even digit, and nothing else differs from toFixed', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e20, noNaN: true }), fc.nat(20), (value, digits) => {
      const isTie = /^50*$/.test(value.toFixed(MOST_DIGITS).split('.')[1]?.slice(digits) ?? '')
      const text = apply(`.${digits}f`, value)
      expect(isTie ? Number(text.at(-1)) % 2 : text).toBe(isTie ? 0 : value.toFixed(digits))
    }),
    {
      examples: [
        [0.5, 0],
        [2.5, 0],
        [3.5, 0],
        [0.125, 2],
        [1.005, 2],
        [0.3, 1],
      ],
    },
  )
})

it.each(['zz', '8q', '<<<', '.', '8.', '1234', '.1234', '{}', 'xf', '+-', '0x1', ' 5 5', '\n'])(
  '%j is no spec',
  (text) => {
    expect(parseSpec(text)).toBeUndefined()
  },
)

it('never throws and is at least as wide as asked, for every spec and value', () => {
  const spec = fc
    .tuple(
      fc.constantFrom('', '<', '>', '^', '*<', '#^'),
      fc.constantFrom('', '+', '-', ' '),
      fc.constantFrom('', '#'),
      fc.constantFrom('', '0'),
      fc.option(fc.integer({ min: 1, max: 999 }), { nil: '' }),
      fc.option(
        fc.integer({ min: 0, max: 999 }).map((digits) => `.${digits}`),
        { nil: '' },
      ),
      fc.constantFrom('', ...Array.from('s?dbBoxXeEfFgG')),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(spec, fc.anything({ withBigInt: true, withNullPrototype: true }), (text, value) => {
      const parsed = parseSpec(text)
      expect(parsed).toBeDefined()
      expect(apply(text, value).length).toBeGreaterThanOrEqual((parsed?.width ?? 0) / 2)
    }),
  )
})
