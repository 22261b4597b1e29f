import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkQueue } from './chunk-queue.ts'

describe('ChunkQueue', () => {
  it('returns the pushed bytes in order, in pieces of any size', () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 200 }), fc.integer({ min: 1, max: 70 }), (chunks, size) => {
        const queue = new ChunkQueue()
        for (const each of chunks) queue.push(each)
        const taken: Uint8Array[] = []
        for (let piece = queue.take(size); piece !== undefined; piece = queue.take(size)) {
          expect(piece.byteLength).toBeGreaterThan(0)
          expect(piece.byteLength).toBeLessThanOrEqual(size)
          taken.push(piece)
        }
        expect(Buffer.concat(taken).equals(Buffer.concat(chunks))).toBe(true)
        expect(queue.bytes).toBe(0)
      }),
    )
  })

  it('counts the remaining bytes, and has none after clear', () => {
    const queue = new ChunkQueue()
    queue.push(new Uint8Array(10))
    queue.push(new Uint8Array(5))
    queue.take(4)
    expect(queue.bytes).toBe(11)
    queue.clear()
    expect([queue.bytes, queue.take(1)]).toEqual([0, undefined])
    queue.push(new Uint8Array(3))
    expect(queue.take(9)?.byteLength).toBe(3)
  })
})
