import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHuffman, encodeHuffman, huffmanBytes } from './huffman.ts'

/** Returns the bytes for a string of bits, padded with ones as an encoder pads them. */
function padded(bits: string): Uint8Array {
  const joined = bits.replaceAll(' ', '')
  const whole = joined.padEnd(Math.ceil(joined.length / 8) * 8, '1')
  return Uint8Array.from(whole.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

function encode(text: string): Buffer {
  const target = Buffer.alloc(huffmanBytes(text) + 3)
  const end = encodeHuffman(text, target, 2)
  expect(end).toBe(huffmanBytes(text) + 2)
  expect(target[end]).toBe(0)
  return target.subarray(2, end)
}

/** Generates strings of characters with short codes, and strings of arbitrary bytes. */
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'e', 'o', 't', '0', '2', '9', '-', '/', '%', '"', '<', '~'), maxLength: 200 }),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 200 }),
)

function decode(bytes: Uint8Array): string | undefined {
  return decodeHuffman(bytes, 0, bytes.byteLength)
}

describe('decodeHuffman', () => {
  // RFC 7541 Appendix C.4 and C.6
  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95ba97d7f', 'custom-key'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['6402', '302'],
    ['aec3771a4b', 'private'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['9d29ad171863c78f0b97c8e9ae82ae43d3', 'https://www.example.com'],
    [
      '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ],
    ['', ''],
  ])('decodes %j', (hex, text) => {
    expect(decode(Buffer.from(hex, 'hex'))).toBe(text)
  })

  // RFC 7541 Appendix B: the first and the last code of several lengths
  it.each([
    ['0', '00000'],
    ['t', '01001'],
    [' ', '010100'],
    ['u', '101101'],
    [':', '1011100'],
    ['z', '1111011'],
    ['&', '11111000'],
    ['Z', '11111101'],
    ['!', '1111111000'],
    ['?', '1111111100'],
    ['\0', '1111111111000'],
    ['~', '1111111111101'],
    ['<', '111111111111100'],
    ['{', '111111111111110'],
    ['\\', '1111111111111110000'],
    ['\u0080', '11111111111111100110'],
    ['\u00ff', '11111111111111111111101110'],
    ['\u0002', '1111111111111111111111100010'],
    ['\n', '111111111111111111111111111100'],
    ['\u0016', '111111111111111111111111111110'],
  ])('decodes the code of %j', (byte, code) => {
    expect(decode(padded(code))).toBe(byte)
    expect(decode(padded(`00011${code}00011`))).toBe(`a${byte}a`)
  })

  it('reads only the bytes between start and end', () => {
    const bytes = Buffer.from('ffa8eb10649cbfff', 'hex')
    expect(decodeHuffman(bytes, 1, 7)).toBe('no-cache')
  })

  // RFC 7541 §5.2
  it.each([
    ['eight bits of padding', '00011111 11111111'],
    ['padding with a zero', '00011000'],
    ['a truncated code', '11111110'],
    ['the end-of-string code', '111111111111111111111111111111'],
    ['the end-of-string code after text', '00011 111111111111111111111111111111 00011'],
  ])('rejects %s', (_what, bits) => {
    expect(decode(padded(bits))).toBeUndefined()
  })

  it('decodes every encoded string, and decodes a truncated one to a shorter string or rejects it', () => {
    fc.assert(
      fc.property(texts, (value) => {
        const bytes = encode(value)
        expect(decode(bytes)).toBe(value)
        for (let end = 0; end < bytes.length; end++) {
          const start = decode(bytes.subarray(0, end)) ?? ''
          expect(value.startsWith(start) && start.length < value.length).toBe(true)
        }
      }),
    )
  })

  it('rejects all bytes that an encoder never writes', () => {
    const ones = fc.array(fc.constantFrom(0xff, 0xfe, 0xfc, 0xf0, 0x7f, 0x00, 0x18), { maxLength: 12 })
    const hostile = fc.oneof(
      ones.map((bytes) => Uint8Array.from(bytes)),
      fc.uint8Array({ maxLength: 40 }),
    )
    fc.assert(
      fc.property(hostile, (bytes) => {
        const decoded = decode(bytes)
        expect([undefined, Buffer.from(bytes).toString('hex')]).toContain(decoded && encode(decoded).toString('hex'))
      }),
      { numRuns: 2000 },
    )
  })

  it('decodes strings longer than its shared buffer', () => {
    const long = 'abc'.repeat(5000)
    expect(decode(encode(long))).toBe(long)
  })
})

describe('encodeHuffman', () => {
  // RFC 7541 Appendix C.4 and C.6
  it.each([
    ['www.example.com', 'f1e3c2e5f23a6ba0ab90f4ff'],
    ['302', '6402'],
    ['Mon, 21 Oct 2013 20:13:21 GMT', 'd07abe941054d444a8200595040b8166e082a62d1bff'],
    ['', ''],
  ])('encodes %j', (value, hex) => {
    expect(encode(value).toString('hex')).toBe(hex)
  })
})
