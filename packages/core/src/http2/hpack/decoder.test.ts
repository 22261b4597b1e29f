import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexed, indexedLiteral, integer, literal } from '../../../test/http2/hpack.ts'
import { HpackDecoder } from './decoder.ts'
import type { FieldSection } from './field.ts'
import { STATIC_TABLE } from './static-table.ts'

function fromHex(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

function decode(decoder: HpackDecoder, block: string | Buffer): FieldSection {
  const bytes = typeof block === 'string' ? fromHex(block) : block
  return decoder.decode(bytes, 0, bytes.length)
}

function newDecoder(maxTableBytes = 4096, maxListBytes = 16_384): HpackDecoder {
  return new HpackDecoder(maxTableBytes, maxListBytes)
}

/** Returns 'decoded', or the error's name. */
function outcomeOf(decoder: HpackDecoder, block: Buffer): string {
  try {
    const { fields, listBytes, isTooLarge } = decode(decoder, block)
    const total = fields.join('').length + (fields.length / 2) * 32
    return total === listBytes || (isTooLarge && total < listBytes) ? 'decoded' : 'decoded wrongly'
  } catch (error) {
    return (error as Error).name
  }
}

const GET = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com']
const DATE = 'Mon, 21 Oct 2013 20:13:21 GMT'
const LATER = 'Mon, 21 Oct 2013 20:13:22 GMT'
const SITE = 'https://www.example.com'
const COOKIE = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'
const REQUESTS = [
  GET,
  [...GET, 'cache-control', 'no-cache'],
  [
    ':method',
    'GET',
    ':scheme',
    'https',
    ':path',
    '/index.html',
    ':authority',
    'www.example.com',
    'custom-key',
    'custom-value',
  ],
]
const RESPONSES = [
  [':status', '302', 'cache-control', 'private', 'date', DATE, 'location', SITE],
  [':status', '307', 'cache-control', 'private', 'date', DATE, 'location', SITE],
  [':status', '200', 'cache-control', 'private', 'date', LATER, 'location', SITE].concat([
    'content-encoding',
    'gzip',
    'set-cookie',
    COOKIE,
  ]),
]
/** Size update to the 256-byte table of Appendix C.5 and C.6. */
const SIZE_256 = '3fe101'

describe('HpackDecoder', () => {
  it.each([
    ['C.2.1', ['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'], [['custom-key', 'custom-header']]],
    ['C.2.2', ['040c 2f73 616d 706c 652f 7061 7468'], [[':path', '/sample/path']]],
    ['C.2.3', ['1008 7061 7373 776f 7264 0673 6563 7265 74'], [['password', 'secret']]],
    ['C.2.4', ['82'], [[':method', 'GET']]],
    [
      'C.3',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
      REQUESTS,
    ],
    [
      'C.4',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
      REQUESTS,
    ],
    [
      'C.5',
      [
        `${SIZE_256} 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32
         3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
        '4803 3330 37c1 c0bf',
        `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f
         6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b
         2076 6572 7369 6f6e 3d31`,
      ],
      RESPONSES,
    ],
    [
      'C.6',
      [
        `${SIZE_256} 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad
         1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
        '4883 640e ffc1 c0bf',
        `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335
         dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
      ],
      RESPONSES,
    ],
  ])('decodes RFC 7541 Appendix %s', (_name, blocks, sections) => {
    const decoder = newDecoder()
    expect(blocks.map((block) => decode(decoder, block.replaceAll('\n', '')).fields)).toEqual(sections)
  })

  it('builds the dynamic table of RFC 7541 Appendix C.5', () => {
    const decoder = newDecoder()
    decode(decoder, SIZE_256)
    const fields = ['content-encoding', 'gzip', 'date', LATER, 'set-cookie', COOKIE]
    const inserted = Buffer.concat([
      indexedLiteral('one', 'too many'),
      indexedLiteral('content-encoding', 'gzip'),
      indexedLiteral('date', LATER),
      indexedLiteral('set-cookie', COOKIE),
    ])
    decode(decoder, inserted)
    expect(decode(decoder, 'c0bfbe').fields).toEqual(fields)
    expect(() => decode(decoder, 'c1')).toThrow('an index is outside both tables')
  })

  it('decodes every entry of the static table', () => {
    for (const [at, field] of STATIC_TABLE.entries()) {
      expect(decode(newDecoder(), indexed(at + 1)).fields).toEqual(field)
    }
  })

  it('decodes only the bytes between start and end', () => {
    expect(newDecoder().decode(fromHex('ff 82 86 ff'), 1, 3).fields).toEqual([':method', 'GET', ':scheme', 'http'])
  })

  it('keeps bytes above 0x7f unchanged', () => {
    expect(decode(newDecoder(), literal('a', '\u00e9\u00ff')).fields).toEqual(['a', '\u00e9\u00ff'])
  })

  it('decodes long strings, with and without Huffman code', () => {
    // The code of "0" is five zero bits, so 5,000 zero bytes encode 8,000 characters.
    const zeros = Buffer.concat([fromHex('00 0161'), integer(5000, 7, 0x80), Buffer.alloc(5000)])
    expect(decode(newDecoder(), zeros).fields).toEqual(['a', '0'.repeat(8000)])
    expect(decode(newDecoder(), literal('a', 'b'.repeat(9000))).fields).toEqual(['a', 'b'.repeat(9000)])
  })

  describe('a malformed block', () => {
    it.each([
      ['index 0', '80'],
      ['an index just outside the tables', 'be'],
      ['an index far outside the tables', 'ffffffff07'],
      ['the index of a name outside the tables', '7e0161'],
      ['an unterminated index', 'ffffffffffffff'],
      ['the EOS symbol in Huffman code', '00 0161 84ffffffff'],
      ['eight bits of Huffman padding', '00 0161 82 1fff'],
      ['Huffman padding that is not ones', '00 0161 81 18'],
      ['a table size above the maximum', '3fe21f'],
      ['a table size update after a field', '82 3f e11f'],
      ['three table size updates', '20 20 20 82'],
      ['a string that is longer than the block', '00 0561'],
      ['a string of almost 2^31 bytes', '00 7f81ffffff07'],
    ])('throws HpackError for %s', (_what, hex) => {
      expect(() => decode(newDecoder(), hex)).toThrow(expect.objectContaining({ name: 'HpackError' }))
    })

    it('throws HpackError if it is truncated within a field', () => {
      const fields = [
        '3fe11f',
        '400a637573746f6d2d6b65798925a849e95bb8e8b4bf',
        '0f0d03616263',
        '82',
        '7e026162',
        'bf',
        '86',
      ]
      const block = fromHex(fields.join(''))
      const whole = new Set(fields.map((_, count) => fromHex(fields.slice(0, count + 1).join('')).length))
      for (let end = 1; end <= block.length; end++) {
        expect(outcomeOf(newDecoder(), block.subarray(0, end))).toBe(whole.has(end) ? 'decoded' : 'HpackError')
      }
    })

    it('throws no other error for random bytes', () => {
      const hostile = fc.uint8Array({ maxLength: 80 })
      fc.assert(
        fc.property(fc.array(hostile, { maxLength: 5 }), (blocks) => {
          const decoder = newDecoder(4096, 500)
          for (const block of blocks)
            expect(['decoded', 'HpackError']).toContain(outcomeOf(decoder, Buffer.from(block)))
        }),
      )
    })
  })

  describe('the dynamic table', () => {
    it('has room for 4,096 bytes until the first size update, even if a different size is announced', () => {
      const decoder = newDecoder(0)
      decode(decoder, indexedLiteral('a', 'b'))
      expect(decode(decoder, 'be').fields).toEqual(['a', 'b'])
      decode(decoder, '20')
      expect(() => decode(decoder, 'be')).toThrow('outside both tables')
    })

    it('can grow to the announced size', () => {
      const decoder = newDecoder(10_000)
      decode(decoder, Buffer.concat([integer(10_000, 5, 0x20), indexedLiteral('a', 'b'.repeat(9900))]))
      expect(decode(decoder, 'be').fields).toEqual(['a', 'b'.repeat(9900)])
    })

    it('is emptied by two size updates in one block', () => {
      const decoder = newDecoder()
      decode(decoder, indexedLiteral('a', 'b'))
      expect(decode(decoder, '20 3fe11f 82').fields).toEqual([':method', 'GET'])
      expect(() => decode(decoder, 'be')).toThrow('outside both tables')
    })

    it('resolves the name of an entry that the new entry evicts (RFC 7541 §4.4)', () => {
      const decoder = newDecoder()
      const large = 'v'.repeat(4000)
      decode(decoder, indexedLiteral('some-name', large))
      const again = Buffer.concat([integer(62, 6, 0x40), integer(4001, 7, 0), Buffer.alloc(4001, 0x77)])
      expect(decode(decoder, again).fields).toEqual(['some-name', 'w'.repeat(4001)])
      expect(decode(decoder, 'be').fields).toEqual(['some-name', 'w'.repeat(4001)])
      expect(() => decode(decoder, 'bf')).toThrow('outside both tables')
    })
  })

  describe('a section that is too large', () => {
    it('exceeds the limit by the bytes of names and values, and 32 bytes per field', () => {
      const block = Buffer.concat([literal('a', 'bc'), literal('d', 'ef')])
      expect(decode(newDecoder(4096, 70), block)).toMatchObject({ listBytes: 70, isTooLarge: false })
      const fields = ['a', 'bc']
      expect(decode(newDecoder(4096, 69), block)).toMatchObject({ fields, listBytes: 70, isTooLarge: true })
    })

    it('is counted to its end, and still updates the table', () => {
      const decoder = newDecoder(4096, 100)
      const block = Buffer.concat([
        fromHex('82'),
        literal('a', 'b'.repeat(100)),
        indexedLiteral('c', 'd'),
        fromHex('86'),
      ])
      expect(decode(decoder, block)).toMatchObject({ fields: [':method', 'GET'], listBytes: 42 + 133 + 34 + 43 })
      expect(decode(decoder, 'be').fields).toEqual(['c', 'd'])
    })

    it('keeps no fields above the limit if a block repeats one large entry', () => {
      const decoder = newDecoder(4096, 16_384)
      decode(decoder, indexedLiteral('a', 'b'.repeat(4000)))
      const section = decode(decoder, Buffer.alloc(16_000, 0xbe))
      expect(section.fields).toHaveLength(2 * 4)
      expect(section).toMatchObject({ listBytes: 16_000 * 4033, isTooLarge: true })
    })
  })

  describe('isWellFormed', () => {
    it.each([
      ['a', 'b', true],
      [':path', '/', true],
      ["x-y_z.1!#$%&'*+^`|~", '', true],
      ['a', 'tab\tinside and \u00e9', true],
      ['', 'no name', false],
      [':', 'no name', false],
      ['::a', '', false],
      ['a:b', '', false],
      ['Upper', '', false],
      ['sp ace', '', false],
      ['\u00e9', '', false],
      ['a', 'line\nbreak', false],
      ['a', 'return\r', false],
      ['a', 'nul\0', false],
      ['a', 'delete\x7f', false],
      ['a', ' before', false],
      ['a', 'behind\t', false],
      ['a', ' ', false],
    ])(
      'reports whether the field %j with value %j is well-formed, as a literal and from the table: %s',
      (name, value, isWellFormed) => {
        const decoder = newDecoder()
        expect(decode(decoder, literal(name, value)).isWellFormed).toBe(isWellFormed)
        expect(decode(decoder, indexedLiteral(name, value)).isWellFormed).toBe(isWellFormed)
        expect(decode(decoder, 'be').isWellFormed).toBe(isWellFormed)
        expect(decode(decoder, '82').isWellFormed).toBe(true)
        const named = Buffer.concat([integer(62, 4, 0), fromHex('00')])
        expect(decode(decoder, named).isWellFormed).toBe(isWellFormed || name === 'a')
      },
    )

    it('detects control characters in Huffman code', () => {
      // The code of LF has 30 bits: 1111 1111 1111 1111 1111 1111 1111 00
      expect(decode(newDecoder(), '00 0161 84 fffffff3')).toMatchObject({ fields: ['a', '\n'], isWellFormed: false })
    })
  })
})
