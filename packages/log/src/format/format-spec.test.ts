import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { applySpec } from './apply-spec.ts'
import { parseSpec } from './format-spec.ts'

/** The maximum precision that `toFixed` and `toExponential` accept. */
const MAX_DIGITS = 100

function apply(text: string, value: unknown): string {
  const spec = parseSpec(text)
  if (spec === undefined) throw new Error(`${text} is not a spec`)
  return applySpec(spec, value)
}

// The expected results are those of `std::format` for the same spec and value.
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
  // Integers
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
  // Ties round to the even digit in every conversion
  ['.0e', 2.5, '2e+00'],
  ['.0e', 3.5, '4e+00'],
  ['.0e', 9.5, '1e+01'],
  ['.0e', 8.5, '8e+00'],
  ['.1e', 1.25, '1.2e+00'],
  ['.2e', 12350, '1.24e+04'],
  ['.2e', 12450, '1.24e+04'],
  ['.2e', 12450.000001, '1.25e+04'],
  ['.2e', 1.005, '1.00e+00'],
  ['.1g', 2.5, '2'],
  ['.2g', 0.125, '0.12'],
  ['.2g', 99.5, '1e+02'],
  ['.3', 1.125, '1.12'],
  ['.2', -0, '-0'],
  // More digits than a double has
  ['.101f', 0.5, `0.5${'0'.repeat(100)}`],
  ['.105e', 1, `1.${'0'.repeat(105)}e+00`],
  ['.60f', 0.1, '0.100000000000000005551115123125782702118158340454101562500000'],
  [
    '.120f',
    2 ** -110,
    '0.000000000000000000000000000000000770371977754894341222391177033970927415240659286155278095975518226623535156250000000000',
  ],
  // Hexadecimal
  ['a', 1, '1p+0'],
  ['a', 0, '0p+0'],
  ['a', -0, '-0p+0'],
  ['a', 0.1, '1.999999999999ap-4'],
  ['A', 255.5, '1.FFP+7'],
  ['+a', 3, '+1.8p+1'],
  ['.0a', 1.5, '2p+0'],
  ['.0a', 1.25, '1p+0'],
  ['.1a', 1.96875, '2.0p+0'],
  ['.1a', 1.03125, '1.0p+0'],
  ['.3a', 1.5, '1.800p+0'],
  ['#a', 1, '1.p+0'],
  ['#.0A', 1, '1.P+0'],
  ['010a', -1.5, '-0001.8p+0'],
  ['a', 5e-324, '0.0000000000001p-1022'],
  ['a', 1.7976931348623157e308, '1.fffffffffffffp+1023'],
  // Characters
  ['c', 65, 'A'],
  ['c', 0x1f600, '😀'],
  ['3c', 65, 'A  '],
  ['>3c', 0x65e5, ' 日'],
  // Booleans
  ['', true, 'true'],
  ['s', false, 'false'],
  ['7', true, 'true   '],
  ['d', true, '1'],
  ['3d', false, '  0'],
  ['#06x', true, '0x0001'],
  ['+d', true, '+1'],
  ['B', true, '1'],
])('formats {:%s} with %o as %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it.each([
  ['x', 255n, 'ff'],
  ['d', -(2n ** 64n), '-18446744073709551616'],
  ['#012x', 255n, '0x00000000ff'],
  ['.2f', 2n ** 64n, '18446744073709551616.00'],
  ['>6', 12n, '    12'],
  ['.2e', 1234n, '1.23e+03'],
  ['.0e', 25n, '2e+01'],
  ['.0e', 35n, '4e+01'],
  ['.0e', 95n, '1e+02'],
  ['.20e', 2n ** 64n + 1n, '1.84467440737095516170e+19'],
  ['g', 10n ** 400n, '1e+400'],
  ['e', 0n, '0.000000e+00'],
  ['a', 2n ** 64n + 1n, '1.0000000000000001p+64'],
  ['a', 0n, '0p+0'],
  ['a', 10n, '1.4p+3'],
  ['c', 97n, 'a'],
])('formats {:%s} with the bigint %o as %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it.each([
  ['.2f', 'text', 'text'.slice(0, 2)],
  ['x', 'text', 'text'],
  ['d', undefined, 'undefined'],
  ['>12', { a: 1 }, '    { a: 1 }'],
  ['d', 1.5, '1.5'],
  ['05', Number.NaN, '  NaN'],
  ['06', -Infinity, '-Infinity'],
  ['.1f', Infinity, 'Infinity'],
  ['s', 42, '42'],
  ['?', 'a"b', `'a"b'`],
  ['?', 1, '1'],
  ['c', 'x', 'x'],
  ['c', -1, '-1'],
  ['c', 1.5, '1.5'],
  ['c', 0xd800, '55296'],
  ['c', 0x110000, '1114112'],
  ['c', true, 'true'],
  ['.1f', true, 't'],
  ['F', Infinity, 'INFINITY'],
  ['a', -Infinity, '-Infinity'],
  ['+E', Number.NaN, '+NAN'],
])('formats the inapplicable {:%s} with %o as %j', (spec, value, text) => {
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
])('counts columns without splitting a character: {:%s} formats %j as %j', (spec, value, text) => {
  expect(apply(spec, value)).toBe(text)
})

it('differs from toFixed only in ties, which it rounds to the even digit', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e20, noNaN: true }), fc.nat(20), (value, digits) => {
      const isTie = /^50*$/.test(value.toFixed(MAX_DIGITS).split('.')[1]?.slice(digits) ?? '')
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

it("differs from toExponential only in the exponent's form and in ties, which it rounds to the even digit", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.integer()),
      fc.nat(30),
      (given, digits) => {
        const value = Math.abs(given)
        const [text = '', power] = apply(`.${digits}e`, value).split('e')
        const [expected = '', expectedPower] = value.toExponential(digits).split('e')
        const exact = value.toExponential(MAX_DIGITS).replace('.', '').split('e')[0] ?? ''
        const isTie = /^50*$/.test(exact.slice(digits + 1))
        // 9.5 rounds to 10, but only the 1 is shown.
        const isEven = text === '1' || Number(text.at(-1)) % 2 === 0
        expect(isTie ? isEven : [text, Number(power)]).toEqual(isTie || [expected, Number(expectedPower)])
      },
    ),
    {
      examples: [
        [2.5, 0],
        [9.5, 0],
        [1e23, 3],
        [12_345, 3],
        [5e-324, 0],
      ],
    },
  )
})

it('shows the exact value with {:a}', () => {
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
      const [, sign, whole = '', fraction = '', power] =
        /^(-?)([01])(?:\.([\da-f]+))?p([+-]\d+)$/.exec(apply('a', value)) ?? []
      // Multiply in two steps, because 2 ** -1074 is the smallest power of two.
      const shown = (parseInt(whole + fraction, 16) / 16 ** fraction.length) * 2 ** Math.max(Number(power), -1022)
      expect(sign ? -shown : shown).toBe(value)
    }),
  )
})

it.each([
  'zz',
  '8q',
  '<<<',
  '.',
  '8.',
  '1234',
  '.1234',
  '{}',
  'xf',
  '+-',
  '0x1',
  ' 5 5',
  '\n',
  '{}',
  '.{}',
  '{0}.{1}f',
  '{>5',
])('rejects %j as a spec', (text) => {
  expect(parseSpec(text)).toBeUndefined()
})

it('returns text of at least the requested width for every spec and value without throwing', () => {
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
      fc.constantFrom('', ...Array.from('s?cdbBoxXaAeEfFgG')),
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
