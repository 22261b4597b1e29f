import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFieldSection } from './decoder.ts'
import { encodeFieldSection } from './encoder.ts'
import { STATIC_TABLE } from './static-table.ts'

const LIMITS = { maxBytes: 100_000, maxFields: 100 }

function decode(hex: string): string[] {
  return decodeFieldSection(Buffer.from(hex.replaceAll(' ', ''), 'hex'), LIMITS)
}

function outcomeOf(bytes: Uint8Array): string {
  try {
    decodeFieldSection(bytes, { maxBytes: 100, maxFields: 3 })
    return 'decoded'
  } catch (error) {
    return (error as Error).name
  }
}

describe('decodeFieldSection', () => {
  it.each([
    // RFC 9204 Appendix B.1
    ['a literal with a name in the static table', '0000510b2f696e6465782e68746d6c', [':path', '/index.html']],
    ['a field in the static table', '0000d1', [':method', 'GET']],
    ['the last field in the static table', '0000ff23', ['x-frame-options', 'sameorigin']],
    ['a literal', '000023616263 03646566', ['abc', 'def']],
    ['a literal in Huffman code', '00002f0125a849e95ba97d7f 8925a849e95bb8e8b4bf', ['custom-key', 'custom-value']],
    ['a literal that must not be indexed', '0000710178 3161 0162', [':path', 'x', 'a', 'b']],
    ['an empty value', '0000216100', ['a', '']],
    ['bytes above 127', '0000216101e9', ['a', '\u00e9']],
    ['an empty section', '0000', []],
    ['a section with a Base that has no meaning', '0005d1', [':method', 'GET']],
  ])('decodes %s', (_what, hex, fields) => {
    expect(decode(hex)).toEqual(fields)
  })

  it.each([
    ['no prefix', ''],
    ['half a prefix', '00'],
    ['a Required Insert Count above 0', '0200d1'],
    ['a field in the dynamic table', '000080'],
    ['a name in the dynamic table', '00004001 61'],
    ['a field beyond the Base', '000010'],
    ['a name beyond the Base', '00000001 61'],
    ['an index beyond the static table', '0000ff24'],
    ['a name index beyond the static table', '00005f54 00'],
    ['a truncated name', '00002361'],
    ['a missing value', '00002161'],
    ['a truncated value', '0000216102 61'],
    ['an integer without end', '0000ffffffffffffffffffff'],
    ['an invalid Huffman code', '00002161 81fe'],
  ])('rejects %s with QPACK_DECOMPRESSION_FAILED for the connection', (_what, hex) => {
    expect(() => decode(hex)).toThrow(expect.objectContaining({ code: 0x200, scope: 'connection' }))
  })

  it('counts names, values and 32 bytes per field against the limit', () => {
    const section = encodeFieldSection(['a', 'b', 'c', 'd'])
    expect(decodeFieldSection(section, { maxBytes: 68, maxFields: 2 })).toHaveLength(4)
    const tooLarge = expect.objectContaining({ name: 'ProtocolError', status: 431, scope: 'stream' })
    expect(() => decodeFieldSection(section, { maxBytes: 67, maxFields: 2 })).toThrow(tooLarge)
    expect(() => decodeFieldSection(section, { maxBytes: 68, maxFields: 1 })).toThrow(tooLarge)
  })

  it('throws only its two error classes, for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(['decoded', 'Http3Error', 'ProtocolError']).toContain(outcomeOf(bytes))
      }),
    )
  })
})

describe('encodeFieldSection', () => {
  it.each([
    ['a known field as its index', [':status', '200'], '0000d9'],
    ['a known field with a large index', [':status', '500'], '0000ff08'],
    ['a known name as its index', [':path', '/index.html'], '0000510b2f696e6465782e68746d6c'],
    ['an unknown name as a literal', ['abc', 'def'], '00002361626303646566'],
  ])('writes %s', (_what, fields, hex) => {
    expect(encodeFieldSection(fields).toString('hex')).toBe(hex)
  })

  it('writes sections that the decoder reads, for any fields', () => {
    const latin1 = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
      maxLength: 300,
    })
    const known = fc.constantFrom(...STATIC_TABLE.map(([name, value]) => [name, value]))
    const field = fc.oneof(known, fc.tuple(fc.constantFrom(':path', 'server', 'x-y'), latin1), fc.tuple(latin1, latin1))
    fc.assert(
      fc.property(fc.array(field, { maxLength: 20 }), (list) => {
        const fields = list.flat()
        expect(decodeFieldSection(encodeFieldSection(fields), LIMITS)).toEqual(fields)
      }),
    )
  })
})
