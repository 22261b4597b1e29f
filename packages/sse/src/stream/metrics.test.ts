import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeContext, type FakeBody } from '../../test/fake-context.ts'
import { SseChannel } from '../channel/channel.ts'
import type { SseStream } from './sse-stream.ts'
import { sse } from './sse.ts'

const NAMES = ['open', 'close', 'broadcast', 'drop', 'slow', 'gap', 'refuse']
const messages: Record<string, unknown>[] = []
const listener = (message: unknown, name: string | symbol): void => {
  messages.push({ name: String(name), ...(message as object) })
}

beforeEach(() => {
  messages.length = 0
  for (const name of NAMES) subscribe(`fw.sse.${name}`, listener)
})
afterEach(() => {
  for (const name of NAMES) unsubscribe(`fw.sse.${name}`, listener)
})

async function open(lastEventId?: string): Promise<{ stream: SseStream; body: FakeBody; drain: () => void }> {
  const { ctx, body, drain } = fakeContext(
    lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } },
  )
  return { stream: await sse(ctx, { heartbeatMs: 0, slowConsumer: 'close', maxBufferedBytes: 5 }), body, drain }
}

const ended = (reason: string, events: number, bytes: number): object => ({
  name: 'fw.sse.close',
  reason,
  events,
  bytes,
  open: 0,
})

it('reports each opened stream and the reason for its end', async () => {
  const closed = await open()
  await closed.stream.data('a')
  closed.stream.close()
  const aborted = await open()
  aborted.body.disconnect()
  const slow = await open()
  slow.body.capacity = 0
  void slow.stream.data('a')
  await slow.stream.data('b')
  const drained = await open()
  drained.drain()
  const opened = { name: 'fw.sse.open', protocol: 'HTTP/1.1', open: 1 }
  expect(messages).toEqual([
    opened,
    ended('closed', 1, 'data: a\n\n'.length),
    opened,
    ended('aborted', 0, 0),
    opened,
    ended('slow', 1, 'data: a\n\n'.length),
    opened,
    // The bytes of the retry block.
    ended('shutdown', 0, 'retry: 1000\n\n'.length),
  ])
})

it("reports a channel's events", async () => {
  const channel = new SseChannel({ name: 'c', maxStreams: 1, maxBufferedBytes: 60, slowConsumer: 'drop-newest' })
  const { stream, body } = await open('unknown')
  channel.subscribe(stream)
  channel.subscribe((await open()).stream)
  body.capacity = 0
  for (const id of ['1', '2', '3', '4']) {
    channel.publish('a', 'x', { id })
    await new Promise(setImmediate)
  }
  body.disconnect()
  const size = 'event: a\nid: 1\ndata: x\n\n'.length
  const sent = (bufferedBytes: number): object => ({
    name: 'fw.sse.broadcast',
    channel: 'c',
    events: 1,
    bytes: size,
    bufferedBytes,
    subscribers: 1,
  })
  expect(messages.filter(({ name }) => !/open|close/.test(String(name)))).toEqual([
    { name: 'fw.sse.gap', channel: 'c', lastEventId: 'unknown' },
    { name: 'fw.sse.refuse', channel: 'c', limit: 'maxStreams' },
    sent(0),
    { name: 'fw.sse.slow', channel: 'c', bufferedBytes: 2 * size },
    sent(size),
    { name: 'fw.sse.drop', channel: 'c', events: 1 },
    sent(size),
    { name: 'fw.sse.drop', channel: 'c', events: 1 },
    sent(size),
  ])
})

it('reports a broadcast after it ends, so a listener can publish and close the channel', async () => {
  const channel = new SseChannel()
  const { stream, body } = await open()
  channel.subscribe(stream)
  const onBroadcast = (): void => {
    unsubscribe('fw.sse.broadcast', onBroadcast)
    channel.publish('last', 'x', { id: '2' })
    channel.unsubscribe(stream)
  }
  subscribe('fw.sse.broadcast', onBroadcast)
  channel.publish('a', 'x', { id: '1' })
  await new Promise(setImmediate)
  expect(body.text).toBe('event: a\nid: 1\ndata: x\n\nevent: last\nid: 2\ndata: x\n\n')
})
