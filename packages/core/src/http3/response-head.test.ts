import { describe, expect, it } from 'vitest'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { encodeResponse, encodeResponseHead } from './response-head.ts'

const HEAD: ResponseHead = { fields: ['X-A', 'b'], contentLength: 3, allowsBody: true, close: false, hasDate: true }

describe('encodeResponse', () => {
  it.each([0, 1, 63, 64, 16_383, 16_384])(
    'encodes a response with content of length %i as its head and one DATA frame',
    (length) => {
      const body = Buffer.alloc(length, 'x')
      const head = encodeResponseHead(200, HEAD)
      const response = encodeResponse(200, HEAD, body)
      const lengthBytes = length < 64 ? 1 : length < 16_384 ? 2 : 4
      expect(response.subarray(0, head.byteLength)).toEqual(head)
      expect(response[head.byteLength]).toBe(0)
      expect(response.subarray(head.byteLength + 1 + lengthBytes)).toEqual(body)
    },
  )
})
