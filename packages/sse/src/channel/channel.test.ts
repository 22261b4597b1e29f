import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeContext, type FakeBody, type FakeRequest } from '../../test/fake-context.ts'
import { dataOf, join, open, publish, turn } from '../../test/join-channel.ts'
import type { Backplane, BackplaneHost } from '../backplane/backplane.ts'
import { SseChannel } from './channel.ts'
import type { ChannelOptions } from './channel-options.ts'
import type { EventStream } from '../stream/event-stream.ts'
import type { SseStream } from '../stream/sse-stream.ts'

const cycle: { self?: unknown } = {}
cycle.self = cycle

/** Connects a client to a channel whose backplane delivers events when the test calls `load`. */
async function joinEarly(request: FakeRequest): Promise<{ body: FakeBody; load: (agesMs: number[]) => Promise<void> }> {
  let host: BackplaneHost | undefined
  const loaded = Promise.withResolvers<void>()
  const backplane: Backplane = {
    open(given) {
      host = given
      return loaded.promise
    },
    publish() {},
    catchUp: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  const channel = new SseChannel({ backplane })
  const { stream, body } = await open(request)
  const cameMs = Date.now()
  channel.subscribe(stream)
  const load = async (agesMs: number[]): Promise<void> => {
    for (const [at, ageMs] of agesMs.entries()) {
      const id = String(at)
      host?.deliver({ event: 'n', data: id, id, key: undefined, position: id, timeMs: cameMs - ageMs })
    }
    loaded.resolve()
    await turn()
  }
  return { body, load }
}

describe('publish', () => {
  it('writes the same bytes to every subscriber', async () => {
    const channel = new SseChannel()
    const clients = [await join(channel), await join(channel)]
    const written: Uint8Array[] = []
    for (const { body } of clients) {
      const write = body.write.bind(body)
      body.write = (chunk) => {
        written.push(chunk)
        return write(chunk)
      }
    }
    channel.publish('tick', 'now', { id: '1' })
    await turn()
    expect(clients.map(({ body }) => body.text)).toEqual(Array(2).fill('event: tick\nid: 1\ndata: now\n\n'))
    expect(written).toHaveLength(2)
    expect(written[0]).toBe(written[1])
  })

  it('joins the events from one turn in one ordered write', async () => {
    const channel = new SseChannel()
    const { body } = await join(channel)
    channel.publish('a', '1', { id: '1' })
    await Promise.resolve()
    channel.publish('a', '2', { id: '2' })
    await turn()
    channel.publish('a', '3', { id: '3' })
    await turn()
    expect(body.chunks.map(String)).toEqual([
      'event: a\nid: 1\ndata: 1\n\nevent: a\nid: 2\ndata: 2\n\n',
      'event: a\nid: 3\ndata: 3\n\n',
    ])
  })

  it("sends a string unchanged and other values as JSON, with the event's serializer", async () => {
    const serializers = { b: (value: { n: number }) => `<${value.n}>` }
    const channel = new SseChannel<{ a: unknown; b: { n: number } }>({ serializers })
    const { stream, body } = await open()
    channel.subscribe(stream)
    channel.publish('a', 'text', { id: '' })
    channel.publish('a', { x: [1] }, { id: '' })
    channel.publish('b', { n: 7 }, { id: '' })
    await turn()
    expect(dataOf(body)).toBe('text {"x":[1]} <7>')
  })

  it('generates ascending IDs that differ between channels and fit into a header field', async () => {
    const [one, two] = [new SseChannel(), new SseChannel()]
    const { stream, body } = await open()
    for (const channel of [one, two]) {
      channel.subscribe(stream)
      channel.publish('a', '')
      channel.publish('a', '')
    }
    await turn()
    const ids = [...body.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,128}$/)
  })

  it.each<[string, Parameters<SseChannel['publish']>, typeof TypeError]>([
    ['a line break in the name', ['a\nb', 'x'], TypeError],
    ['a name that is not a string', [1 as unknown as string, 'x'], TypeError],
    ['a line break in the ID', ['a', 'x', { id: '\r' }], TypeError],
    ['an ID that is not a string', ['a', 'x', { id: 1 as unknown as string }], TypeError],
    ['NUL in the ID', ['a', 'x', { id: '\0' }], TypeError],
    ['a value without a JSON form', ['a', undefined], TypeError],
    ['a cycle', ['a', cycle], TypeError],
    ['a key that is not a string', ['a', 'x', { key: 1 as unknown as string }], TypeError],
  ])('refuses %s and continues', async (_, args, error) => {
    const channel = new SseChannel()
    const { body } = await join(channel)
    expect(() => channel.publish(...args)).toThrow(error)
    channel.publish('ok', 'y', { id: '1' })
    await turn()
    expect(body.text).toBe('event: ok\nid: 1\ndata: y\n\n')
    expect(channel.stats.keptEvents).toBe(1)
  })

  it("keeps its order relative to a stream's own writes and arrives before the end of the stream", async () => {
    const channel = new SseChannel()
    const { stream, body } = await join(channel)
    channel.publish('a', '1', { id: '' })
    await stream.data('2')
    channel.publish('a', '3', { id: '' })
    stream.close()
    await turn()
    expect(dataOf(body)).toBe('1 2 3')
  })

  it('does not send to streams that subscribe later in the turn', async () => {
    const channel = new SseChannel({ history: 1 })
    channel.publish('a', '1')
    const { body } = await join(channel)
    await turn()
    expect(body.text).toBe('')
  })
})

