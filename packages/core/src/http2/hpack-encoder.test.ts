import { describe, expect, it } from 'vitest'
import { decodeBlock } from '../../test/http2/hpack.ts'
import { HpackEncoder } from './hpack-encoder.ts'

const target = Buffer.alloc(64 * 1024)

function encode(encoder: HpackEncoder, status: number, fields: readonly string[]): string {
  return target.toString('hex', 0, encoder.encode(status, fields, target, 0))
}

/** The same fields over and over, on one connection. */
function encodeTimes(times: number, fields: readonly string[]): string[] {
  const encoder = new HpackEncoder()
  return Array.from({ length: times }, () => encode(encoder, 0, fields))
}

let names = 0
/** A name that no other test has used: what is known of fields outlives a connection. */
function freshName(): string {
  return `x-fresh-${names++}`
}

describe('HpackEncoder', () => {
  it.each([
    [200, '88'],
    [204, '89'],
    [404, '8d'],
    [500, '8e'],
    [299, '0803323939'],
    [0, ''],
  ])('writes status %i as %s', (status, hex) => {
    expect(encode(new HpackEncoder(), status, [])).toBe(hex)
  })

  it.each([
    ['a name of the static table by its number', ['content-length', '15'], '0f0d023135'],
    ['what differs from answer to answer as it is', ['etag', '"1"'], '0f1303223122'],
    ['a secret never to be indexed', ['set-cookie', 'a=b'], '1f2803613d62'],
    ['authorization likewise', ['authorization', 'abc'], '1f0803616263'],
    ['an empty value', ['age', ''], '0f0600'],
    ['octets above 0x7f', ['location', '/\u00e9'], '0f1f022fe9'],
  ])('writes %s, each time', (_what, fields, hex) => {
    expect(encodeTimes(3, fields)).toEqual([hex, hex, hex])
  })

  it('writes a field to the table when it is sent for the second time, then its number', () => {
    const name = freshName()
    const [first, second, ...rest] = encodeTimes(4, [name, 'www.example.com'])
    expect(first).toMatch(/^00.*7777772e6578616d706c652e636f6d$/)
    expect(second).toMatch(/^40.*8cf1e3c2e5f23a6ba0ab90f4ff$/)
    expect(rest).toEqual(['be', 'be'])
  })

  it('writes what other connections sent to the table at once', () => {
    const fields = [freshName(), 'a']
    encodeTimes(2, fields)
    expect(encodeTimes(2, fields)).toEqual([expect.stringMatching(/^40/), 'be'])
  })

  it('finds fields that are deep in the table', () => {
    const encoder = new HpackEncoder()
    const fields = Array.from({ length: 100 }, (_, i) => [freshName(), String(i)])
    for (const field of [...fields, ...fields]) encode(encoder, 0, field)
    // Each takes some 45 octets, so the last 80 or so are left.
    expect(encode(encoder, 0, fields[99] ?? [])).toBe('be')
    expect(encode(encoder, 0, fields[30] ?? [])).toBe('ff04')
    expect(encode(encoder, 0, fields[0] ?? [])).toMatch(/^40/)
  })

  it('takes a name with a new value each time for one that has no use for the table, until it repeats itself', () => {
    const encoder = new HpackEncoder()
    const name = freshName()
    for (let i = 0; i < 100; i++) expect(encode(encoder, 0, [name, `id-${i}`])).toMatch(/^00/)
    const later = Array.from({ length: 1100 }, () => encode(encoder, 0, [name, 'same']))
    expect(later[0]).toMatch(/^00/)
    expect(later.at(-1)).toBe('be')
  })

  it('keeps fields out of the table that would fill most of it', () => {
    const big = 'v'.repeat(3050)
    expect(encodeTimes(3, [freshName(), big]).every((block) => block.startsWith('00'))).toBe(true)
    expect(encodeTimes(3, [freshName(), big.slice(100)]).at(-1)).toBe('be')
  })

  it('still knows the fields of all answers after any number of names and values made from input', () => {
    const encoder = new HpackEncoder()
    const fields = [freshName(), 'of each answer']
    for (let i = 0; i < 3000; i++) {
      encode(encoder, 0, [`x-${i}`, `${i}`.repeat(40), 'vary', `v${i}`])
      if (i % 10 === 0) encode(encoder, 0, fields)
    }
    encode(encoder, 0, fields)
    encode(encoder, 0, fields)
    expect(encode(encoder, 0, fields)).toMatch(/^(?:[89a-e].|ff..)$/)
  })

  describe('changes the size of the table', () => {
    it.each([
      ['not for the size there is', [4096], ''],
      ['not for a larger one', [65_536], ''],
      ['to a smaller one', [100], '3f45'],
      ['to none', [0], '20'],
      ['only to the last one if that is the smallest', [1000, 100], '3f45'],
      ['by way of the smallest one', [0, 1000], '203fc907'],
      ['by way of the smallest one, back', [0, 4096], '203fe11f'],
    ])('%s', (_what, sizes, hex) => {
      const encoder = new HpackEncoder()
      for (const size of sizes) encoder.setMaxTableBytes(size)
      expect(encode(encoder, 200, [])).toBe(`${hex}88`)
      expect(encode(encoder, 200, [])).toBe('88')
    })

    it('and forgets what is driven out', () => {
      const encoder = new HpackEncoder()
      const fields = [freshName(), 'a']
      encode(encoder, 0, fields)
      encode(encoder, 0, fields)
      encoder.setMaxTableBytes(0)
      encoder.setMaxTableBytes(4096)
      expect(encode(encoder, 0, fields)).toMatch(/^203fe11f40/)
    })

    it('writes to no table when there is none', () => {
      const encoder = new HpackEncoder()
      encoder.setMaxTableBytes(0)
      encode(encoder, 200, [])
      const fields = ['server', 'fw', freshName(), 'a', 'content-type', 'text/html; charset=utf-8']
      for (let i = 0; i < 3; i++) {
        const block = Buffer.from(encode(encoder, 200, fields), 'hex')
        expect(decodeBlock(block)).toEqual([[':status', '200'], ...[0, 2, 4].map((at) => [fields[at], fields[at + 1]])])
      }
    })
  })

  describe('maxBytes', () => {
    const fields = ['content-type', 'text/plain', 'x-long', 'v'.repeat(300)]

    it('is enough room', () => {
      const encoder = new HpackEncoder()
      encoder.setMaxTableBytes(0)
      encoder.setMaxTableBytes(4000)
      const end = encoder.encode(299, fields, target.subarray(0, 100 + HpackEncoder.maxBytes(fields)), 100)
      expect(end).toBeGreaterThan(400)
      expect(end).toBeLessThanOrEqual(100 + HpackEncoder.maxBytes(fields))
    })

    it('is asked for: with less room nothing is written and nothing changes', () => {
      const encoder = new HpackEncoder()
      encoder.setMaxTableBytes(100)
      const small = Buffer.alloc(HpackEncoder.maxBytes(fields) - 1)
      expect(encoder.encode(200, fields, small, 0)).toBe(-1)
      expect(small.equals(Buffer.alloc(small.length))).toBe(true)
      expect(encode(encoder, 200, [])).toBe('3f4588')
    })
  })
})
