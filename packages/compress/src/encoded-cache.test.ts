import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { copyOf, EncodedCache, fingerprintOf, isSameBody } from './encoded-cache.ts'

const BODY = fingerprintOf({ whole: 'hello', lengthBytes: 5 })
/** The memory of a copy of 100 bytes with a key of one character. */
const SIZE = 100 + 2 + 320

function bytes(length: number): Uint8Array {
  return new Uint8Array(length)
}

describe('fingerprintOf', () => {
  it('differs for bodies of the same length and CRC-32', () => {
    const [one, other] = ['plumless', 'buckeroo'].map((whole) => ({ whole, lengthBytes: 8 }))
    if (one === undefined || other === undefined) throw new Error('A body is missing')
    expect(crc32(one.whole)).toBe(crc32(other.whole))
    expect(isSameBody(fingerprintOf(one), fingerprintOf(other))).toBe(false)
  })

  it('is the same for text and its bytes', () => {
    const text = { whole: 'é'.repeat(1000), lengthBytes: 2000 }
    expect(isSameBody(fingerprintOf(text), fingerprintOf({ ...text, whole: Buffer.from(text.whole) }))).toBe(true)
  })
})

describe('EncodedCache', () => {
  it('returns the copy of the same body only', () => {
    const cache = new EncodedCache(10_000)
    const copy = copyOf(bytes(100), BODY, false)
    cache.set('a', copy)
    expect(cache.find('a', fingerprintOf({ whole: Buffer.from('hello'), lengthBytes: 5 }))).toBe(copy)
    expect(cache.find('a', fingerprintOf({ whole: 'hallo', lengthBytes: 5 }))).toBe(undefined)
    expect(cache.find('a', { ...BODY, lengthBytes: 6 })).toBe(undefined)
    expect(cache.find('b', BODY)).toBe(undefined)
    expect(copy.hits).toBe(1)
  })

  it('drops the copies that were found longest ago at the limit', () => {
    const cache = new EncodedCache(3 * SIZE)
    for (const key of ['a', 'b', 'c']) cache.set(key, copyOf(bytes(100), BODY, false))
    expect(cache.bytes).toBe(3 * SIZE)
    cache.find('a', BODY)
    cache.set('d', copyOf(bytes(100), BODY, false))
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.find(key, BODY) !== undefined)).toEqual(['a', 'c', 'd'])
    expect(cache.bytes).toBe(3 * SIZE)
  })

  it('stores a copy that fills the limit, and none that exceeds it', () => {
    const cache = new EncodedCache(SIZE)
    cache.set('a', copyOf(bytes(100), BODY, false))
    expect(cache.bytes).toBe(SIZE)
    cache.set('a', copyOf(bytes(101), BODY, false))
    expect([cache.bytes, cache.find('a', BODY)]).toEqual([0, undefined])
  })

  it('counts a replaced copy once', () => {
    const cache = new EncodedCache(10_000)
    cache.set('a', copyOf(bytes(200), BODY, false))
    const copy = copyOf(bytes(100), BODY, true)
    cache.set('a', copy)
    expect([cache.bytes, cache.has('a', copy)]).toEqual([SIZE, true])
  })
})

describe('copyOf', () => {
  it('keeps no memory other than the bytes', () => {
    const encoded = Buffer.alloc(16_384, 'a').subarray(0, 10)
    const copy = copyOf(encoded, BODY, false)
    expect([copy.bytes.buffer.byteLength, String(copy.bytes)]).toEqual([10, 'a'.repeat(10)])
  })
})
