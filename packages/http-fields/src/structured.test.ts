import * as fc from 'fast-check'
import * as oracle from 'structured-headers'
import { describe, expect, it } from 'vitest'
import { parseDictionary, parseItem, parseList } from './parse-structured.ts'
import { serializeDictionary, serializeItem, serializeList } from './serialize-structured.ts'
import { type BareItem, DisplayText, type Item, type Member, Token } from './structured-value.ts'

const item = (value: BareItem, parameters: Record<string, BareItem> = {}): Item => ({
  value,
  parameters: new Map(Object.entries(parameters)),
})

describe('parseItem', () => {
  it.each<[string, Item]>([
    ['0', item(0)],
    ['-999999999999999', item(-999_999_999_999_999)],
    ['1.5', item(1.5)],
    ['-123456789012.125', item(-123_456_789_012.125)],
    ['"a \\"b\\" \\\\"', item('a "b" \\')],
    ['a/b:*', item(new Token('a/b:*'))],
    ['*', item(new Token('*'))],
    [':YWJj:', item(Buffer.from('abc'))],
    ['::', item(Buffer.alloc(0))],
    [':YQ:', item(Buffer.from('a'))],
    ['?1', item(true)],
    ['@1659578233', item(new Date(1_659_578_233_000))],
    ['@-1', item(new Date(-1000))],
    ['@253402300799', item(new Date('9999-12-31T23:59:59Z'))],
    ['@-62135596800', item(new Date('0001-01-01T00:00:00Z'))],
    ['%"f%c3%bc"', item(new DisplayText('fü'))],
    ['  7  ', item(7)],
    ['a;b;c=?0; d="x"', item(new Token('a'), { b: true, c: false, d: 'x' })],
    ['a;b=1;c=2;b=3', item(new Token('a'), { b: 3, c: 2 })],
  ])('parses %j', (field, expected) => {
    expect(parseItem(field)).toEqual(expected)
  })

  it.each([
    ['an empty value', ''],
    ['16 digits', '1234567890123456'],
    ['13 digits before the point', '1234567890123.0'],
    ['4 digits after the point', '1.0000'],
    ['a point without digits', '1.'],
    ['a second point', '1.1.1'],
    ['a plus sign', '+1'],
    ['a lone minus sign', '-'],
    ['an unclosed string', '"a'],
    ['an unknown escape', '"\\n"'],
    ['a control character', '"\u0001"'],
    ['a character above ASCII', '"ü"'],
    ['unclosed bytes', ':YWJj'],
    ['bytes with other characters', ':YW_j:'],
    ['bytes with one character too many', ':YWJja:'],
    ['an unknown boolean', '?2'],
    ['a date with a fraction', '@1.5'],
    ['a date that a Date cannot represent', '@16595759578233'],
    ['display text with upper-case hexadecimal digits', '%"%C3%BC"'],
    ['display text that is not UTF-8', '%"%ff"'],
    ['a parameter in upper case', 'a;B=1'],
    ['a parameter without a value', 'a;b='],
    ['a parameter without a name', 'a;'],
    ['text after the item', 'a b'],
    ['a leading tab', '\ta'],
  ])('rejects %s: %j', (_, field) => {
    expect(parseItem(field)).toBe(undefined)
  })
})

describe('parseList', () => {
  it.each<[string, readonly Member[]]>([
    ['', []],
    ['a, b;q=1 ,\tc', [item(new Token('a')), item(new Token('b'), { q: 1 }), item(new Token('c'))]],
    ['()', [{ items: [], parameters: new Map() }]],
    ['( 1  "x";p );q', [{ items: [item(1), item('x', { p: true })], parameters: new Map([['q', true]]) }]],
  ])('parses %j', (field, expected) => {
    expect(parseList(field)).toEqual(expected)
  })

  it.each(['a,', ',a', 'a,,b', 'a b', '(a', '(a,b)', 'a)', '(1"x")', '((a))'])('rejects %j', (field) => {
    expect(parseList(field)).toBe(undefined)
  })
})

describe('parseDictionary', () => {
  it.each<[string, [string, Member][]]>([
    ['', []],
    [
      'a=1, b;c, d=(x)',
      [
        ['a', item(1)],
        ['b', item(true, { c: true })],
        ['d', { items: [item(new Token('x'))], parameters: new Map() }],
      ],
    ],
    [
      'a=1,b=2,a=3',
      [
        ['a', item(3)],
        ['b', item(2)],
      ],
    ],
  ])('parses %j', (field, expected) => {
    expect([...(parseDictionary(field) ?? [])]).toEqual(expected)
  })

  it.each(['A=1', 'a=', 'a=1,', '=1', 'a=1 b=2'])('rejects %j', (field) => {
    expect(parseDictionary(field)).toBe(undefined)
  })
})