describe('a limit', () => {
  it.each<[string, ChannelOptions, FakeRequest[], string]>([
    ['maxStreams', { maxStreams: 2 }, [{}, {}, {}], 'open open complete'],
    [
      'maxStreamsPerAddress',
      { maxStreamsPerAddress: 1 },
      [{ address: '::1' }, { address: '::2' }, { address: '::1' }],
      'open open complete',
    ],
    [
      'maxStreamsPerSession',
      { maxStreamsPerSession: 1 },
      [
        { protocol: 'HTTP/2.0', address: '::1', port: 1 },
        { protocol: 'HTTP/2.0', address: '::1', port: 2 },
        { protocol: 'HTTP/2.0', address: '::1', port: 1 },
        { protocol: 'HTTP/1.1', address: '::1', port: 1 },
      ],
      'open open complete open',
    ],
    [
      'maxStreamsPerSession for a trusted proxy',
      { maxStreamsPerSession: 1 },
      [
        { protocol: 'HTTP/2.0', address: '::1', port: 1, clientAddress: '::a' },
        { protocol: 'HTTP/2.0', address: '::1', port: 1, clientAddress: '::b' },
        { protocol: 'HTTP/2.0', address: '::1', port: 1, clientAddress: '::a' },
      ],
      'open open complete',
    ],
  ])('ends streams above %s with a retry block', async (_, options, requests, endings) => {
    const channel = new SseChannel({ ...options, refusedRetryMs: 1000 })
    const opened: { stream: SseStream; body: FakeBody }[] = []
    for (const request of requests) {
      const one = await open(request)
      channel.subscribe(one.stream)
      opened.push(one)
    }
    expect(opened.map(({ body }) => body.ending).join(' ')).toBe(endings)
    const refused = opened.find(({ body }) => body.ending === 'complete')
    const [, ms = ''] = /^retry: (\d+)\n\n$/.exec(refused?.body.text ?? '') ?? []
    expect(Number(ms)).toBeGreaterThanOrEqual(1000)
    expect(Number(ms)).toBeLessThan(2000)

    // A stream that ends frees its slot.
    opened[0]?.body.disconnect()
    const next = await open(requests[0])
    channel.subscribe(next.stream)
    expect(next.body.ending).toBe('open')
  })

  it("allows event streams on half of an HTTP/2 connection's streams", async () => {
    const channel = new SseChannel()
    const endings: string[] = []
    for (let n = 0; n < 51; n++) {
      const { stream, body } = await open({ protocol: 'HTTP/2.0', address: '::1', port: 1 })
      channel.subscribe(stream)
      endings.push(body.ending)
    }
    expect(endings).toEqual([...Array<string>(50).fill('open'), 'complete'])
  })
})

