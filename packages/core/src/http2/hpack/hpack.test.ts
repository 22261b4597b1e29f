import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HpackDecoder } from './decoder.ts'
import { HpackEncoder } from './encoder.ts'

const name = fc.constantFrom(
  'content-type',
  'x-a',
  'x-b',
  'etag',
  'set-cookie',
  'date',
  'cache-control',
  'x-longer-name',
)
const value = fc.oneof(
  fc.constantFrom('', 'a', 'text/html', 'no-cache', 'x'.repeat(900)),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 200 }),
)
const list = fc.array(fc.tuple(name, value), { maxLength: 12 }).map((fields) => fields.flat())
const size = fc.option(fc.integer({ min: 0, max: 5000 }), { freq: 5 })

describe('HpackDecoder', () => {
  it('decodes every block of HpackEncoder, after any earlier blocks and table sizes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(size, { maxLength: 3 }), list), { maxLength: 40 }), (blocks) => {
        const encoder = new HpackEncoder()
        const decoder = new HpackDecoder(4096, 100_000)
        const target = Buffer.alloc(64 * 1024)
        for (const [sizes, fields] of blocks) {
          for (const bytes of sizes) if (bytes !== null) encoder.setMaxTableBytes(bytes)
          const end = encoder.encode(200, fields, target, 5)
          expect(end).toBeGreaterThan(5)
          expect(end - 5).toBeLessThanOrEqual(HpackEncoder.maxBytes(fields))
          expect(decoder.decode(target, 5, end).fields).toEqual([':status', '200', ...fields])
        }
      }),
    )
  })
})
