// Timers run first in an event-loop turn. After a suspension, they expire before the process has read the bytes that arrived in
// the meantime.
import { setImmediate } from 'node:timers/promises'
import { RedisServer } from '@fw/testing/redis'
import { expect, it, vi } from 'vitest'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane } from '../src/redis.ts'

/** Blocks this process for `ms` milliseconds, after pending writes have been sent. */
async function standStill(ms: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000, interval: 10 })

it('does not report an outage after the process was suspended for longer than the time limit', async () => {
  await using redis = await RedisServer.start(false)
  const errors: unknown[] = []
  const backplane = new RedisBackplane(redis.client, 'test', { timeoutMs: 1000, onError: (e) => errors.push(e) })
  await using channel = new SseChannel({ backplane })
  channel.publish('n', 'connects')
  await soon(() => expect(channel.stats.keptEvents).toBe(1))
  channel.publish('n', 'while it is suspended')
  // A blocking read is shorter than this.
  await standStill(2100)
  await soon(() => expect(channel.stats.keptEvents).toBe(2))
  expect(errors).toEqual([])
})

it('stores the events published by a process that is suspended while it is closing', async () => {
  await using redis = await RedisServer.start(false)
  const backplane = new RedisBackplane(redis.client, 'test', { onError: () => {} })
  const channel = new SseChannel({ backplane })
  for (let n = 0; n < 500; n++) channel.publish('n', String(n))
  const closing = channel.close()
  await standStill(2100)
  await closing
  expect(Number(await redis.command('XLEN', 'fw:sse:{test}'))).toBe(500)
})
