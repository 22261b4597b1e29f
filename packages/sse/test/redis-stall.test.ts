// Timers come first in a turn of the event loop: to a process that stood still they say that all time is over before it has
// read what came meanwhile.
import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane } from '../src/redis.ts'
import { RedisServer } from './redis-server.ts'

/** Nothing of this process goes on for so long, once what was begun is on its way. */
async function standStill(ms: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000, interval: 10 })

it('a process that stands still for longer than Redis may take does not take it for gone', async () => {
  await using redis = await RedisServer.start(false)
  const errors: unknown[] = []
  const backplane = new RedisBackplane(redis.client, 'test', { timeoutMs: 1000, onError: (e) => errors.push(e) })
  await using channel = new SseChannel({ backplane })
  channel.publish('n', 'connects')
  await soon(() => expect(channel.stats.keptEvents).toBe(1))
  channel.publish('n', 'while it stands still')
  // Longer than the reader waits, too.
  await standStill(2100)
  await soon(() => expect(channel.stats.keptEvents).toBe(2))
  expect(errors).toEqual([])
})

it('a process that stands still while it closes stores what it published', async () => {
  await using redis = await RedisServer.start(false)
  const backplane = new RedisBackplane(redis.client, 'test', { onError: () => {} })
  const channel = new SseChannel({ backplane })
  for (let n = 0; n < 500; n++) channel.publish('n', String(n))
  const closing = channel.close()
  await standStill(2100)
  await closing
  expect(Number(await redis.command('XLEN', 'fw:sse:{test}'))).toBe(500)
})
