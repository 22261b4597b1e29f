import { describe, expect, it } from 'vitest'
import { copyBytes, bytesToKeep, ownBytes } from './kept-bytes.ts'

const received = Buffer.from(Array.from({ length: 64 * 1024 }, (_, at) => at % 251))

describe('bytesToKeep', () => {
  it('returns a view if the bytes make up most of their buffer', () => {
    expect(bytesToKeep(received, 100, 60_000).buffer).toBe(received.buffer)
  })

  it.each([1, 200, 1000, 5000])(
    'copies a part of length %i, which does not keep the read buffer in memory',
    (length) => {
      const kept = bytesToKeep(received, 7, 7 + length)
      expect(kept).toEqual(received.subarray(7, 7 + length))
      expect(kept.buffer.byteLength).toBeLessThanOrEqual(8 * 1024)
    },
  )

  it('does not change any earlier copy', () => {
    const copies = Array.from({ length: 100 }, (_, at) => bytesToKeep(received, at, at + 200))
    for (const [at, copy] of copies.entries()) expect(copy).toEqual(received.subarray(at, at + 200))
  })
})

describe('copyBytes', () => {
  it('returns a copy in its own memory', () => {
    const copy = copyBytes(received, 3, 8)
    expect(copy).toEqual(received.subarray(3, 8))
    expect(copy.buffer.byteLength).toBe(5)
  })

  it('uses shared memory, which a handler cannot transfer, even through a byte stream', async () => {
    const first = bytesToKeep(received, 0, 10) as Buffer<ArrayBuffer>
    const stream = new ReadableStream({
      type: 'bytes',
      start: (controller) => expect(() => controller.enqueue(first)).toThrow(TypeError),
    })
    await stream.cancel()
    expect(() => structuredClone(first, { transfer: [first.buffer] })).toThrow('transfer')
    expect(bytesToKeep(received, 10, 20)).toEqual(received.subarray(10, 20))
  })
})

describe('ownBytes', () => {
  it('copies only bytes whose buffer contains other data', () => {
    const whole = copyBytes(received, 3, 8)
    expect(ownBytes(whole)).toBe(whole)
    const part = ownBytes(received.subarray(3, 8))
    expect(part).toEqual(whole)
    expect(part.buffer.byteLength).toBe(5)
  })
})
