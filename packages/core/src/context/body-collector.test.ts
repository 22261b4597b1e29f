import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { BodyConsumer, RequestBody } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { BodyCollector } from './body-collector.ts'

/** A body whose pieces the test supplies. */
class GivenBody implements RequestBody {
  readonly length = undefined
  consumer: BodyConsumer | undefined = undefined

  consume(consumer: BodyConsumer): void {
    this.consumer = consumer
  }
  pause(): void {}
  resume(): void {}
}

describe('BodyCollector', () => {
  it.each([1, 255, 256, 257, 1000, 70_000])('joins all pieces in order (count: %i)', async (count) => {
    const body = new GivenBody()
    const { whole } = new BodyCollector(body, 1_000_000)
    const pieces = Array.from({ length: count }, (_, n) => Buffer.alloc(n % 300 === 0 ? 2000 : n % 7, n % 251))
    for (const piece of pieces) body.consumer?.data(piece)
    body.consumer?.end([])
    expect(Buffer.concat(pieces).equals(await whole)).toBe(true)
  })

  it('releases one-byte pieces after joining them', async () => {
    const body = new GivenBody()
    const { whole } = new BodyCollector(body, 1_000_000)
    const pieces = giveBytes(body, 10_000)
    await new Promise(setImmediate)
    collectGarbage()
    expect(pieces.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(1000)
    body.consumer?.end([])
    expect((await whole).byteLength).toBe(10_000)
  })
})

function giveBytes(body: GivenBody, count: number): WeakRef<Uint8Array>[] {
  return Array.from({ length: count }, () => {
    const piece = Buffer.allocUnsafeSlow(1)
    body.consumer?.data(piece)
    return new WeakRef(piece)
  })
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
}