describe('subscribe', () => {
  it('refuses a stream that another copy of the package opened', async () => {
    const { stream } = await open()
    vi.resetModules()
    const { SseChannel: OtherChannel } = await import('./channel.ts')
    const channel = new OtherChannel()
    expect(() => channel.subscribe(stream)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message:
          'channel.subscribe: stream must be a stream returned by sse(), got an EventStream. Use the result of sse(), and install @fw/sse only once.',
      }),
    )
    expect(() => channel.subscribe({} as SseStream)).toThrow(
      'channel.subscribe: stream must be a stream returned by sse()',
    )
    expect(channel.stats.subscribers).toBe(0)
  })

  it.each<[string, (channel: SseChannel, stream: SseStream) => void]>([
    ['its stream ends', (_, stream) => stream.close()],
    ['it is unsubscribed', (channel, stream) => channel.unsubscribe(stream)],
    ['it is disconnected', (_, stream) => (stream as EventStream).sendAway('shutdown', 1000)],
  ])('sends the waiting events when %s', async (_, end) => {
    const channel = new SseChannel()
    const { stream, body } = await join(channel)
    body.capacity = 0
    await publish(channel, [1, 2, 3])
    expect(dataOf(body)).toBe('01')
    channel.publish('a', '04')
    end(channel, stream)
    expect(dataOf(body)).toBe('01 02 03 04')
  })

  it('ignores a second call and leaves the stream open on unsubscribe', async () => {
    const channel = new SseChannel()
    const { stream, body } = await join(channel)
    channel.subscribe(stream)
    channel.publish('a', '1')
    channel.unsubscribe(stream)
    channel.unsubscribe(stream)
    channel.publish('a', '2')
    await turn()
    expect(dataOf(body)).toBe('1')
    expect(stream.isOpen()).toBe(true)
    expect(channel.stats.subscribers).toBe(0)
  })

  it('has no effect on an ended stream', async () => {
    const channel = new SseChannel()
    const { stream } = await open()
    stream.close()
    channel.subscribe(stream)
    expect(channel.stats.subscribers).toBe(0)
  })
})

describe('serve', () => {
  it('answers a request and resolves when the stream has ended', async () => {
    const channel = new SseChannel()
    const { ctx, body } = fakeContext()
    const served = channel.serve(ctx, { heartbeatMs: 0, retryMs: 5 })
    await turn()
    channel.publish('a', '1', { id: '1' })
    await turn()
    body.disconnect()
    await served
    expect(body.text).toBe('retry: 5\n\nevent: a\nid: 1\ndata: 1\n\n')
    expect(channel.stats.subscribers).toBe(0)
  })
})

describe('close', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('ends all subscribers with the published events, at different retry times', async () => {
    const channel = new SseChannel()
    const clients = [await join(channel), await join(channel)]
    channel.publish('a', '1', { id: '1' })
    await channel.close({ retryMs: 100, spreadMs: 50 })
    for (const { body } of clients) {
      expect(body.ending).toBe('complete')
      const [, ms = ''] = /^event: a\nid: 1\ndata: 1\n\nretry: (\d+)\n\n$/.exec(body.text) ?? []
      expect(Number(ms)).toBeGreaterThanOrEqual(100)
      expect(Number(ms)).toBeLessThan(150)
    }
    expect(() => channel.publish('a', '2')).toThrow('Cannot publish: the channel is closed')
    const late = await join(channel)
    expect(late.body.ending).toBe('complete')
    vi.advanceTimersByTime(100)
  })

  it('ends many streams in batches', async () => {
    const channel = new SseChannel()
    const clients: { body: FakeBody }[] = []
    for (let n = 0; n < 2500; n++) clients.push(await join(channel))
    const closed = channel.close()
    const openNow = (): number => clients.filter(({ body }) => body.isOpen).length
    const first = openNow()
    vi.advanceTimersByTime(50)
    const second = openNow()
    vi.advanceTimersByTime(100)
    await closed
    expect([first, second, openNow()]).toEqual([1500, 500, 0])
    vi.advanceTimersByTime(100)
  })
})

