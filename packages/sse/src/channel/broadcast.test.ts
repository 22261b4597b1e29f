import { expect, it } from 'vitest'
import { fakeContext, type FakeBody } from '../../test/fake-context.ts'
import { SseChannel } from './channel.ts'
import type { SseStream } from '../stream/sse-stream.ts'
import { sse } from '../stream/sse.ts'
import type { EventFilter } from './channel-options.ts'

interface Joined {
  readonly stream: SseStream
  readonly body: FakeBody
}

async function join(channel: SseChannel, count: number, filterOf: (at: number) => EventFilter): Promise<Joined[]> {
  const joined: Joined[] = []
  for (let at = 0; at < count; at++) {
    const { ctx, body } = fakeContext()
    const stream = await sse(ctx, { heartbeatMs: 0 })
    channel.subscribe(stream, { filter: filterOf(at) })
    joined.push({ stream, body })
  }
  return joined
}

const events = ({ body }: Joined): number => body.text.split('data: ').length - 1

it.each([1, 15, 16, 17, 32, 33, 100])('sends each event once to each of %d subscribers', async (count) => {
  const channel = new SseChannel()
  const joined = await join(channel, count, () => () => true)
  for (const event of ['a', 'b', 'c']) {
    channel.publish(event, 'x')
    await new Promise(setImmediate)
  }
  expect(joined.map(events)).toEqual(joined.map(() => 3))
})

it.each([
  ['unsubscribed', (channel: SseChannel, stream: SseStream) => channel.unsubscribe(stream)],
  ['ended', (channel: SseChannel, stream: SseStream) => stream.close()],
])('does not send to subscribers that a filter has %s', async (_, leave) => {
  const channel = new SseChannel()
  // Every third subscriber removes the next one in its filter. Some of the removed subscribers have already been read ahead.
  const joined: Joined[] = await join(channel, 60, (at) => () => {
    const next = at % 3 === 0 ? joined[at + 1] : undefined
    if (next !== undefined) leave(channel, next.stream)
    return true
  })
  channel.publish('a', 'x')
  await new Promise(setImmediate)
  expect(joined.map(events)).toEqual([...joined.keys()].map((at) => (at % 3 === 1 ? 0 : 1)))
  expect(channel.stats.subscribers).toBe(40)
})
