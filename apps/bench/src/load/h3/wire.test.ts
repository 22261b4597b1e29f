import { describe, expect, it } from 'vitest'
import { get } from '../../http/scenario.ts'
import { decodeResponse, encodeRequest } from './wire.ts'

describe('encodeRequest', () => {
  it('encodes the fields as one HEADERS frame with literals', () => {
    const bytes = encodeRequest(get('/a'), 'h')
    // Type, length, no dynamic table, then the name length with a 3-bit prefix: 7 for `:method` needs a second byte.
    expect(bytes.subarray(0, 6)).toEqual(Buffer.from([0x01, bytes.byteLength - 2, 0, 0, 0x27, 0]))
    expect(bytes.toString('latin1')).toContain(':method\u0003GET')
    expect(bytes.toString('latin1')).toMatch(/:path\u0002\/a$/)
  })

  it('encodes a body of 100 bytes as a DATA frame with a two-byte length', () => {
    const bytes = encodeRequest({ ...get('/'), method: 'POST', body: 'x'.repeat(100) }, 'h')
    expect(bytes.subarray(-103)).toEqual(Buffer.from(`\u0000\u0040d${'x'.repeat(100)}`, 'latin1'))
  })
})

describe('decodeResponse', () => {
  const ok = [0x01, 0x03, 0, 0, 0xd9]

  it.each([
    ['one DATA frame', [...ok, 0x00, 0x02, 104, 105], 200, 'hi'],
    ['two DATA frames', [...ok, 0x00, 0x01, 104, 0x00, 0x01, 105], 200, 'hi'],
    ['a response without a DATA frame', [...ok], 200, ''],
    ['a DATA frame after an unknown frame', [...ok, 0x21, 0x01, 0, 0x00, 0x02, 104, 105], 200, 'hi'],
    ['an eight-byte length', [...ok, 0x00, 0xc0, 0, 0, 0, 0, 0, 0, 2, 104, 105], 200, 'hi'],
    ['status 404', [0x01, 0x03, 0, 0, 0xdb], 404, ''],
    ['status 500, whose index needs a second byte', [0x01, 0x04, 0, 0, 0xff, 0x08], 500, ''],
    ['a Huffman-encoded status as 0', [0x01, 0x06, 0, 0, 0x5f, 0x09, 0x82, 0x10], 0, ''],
  ])('reads %s', (_what, bytes, status, body) => {
    const response = decodeResponse(Buffer.from(bytes))
    expect([response.status, response.body.toString()]).toEqual([status, body])
  })

  it.each([[[...ok, 0x00, 0x03, 104]], [[...ok, 0x00]], [[0x01, 0x40]]])(
    'rejects the truncated frame in %j',
    (bytes) => {
      expect(() => decodeResponse(Buffer.from(bytes))).toThrow('A frame is truncated')
    },
  )
})