describe('a client that connects before the backplane has delivered its stored events', () => {
  it('receives only the events published since it connected', async () => {
    const { body, load } = await joinEarly({})
    await new Promise((resolve) => setTimeout(resolve, 5))
    await load([10_000, 1000, -2, -3])
    expect(dataOf(body)).toBe('2 3')
  })

  it('receives the events after its ID', async () => {
    const { body, load } = await joinEarly({ headers: { 'last-event-id': '0' } })
    await load([10_000, 1000, 0])
    expect(dataOf(body)).toBe('1 2')
  })
})

describe('the validation of options', () => {
  it.each<[string, object, typeof TypeError | typeof RangeError]>([
    ['an option with an unknown name', { size: 1 }, TypeError],
    ['an unknown limit of the history', { history: { size: 1 } }, TypeError],
    ['a number of events below 0', { history: -1 }, RangeError],
    ['an age that is not an integer', { history: { maxAgeMs: 1.5 } }, RangeError],
    ['an unknown policy', { slowConsumer: 'wait' }, TypeError],
    ['a limit that is not a number', { maxStreams: '7' }, TypeError],
    ['a name that is not a string', { name: 7 }, TypeError],
    ['onGap that is not a function', { onGap: {} }, TypeError],
    ['onSlow that is not a function', { onSlow: 'warn' }, TypeError],
    ['onDrop that is not a function', { onDrop: null }, TypeError],
    ['serializers that are not an object', { serializers: JSON.stringify }, TypeError],
    ['a serializer that is not a function', { serializers: { a: {} } }, TypeError],
    ['an invalid backplane', { backplane: { publish() {} } }, TypeError],
  ])('refuses %s', (_, options, error) => {
    expect(() => new SseChannel(options as ChannelOptions)).toThrow(error)
  })

  it.each<[object, string]>([
    [{ maxStreams: -1 }, 'option "maxStreams" must be an integer of at least 0 or Infinity, got -1.'],
    [
      { history: '9' },
      'option "history" must be an integer of at least 0, Infinity or an object, got "9". Convert text first,',
    ],
    [
      { history: { maxBytes: null } },
      'option "history.maxBytes" must be an integer of at least 0 or Infinity, got null.',
    ],
    [{ history: { count: 5 } }, 'unknown option "history.count". Use maxEvents instead.'],
    [{ history: { bytes: 5 } }, 'unknown option "history.bytes". Use maxBytes instead.'],
    [{ history: { ageMs: 5 } }, 'unknown option "history.ageMs". Use maxAgeMs instead.'],
    [{ serializers: { tick: 1 } }, 'option "serializers.tick" must be a function, got 1.'],
    [
      { backplane: { publish() {} } },
      'option "backplane" must be a Backplane, got an object. It needs the methods open, publish, catchUp and close.',
    ],
    [{ maxStream: 5 }, 'unknown option "maxStream". Did you mean "maxStreams"?'],
  ])('rejects %j and explains the fix', (options, message) => {
    expect(() => new SseChannel(options as ChannelOptions)).toThrow(`SseChannel: ${message}`)
  })

  it('rejects invalid method options with similar messages', async () => {
    const channel = new SseChannel()
    const { stream } = await open()
    const id = 1 as unknown as string
    expect(() => channel.publish('a', '', { id })).toThrow('channel.publish: option "id" must be a string, got 1.')
    expect(() => channel.subscribe(stream, { filters: 1 } as object)).toThrow(
      'channel.subscribe: unknown option "filters". Did you mean "filter"?',
    )
    await expect(channel.serve(fakeContext().ctx, { stallMs: 1 } as object)).rejects.toThrow(
      'channel.serve: unknown option "stallMs". Use stallTimeoutMs instead.',
    )
    await expect(channel.close({ retryMs: -1 })).rejects.toThrow(
      'channel.close: option "retryMs" must be an integer of at least 0, got -1.',
    )
  })

  it('treats undefined as absent', () => {
    const history = { maxEvents: undefined, maxBytes: undefined, maxAgeMs: undefined }
    const channel = new SseChannel({ history, name: undefined, maxStreams: undefined } as object)
    channel.publish('a', '1')
    channel.publish('a', '2')
    expect(channel.stats.keptEvents).toBe(2)
  })
})
