import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBlock } from '../../../test/http2/hpack.ts'
import { HpackEncoder } from './encoder.ts'

const target = Buffer.alloc(64 * 1024)

function encode(encoder: HpackEncoder, status: number, fields: readonly string[]): string {
  return target.toString('hex', 0, encoder.encode(status, fields, target, 0))
}

/** Encodes the same fields several times on one connection. */
function encodeTimes(times: number, fields: readonly string[]): string[] {
  const encoder = new HpackEncoder()
  return Array.from({ length: times }, () => encode(encoder, 0, fields))
}

describe('HpackEncoder', () => {
  it.each([
    [200, '88'],
    [204, '89'],
    [404, '8d'],
    [500, '8e'],
    [299, '4803323939'],
    [0, ''],
  ])('writes status %i as %s', (status, hex) => {
    expect(encode(new HpackEncoder(), status, [])).toBe(hex)
  })

  it.each([
    ['a name in the static table by its index', ['content-length', '15'], '0f0d023135'],
    ['a volatile field without indexing', ['etag', '"1"'], '0f1303223122'],
    ['set-cookie as never indexed', ['set-cookie', 'a=b'], '1f2803613d62'],
    ['authorization as never indexed', ['authorization', 'abc'], '1f0803616263'],
    ['an empty value', ['age', ''], '0f0600'],
    ['bytes above 0x7f', ['location', '/\u00e9'], '0f1f022fe9'],
  ])('writes %s every time', (_what, fields, hex) => {
    expect(encodeTimes(3, fields)).toEqual([hex, hex, hex])
  })

  it('inserts a field into the table the first time, then writes its index', () => {
    const [first, ...rest] = encodeTimes(3, ['x-a', 'www.example.com'])
    expect(first).toBe('4003782d610f7777772e6578616d706c652e636f6d')
    expect(rest).toEqual(['be', 'be'])
  })

  it('writes the same bytes regardless of other connections, so their fields do not leak', () => {
    const field = fc.tuple(fc.constantFrom('x-token', 'vary', 'x-a', 'etag'), fc.constantFrom('a', 'b', 'c', 'secret'))
    const responses = fc.array(fc.array(field, { maxLength: 4 }), { maxLength: 60 })
    fc.assert(
      fc.property(responses, responses, (ours, others) => {
        const encodeAll = (): string[] => {
          const encoder = new HpackEncoder()
          return ours.map((fields) => encode(encoder, 200, fields.flat()))
        }
        const before = encodeAll()
        const other = new HpackEncoder()
        for (const fields of others) encode(other, 200, fields.flat())
        for (let i = 0; i < 10; i++) encode(other, 0, [`x-${i}`, 'new'])
        expect(encodeAll()).toEqual(before)
      }),
    )
  })

  it('writes the same index after the shared cache has dropped the name', () => {
    const encoder = new HpackEncoder()
    encode(encoder, 0, ['x-a', 'b'])
    for (let i = 0; i < 1000; i++) encode(new HpackEncoder(), 0, [`x-forgotten-${i}`, 'b'])
    expect(encode(encoder, 0, ['x-a', 'b'])).toBe('be')
  })

  it('finds old entries in the table', () => {
    const encoder = new HpackEncoder()
    const fields = Array.from({ length: 100 }, (_, i) => [`x-deep-${i}`, String(i)])
    for (const field of fields) encode(encoder, 0, field)
    // Each entry has about 43 bytes, so the last 95 remain.
    expect(encode(encoder, 0, fields[99] ?? [])).toBe('be')
    expect(encode(encoder, 0, fields[30] ?? [])).toBe('ff04')
    expect(encode(encoder, 0, fields[0] ?? [])).toMatch(/^40/)
  })

  it('stops indexing a name whose value always changes, until a value repeats', () => {
    const encoder = new HpackEncoder()
    const blocks = Array.from({ length: 100 }, (_, i) => encode(encoder, 0, ['x-id', `id-${i}`]))
    expect(blocks.slice(0, 8).every((block) => block.startsWith('40'))).toBe(true)
    // After that, it indexes one in sixteen as a trial.
    expect(blocks.slice(8).filter((block) => block.startsWith('40'))).toHaveLength(6)
    const later = Array.from({ length: 20 }, () => encode(encoder, 0, ['x-id', 'same']))
    expect(later[0]).toMatch(/^00/)
    expect(later.at(-1)).toBe('be')
    expect(encode(encoder, 0, ['x-id', 'another'])).toMatch(/^40/)
  })

  it('does not index a field that would fill most of the table', () => {
    const big = 'v'.repeat(3050)
    expect(encodeTimes(3, ['x-big', big]).every((block) => block.startsWith('00'))).toBe(true)
    expect(encodeTimes(3, ['x-big', big.slice(100)]).at(-1)).toBe('be')
  })

  describe('a changed table size', () => {
    it.each([
      ['no update for the current size', [4096], ''],
      ['no update for a size above 4,096', [65_536], ''],
      ['an update to a smaller size', [100], '3f45'],
      ['an update to 0', [0], '20'],
      ['one update if the last size is the smallest', [1000, 100], '3f45'],
      ['two updates if the last size is not the smallest', [0, 1000], '203fc907'],
      ['two updates if the last size is the previous one', [0, 4096], '203fe11f'],
    ])('writes %s', (_what, sizes, hex) => {
      const encoder = new HpackEncoder()
      for (const size of sizes) encoder.setMaxTableBytes(size)
      expect(encode(encoder, 200, [])).toBe(`${hex}88`)
      expect(encode(encoder, 200, [])).toBe('88')
    })

    it('evicts entries that no longer fit', () => {
      const encoder = new HpackEncoder()
      const fields = ['x-a', 'a']
      encode(encoder, 0, fields)
      encode(encoder, 0, fields)
      encoder.setMaxTableBytes(0)
      encoder.setMaxTableBytes(4096)
      expect(encode(encoder, 0, fields)).toMatch(/^203fe11f40/)
    })

    it('indexes no field at size 0', () => {
      const encoder = new HpackEncoder()
      encoder.setMaxTableBytes(0)
      encode(encoder, 200, [])
      const fields = ['server', 'fw', 'x-a', 'a', 'content-type', 'text/html; charset=utf-8']
      for (let i = 0; i < 3; i++) {
        const block = Buffer.from(encode(encoder, 200, fields), 'hex')
        expect(decodeBlock(block)).toEqual([[':status', '200'], ...[0, 2, 4].map((at) => [fields[at], fields[at + 1]])])
      }
    })
  })

  describe('maxBytes', () => {
    const fields = ['content-type', 'text/plain', 'x-long', 'v'.repeat(300)]

    it('returns enough room for the block', () => {
      const encoder = new HpackEncoder()
      encoder.setMaxTableBytes(0)
      encoder.setMaxTableBytes(4000)
      const end = encoder.encode(299, fields, target.subarray(0, 100 + HpackEncoder.maxBytes(fields)), 100)
      expect(end).toBeGreaterThan(400)
      expect(end).toBeLessThanOrEqual(100 + HpackEncoder.maxBytes(fields))
    })

    it('returns the minimum room: with less, encode writes and changes nothing', () => {
      const encoder = new HpackEncoder()
      encoder.setMaxTableBytes(100)
      const small = Buffer.alloc(HpackEncoder.maxBytes(fields) - 1)
      expect(encoder.encode(200, fields, small, 0)).toBe(-1)
      expect(small.equals(Buffer.alloc(small.length))).toBe(true)
      expect(encode(encoder, 200, [])).toBe('3f4588')
    })
  })
})