describe('serialize', () => {
  it.each<[BareItem, Record<string, BareItem>, string]>([
    ['login', { q: 10, w: 60 }, '"login";q=10;w=60'],
    [-0, {}, '0'],
    [1.0005, {}, '1.0'],
    [1.0015, {}, '1.002'],
    [0.1, {}, '0.1'],
    [-1.25, {}, '-1.25'],
    ['a "b" \\', {}, '"a \\"b\\" \\\\"'],
    [true, { a: true, b: false }, '?1;a;b=?0'],
    [new Token('gzip'), {}, 'gzip'],
    [Buffer.from('abc'), {}, ':YWJj:'],
    [new Date(1999), {}, '@1'],
    [new DisplayText('50% "fü"'), {}, '%"50%25 %22f%c3%bc%22"'],
  ])('writes %j with %j as %s', (value, parameters, expected) => {
    expect(serializeItem(value, parameters)).toBe(expected)
    expect(serializeItem(value, new Map(Object.entries(parameters)))).toBe(expected)
  })

  it.each<[string, BareItem]>([
    ['an integer of 16 digits', 1e15],
    ['a decimal of 13 digits', 1e12 + 0.5],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a string that is not ASCII', 'ü'],
    ['a string with a line break', 'a\r\nb: c'],
    ['a token with a space', new Token('a b')],
    ['an empty token', new Token('')],
    ['an invalid date', new Date(Number.NaN)],
    ['a lone surrogate', new DisplayText('\ud800')],
    ['null', null as unknown as BareItem],
  ])('rejects %s', (_, value) => {
    expect(() => serializeItem(value)).toThrow(TypeError)
    expect(() => serializeItem(1, { a: value })).toThrow(TypeError)
  })

  it('rejects a key in upper case', () => {
    expect(() => serializeItem(1, { Q: 1 })).toThrow('structured field: key must be a lower-case name, got "Q".')
  })

  it('writes a true dictionary member without a value', () => {
    expect(
      serializeDictionary(
        new Map<string, Member>([
          ['a', item(true, { b: 1 })],
          ['c', item(false)],
        ]),
      ),
    ).toBe('a;b=1, c=?0')
  })
})

/** Values that the other implementation represents identically. */
const arbitraryValue: fc.Arbitrary<BareItem> = fc.oneof(
  fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
  fc.integer({ min: -999_999, max: 999_999 }).map((n) => n + 0.125),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.boolean(),
  fc.constantFrom('a', 'b/c', '*x').map((name) => new Token(name)),
  fc.uint8Array({ maxLength: 9 }),
)
const arbitraryItem = fc.record({
  value: arbitraryValue,
  parameters: fc.dictionary(fc.constantFrom('a', 'b-1', '*c'), arbitraryValue, { noNullPrototype: true }),
})
const toMember = ({ value, parameters }: { value: BareItem; parameters: Record<string, BareItem> }): Item =>
  item(value instanceof Uint8Array ? Buffer.from(value) : value, buffered(parameters))
const buffered = (parameters: Record<string, BareItem>): Record<string, BareItem> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  )

/** Reports whether a parser accepts its input: this parser returns a value, and the other one does not throw. */
function accepts(parse: () => unknown): boolean {
  try {
    return parse() !== undefined
  } catch {
    return false
  }
}

describe('a round trip', () => {
  it('returns the same list, whose text another implementation accepts', () => {
    fc.assert(
      fc.property(fc.array(arbitraryItem, { minLength: 1 }), (given) => {
        const members = given.map(toMember)
        const field = serializeList(members)
        expect(parseList(field)).toEqual(members)
        expect(oracle.serializeList(oracle.parseList(field))).toBe(field)
      }),
    )
  })

  it('returns the same dictionary, whose text another implementation accepts', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('x', 'y_2', '*z'), arbitraryItem, { minKeys: 1 }), (given) => {
        const members = new Map(Object.entries(given).map(([name, each]) => [name, toMember(each)]))
        const field = serializeDictionary(members)
        expect([...(parseDictionary(field) ?? [])]).toEqual([...members])
        expect(oracle.serializeDictionary(oracle.parseDictionary(field))).toBe(field)
      }),
    )
  })

  it('rejects the same fields as another implementation', () => {
    const pieces = [
      'a',
      '1',
      '.',
      '-',
      '"',
      '\\',
      ':',
      '?1',
      '?',
      '(',
      ')',
      ' ',
      '\t',
      ',',
      ';',
      '=',
      '@',
      '%',
      'YQ==',
      '*',
      'A',
      'ü',
    ]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
        (field) => {
          expect([field, parseList(field) !== undefined]).toEqual([field, accepts(() => oracle.parseList(field))])
          expect([field, parseDictionary(field) !== undefined]).toEqual([
            field,
            accepts(() => oracle.parseDictionary(field)),
          ])
          expect([field, parseItem(field) !== undefined]).toEqual([field, accepts(() => oracle.parseItem(field))])
        },
      ),
      { numRuns: 5000 },
    )
  })
})
