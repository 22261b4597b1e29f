import { describe, expect, it } from 'vitest'
import { dataOf } from './response-chunk.ts'

describe('dataOf()', () => {
  it.each<[unknown, unknown, string | Uint8Array]>([
    ['é', undefined, 'é'],
    ['é', 'utf8', 'é'],
    ['é', 'UTF-8', 'é'],
    ['é', () => {}, 'é'],
    ['é', 'latin1', Buffer.from([0xe9])],
    ['c3a9', 'hex', Buffer.from([0xc3, 0xa9])],
    [new Uint8Array([1, 2]), undefined, new Uint8Array([1, 2])],
  ])('converts %j in the encoding %j to %j', (chunk, encoding, expected) => {
    expect(dataOf(chunk, encoding)).toEqual(expected)
  })

  it.each([1, null, {}, new ArrayBuffer(1)])('rejects %j', (chunk) => {
    expect(() => dataOf(chunk, undefined)).toThrow('response.write: chunk must be a string or a Uint8Array, got ')
  })
})
