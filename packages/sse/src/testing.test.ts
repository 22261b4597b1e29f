import { App, Server } from '@fw/core'
import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { SseChannel } from './channel/channel.ts'
import { sse } from './stream/sse.ts'
import { EventClient, EventReader, parseEvents } from './testing.ts'

function dataOf(pieces: Iterable<Uint8Array | string>): string[] {
  const reader = new EventReader()
  for (const piece of pieces) reader.feed(piece)
  return reader.events.map((event) => event.data)
}

describe('parseEvents', () => {
  it.each<[string, string, { type?: string; data?: string; lastEventId?: string }[]]>([
    ['no event for an unfinished block', 'data: a\n', []],
    ['lines that end in LF, CR or CRLF', 'data: a\rdata: b\r\ndata: c\n\n', [{ data: 'a\nb\nc' }]],
    ['data without one space after the colon', 'data:  a\n\ndata:b\n\n', [{ data: ' a' }, { data: 'b' }]],
    ['no event without data', 'event: a\n\ndata\n\n', [{ type: 'message', data: '' }]],
    ['the last ID for later events', 'id: 1\n\ndata: a\n\n', [{ data: 'a', lastEventId: '1' }]],
    ['no id with NUL', 'id: 1\0\ndata: a\n\n', [{ lastEventId: '' }]],
    ['data without a byte order mark', '\uFEFFdata: a\n\n', [{ data: 'a' }]],
  ])('returns %s', (_, text, events) => {
    expect(parseEvents(text).events).toMatchObject(events)
    expect(parseEvents(text).events).toHaveLength(events.length)
  })

  it.each<[string, string, string[]]>([
    ['one byte order mark', '\uFEFFdata: a\n\n', ['a']],
    [
      'two byte order marks, the second of which belongs to the first name',
      '\uFEFF\uFEFFdata: a\n\ndata: b\n\n',
      ['b'],
    ],
    ['one byte order mark before an empty line', '\uFEFF\n\uFEFFdata: a\n\ndata: b\n\n', ['b']],
    ['a byte order mark in the data', 'data: \uFEFFa\n\n', ['\uFEFFa']],
    ['the characters that look like the bytes of a byte order mark', '\xEF\xBB\xBFdata: a\n\ndata: b\n\n', ['b']],
  ])('reads %s as text, as bytes and split at every position', (_, text, data) => {
    expect(dataOf([text])).toEqual(data)
    expect(dataOf(['', ...text.split('')])).toEqual(data)
    for (const slices of everySplit(Buffer.from(text))) expect(dataOf(slices)).toEqual(data)
  })

  it('returns comments and the reconnection time', () => {
    const { comments, retryMs } = parseEvents(': hello\nretry: 10\nretry: 1x\n\n')
    expect({ comments, retryMs }).toEqual({ comments: ['hello'], retryMs: 10 })
    expect(parseEvents('').retryMs).toBeNull()
  })

  it('returns the same events for every split of a stream', () => {
    const wire = Buffer.from('id: é\r\nevent: a\r\ndata: 1\r\n\r\ndata: 2\r\r: c\n')
    const { events } = parseEvents(wire)
    expect(events).toHaveLength(2)
    for (const slices of everySplit(wire)) {
      const reader = new EventReader()
      for (const slice of slices) reader.feed(slice)
      expect(reader.events).toEqual(events)
    }
  })
})

function appOf(channel: SseChannel): App {
  const app = new App()
  app.router.get('/', (ctx) => channel.serve(ctx))
  return app
}

describe('EventClient', () => {
  it('strips one byte order mark from each connection', async () => {
    const app = new App()
    app.router.get('/', (ctx) =>
      ctx.text('\uFEFF\uFEFFdata: a\n\ndata: b\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    )
    await using client = await EventClient.connect(app, '/')
    for (let connection = 0; connection < 2; connection++) {
      expect((await client.take(2)).map(({ data }) => data)).toEqual(['b'])
      await client.reconnect()
    }
  })

  it('returns one event at a time, then undefined', async () => {
    const app = new App()
    app.router.post('/', async (ctx) => {
      const stream = await sse(ctx, { retryMs: 7 })
      await stream.comment('hello')
      await stream.event('a', await ctx.text())
      await stream.send({ id: 'ü', data: '2' })
    })
    await using client = await EventClient.connect(app, '/', { method: 'POST', body: 'question' })
    expect(client.response.headers.get('content-type')).toBe('text/event-stream')
    expect(await client.take(5)).toEqual([
      { type: 'a', data: 'question', lastEventId: '' },
      { type: 'message', data: '2', lastEventId: 'ü' },
    ])
    expect([client.retryMs, client.lastEventId, client.comments]).toEqual([7, 'ü', ['hello']])
  })

  it('receives missed events when it reconnects', async () => {
    const channel = new SseChannel()
    await using client = await EventClient.connect(appOf(channel), '/')
    channel.publish('a', '1', { id: 'ü1' })
    expect(await client.next()).toMatchObject({ data: '1' })
    await client.close()
    channel.publish('a', '2')
    await client.reconnect()
    channel.publish('a', '3')
    expect((await client.take(2)).map(({ data }) => data)).toEqual(['2', '3'])
  })

  it('starts after the given ID', async () => {
    const channel = new SseChannel()
    for (const id of ['1', '2', '3']) channel.publish('a', id, { id })
    await using client = await EventClient.connect(appOf(channel), '/', { headers: { 'last-event-id': '1' } })
    expect((await client.take(2)).map(({ data }) => data)).toEqual(['2', '3'])
  })

  it('reads over a network', async () => {
    await using server = new Server()
    server.router().get('/', async (ctx) => (await sse(ctx)).data('a'))
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await using client = await EventClient.connect({ fetch }, url.href)
    expect(await client.next()).toMatchObject({ data: 'a' })
    expect(await client.next()).toBeUndefined()
  })

  it('rejects a response that is not an event stream', async () => {
    await expect(EventClient.connect(new App(), '/')).rejects.toThrow('Cannot read events: the response is 404')
  })
})
