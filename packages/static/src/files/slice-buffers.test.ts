import { describe, expect, it } from 'vitest'
import { BufferPool, LARGE_BYTES } from './buffer-pool.ts'
import { SliceBuffers } from './slice-buffers.ts'

/** Returns the number of these buffers that the pool reuses. */
function inPool(pool: BufferPool, buffers: readonly Buffer[]): number {
  const taken = new Set(Array.from({ length: 16 }, () => pool.take(LARGE_BYTES)))
  return buffers.filter((buffer) => taken.has(buffer)).length
}

function lendSome(buffers: SliceBuffers, count: number): Buffer[] {
  return Array.from({ length: count }, () => {
    const buffer = buffers.next(LARGE_BYTES)
    buffers.lend()
    return buffer
  })
}

describe('SliceBuffers', () => {
  it('reuses one buffer while the transport sends each slice immediately', () => {
    const pool = new BufferPool()
    const buffers = new SliceBuffers(pool)
    const first = buffers.next(LARGE_BYTES)
    for (let i = 0; i < 5; i++) {
      expect(buffers.next(LARGE_BYTES)).toBe(first)
      buffers.lend()
      buffers.takeBack()
    }
    buffers.close()
    expect(inPool(pool, [first])).toBe(1)
  })

  it('reads into a lent buffer only after the transport has sent its bytes', () => {
    const pool = new BufferPool()
    const buffers = new SliceBuffers(pool)
    const lent = lendSome(buffers, 3)
    expect(lent).not.toContain(buffers.next(LARGE_BYTES))
    expect(new Set(lent).size).toBe(3)
    expect(lent).not.toContain(pool.take(LARGE_BYTES))
    buffers.takeBack()
    buffers.close()
    expect(inPool(pool, lent)).toBe(3)
  })

  it('drops the oldest buffers if the transport keeps too many', () => {
    const pool = new BufferPool()
    const buffers = new SliceBuffers(pool)
    const lent = lendSome(buffers, 10)
    buffers.takeBack()
    buffers.close()
    expect(inPool(pool, lent)).toBe(3)
    expect(inPool(pool, lent.slice(0, 7))).toBe(0)
  })

  it('drops lent buffers at the end of the body, and returns the rest to the pool', () => {
    const pool = new BufferPool()
    const buffers = new SliceBuffers(pool)
    const lent = lendSome(buffers, 2)
    const unused = buffers.next(LARGE_BYTES)
    buffers.close()
    expect(inPool(pool, [...lent, unused])).toBe(1)
  })
})
