import { describe, expect, it } from 'vitest'
import { BufferPool, LARGE_BYTES, SMALL_BYTES } from './buffer-pool.ts'

const sizesOf = (buffers: readonly Buffer[]): number[] => buffers.map(({ byteLength }) => byteLength)

describe('BufferPool', () => {
  it('returns small buffers if few bytes are left, otherwise large ones', () => {
    const pool = new BufferPool()
    const taken = [1, SMALL_BYTES, SMALL_BYTES + 1, 1e9].map((length) => pool.take(length))
    expect(sizesOf(taken)).toEqual([SMALL_BYTES, SMALL_BYTES, LARGE_BYTES, LARGE_BYTES])
  })

  it('reuses returned buffers, but never a buffer in use', () => {
    const pool = new BufferPool()
    for (const length of [1, 1e9]) {
      const buffer = pool.take(length)
      pool.give(buffer)
      expect(pool.take(length)).toBe(buffer)
      expect(pool.take(length)).not.toBe(buffer)
    }
  })

  it('limits the number of large buffers, including returned and dropped ones', () => {
    const pool = new BufferPool()
    const taken = Array.from({ length: 1000 }, () => pool.take(1e9))
    const large = taken.filter(({ byteLength }) => byteLength === LARGE_BYTES)
    expect(large.length).toBeLessThan(100)
    expect(large.length).toBeGreaterThan(0)
    for (const buffer of taken) pool.drop(buffer)
    const again = Array.from({ length: large.length + 1 }, () => pool.take(1e9))
    expect(sizesOf(again)).toEqual([...sizesOf(large), SMALL_BYTES])
    expect(again.some((buffer) => taken.includes(buffer))).toBe(false)
  })
})
