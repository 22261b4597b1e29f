import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BufferAccount } from './buffer-account.ts'
import { bufferLedger } from './buffer-ledger.ts'
import { ChunkQueue } from './chunk-queue.ts'

const KIB = 1024

function account(own: number, max = 0): { account: BufferAccount; rooms: () => number } {
  let count = 0
  const holder = { destroy: () => {}, onBufferRoom: () => count++ }
  const made = new BufferAccount({ maxBufferedBytesPerConnection: own, maxBufferedBytes: max }, holder)
  return { account: made, rooms: () => count }
}

it('counts a chunk until its last byte is taken and sent', () => {
  const { account: held } = account(0)
  const queue = new ChunkQueue()
  queue.push(new Uint8Array(100 * KIB))
  queue.hold(held)
  queue.take(99 * KIB)
  expect([held.bytes, bufferLedger.bytes]).toEqual([100 * KIB, 100 * KIB])
  queue.take(KIB)
  expect(held.bytes).toBe(100 * KIB)
  queue.settle()
  expect([held.bytes, bufferLedger.bytes]).toEqual([0, 0])
})

it('stops counting cleared chunks, and never counts chunks that did not wait', () => {
  const { account: held } = account(0)
  const queue = new ChunkQueue()
  queue.push(new Uint8Array(10))
  queue.take(10)
  queue.push(new Uint8Array(20))
  queue.push(new Uint8Array(30))
  queue.hold(held)
  queue.push(new Uint8Array(40))
  expect(held.bytes).toBe(50)
  queue.clear()
  expect([held.bytes, bufferLedger.bytes]).toEqual([0, 0])
})

it('ignores the largest chunk in isFull, and calls onBufferRoom once', async () => {
  const { account: held, rooms } = account(300 * KIB)
  const queue = new ChunkQueue()
  queue.push(new Uint8Array(1000 * KIB))
  queue.hold(held)
  expect(held.isFull).toBe(false)
  queue.push(new Uint8Array(400 * KIB))
  queue.hold(held)
  expect(held.isFull).toBe(true)
  held.awaitRoom()
  queue.take(1000 * KIB)
  queue.settle()
  expect(held.isFull).toBe(false)
  await turn()
  queue.clear()
  await turn()
  expect(rooms()).toBe(1)
})

it('releases all bytes that are not chunks on close, and counts none afterwards', () => {
  const { account: held } = account(0)
  held.add(100)
  held.setTransportBytes(50)
  held.close()
  held.add(10)
  expect([held.bytes, bufferLedger.bytes]).toEqual([0, 0])
})

it('counts a buffer that two responses share only once for the process', () => {
  const [first, second] = [account(0), account(0)]
  const shared = new Uint8Array(200 * KIB)
  const queues = [new ChunkQueue(), new ChunkQueue()]
  for (const queue of queues) queue.push(shared)
  queues[0]?.hold(first.account)
  queues[1]?.hold(second.account)
  expect(bufferLedger.bytes).toBe(200 * KIB)
  queues[0]?.clear()
  expect([bufferLedger.bytes, second.account.bytes]).toEqual([200 * KIB, 200 * KIB])
  queues[1]?.clear()
  expect(bufferLedger.bytes).toBe(0)
})

it('admits a response below the process limit, but above a quarter of it only within the connection limit', () => {
  const [greedy, modest] = [account(100 * KIB, 1000 * KIB), account(100 * KIB, 1000 * KIB)]
  const body = (): Uint8Array => new Uint8Array(50 * KIB)
  greedy.account.add(600 * KIB)
  expect(greedy.account.admits(body(), 50 * KIB)).toBe(false)
  expect(modest.account.admits(body(), 50 * KIB)).toBe(true)
  greedy.account.add(400 * KIB)
  expect(modest.account.admits(body(), 50 * KIB)).toBe(false)
  greedy.account.close()
  expect(greedy.account.admits(body(), 50 * KIB)).toBe(true)
})
