import { App } from '@fw/core'
import { RedisServer } from '@fw/testing/redis'
import { expect, it, onTestFinished } from 'vitest'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane } from '../src/redis.ts'
import { EventClient } from '../src/testing.ts'

const KEY = 'fw:sse:{test}'

/** Entries that a channel refuses, with the program that wrote them. */
const REFUSED: readonly (readonly string[])[] = [
  ['o', 'a', 's', '1', 'm', JSON.stringify({ event: 'two\nlines', data: 'x' })],
  ['o', 'b', 's', '1', 'm', JSON.stringify({ event: 'n', data: 'x', id: 'x'.repeat(5000) })],
  ['o', 'c', 's', '1', 'm', JSON.stringify({ event: 'n', data: 'x', id: '\0' })],
  ['o', 'd', 's', 'no number', 'm', JSON.stringify({ event: 'two\nlines', data: 'x' })],
  ['o', 'e', 's', '1', 'm', 'no JSON'],
  ['other', 'fields'],
]

it("ignores foreign entries stored earlier or later in a channel's stream", async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  await using redis = await RedisServer.start(false)
  for (const fields of REFUSED) await redis.command('XADD', KEY, '*', ...fields)
  const errors: unknown[] = []
  const backplane = new RedisBackplane(redis.client, 'test', { onError: (error) => errors.push(error) })
  await using channel = new SseChannel({ backplane })
  const app = new App()
  app.router.get('/', (ctx) => channel.serve(ctx, { heartbeatMs: 0 }))
  // An unknown ID replays the whole stream.
  const client = await EventClient.connect(app, '/', { headers: { 'last-event-id': 'unknown' } })
  channel.publish('n', 'one')
  expect((await client.take(1)).map(({ data }) => data)).toEqual(['one'])
  for (const fields of REFUSED) await redis.command('XADD', KEY, '*', ...fields)
  channel.publish('n', 'two')
  expect((await client.take(1)).map(({ data }) => data)).toEqual(['two'])
  expect(errors).toEqual([])
  expect(warnings.join()).toContain('An event in the stream of a RedisBackplane threw: TypeError: host.deliver: ')
})
