import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeContext, type FakeBody } from '../../test/fake-context.ts'
import { dataOf, join, open, publish, turn } from '../../test/join-channel.ts'
import { SseChannel } from './channel.ts'
import type { ChannelOptions } from './channel-options.ts'
import type { SseStream } from '../stream/sse-stream.ts'

/** Reports are at least a second apart, so each test advances the clock. */
let nowMs = 1e9
beforeEach(() => {
  nowMs += 10_000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => vi.restoreAllMocks())

const hasKeyX = ({ key }: { key: string | undefined }): boolean => key === 'x'
const throws = (): boolean => {
  throw new Error('on purpose')
}

describe('a filter', () => {
  it("selects a subscriber's live and missed events", async () => {
    const channel = new SseChannel()
    channel.publish('a', '0', { id: '0' })
    channel.publish('a', '1', { id: '1', key: 'x' })
    channel.publish('a', '2', { id: '2', key: 'y' })
    const filter = hasKeyX
    const some = await join(channel, '0', { filter })
    const same = await join(channel, undefined, { filter })
    const none = await join(channel, undefined, { filter: () => false })
    for (const [data, key] of [
      ['3', 'x'],
      ['4', 'y'],
      ['5', 'x'],
    ] as const) {
      channel.publish('a', data, { key })
    }
    await turn()
    expect([dataOf(some.body), dataOf(same.body), dataOf(none.body)]).toEqual(['1 3 5', '3 5', ''])
  })

  it('selects nothing and reports the error if it throws, without affecting other subscribers', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const channel = new SseChannel()
    const broken = await join(channel, undefined, { filter: throws })
    const other = await join(channel)
    channel.publish('a', '1')
    await turn()
    expect([dataOf(broken.body), dataOf(other.body)]).toEqual(['', '1'])
    expect(String(warn.mock.calls[0]?.[0])).toContain('on purpose')
  })

  it.each([
    ['a promise', Promise.resolve(true)],
    ['nothing', undefined],
    ['a number', 1],
  ])('selects nothing and reports the mistake if it returns %s', async (_, given) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const channel = new SseChannel()
    const { body } = await join(channel, undefined, { filter: () => given as unknown as boolean })
    await publish(channel, [1])
    expect(body.text).toBe('')
    expect(String(warn.mock.calls[0]?.[0])).toContain('true or false')
  })
})

describe('a filter', () => {
  it('must be a function: any other value throws before anything is sent', async () => {
    const filter = 'a' as unknown as () => boolean
    const channel = new SseChannel()
    const { stream, body } = await open()
    expect(() => channel.subscribe(stream, { filter })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: 'channel.subscribe: option "filter" must be a function, got "a". Omit it to use the default.',
      }),
    )
    expect([channel.stats.subscribers, stream.isOpen(), body.text]).toEqual([0, true, ''])
    const { ctx, isHeadSent } = fakeContext()
    await expect(channel.serve(ctx, { filter })).rejects.toThrow(
      'channel.serve: option "filter" must be a function, got "a".',
    )
    expect(isHeadSent()).toBe(false)
  })

  it('can unsubscribe or end its stream, which then receives nothing', async () => {
    const channel = new SseChannel()
    const { stream: left, body: leaving } = await join(channel, undefined, {
      filter: () => {
        channel.unsubscribe(left)
        return true
      },
    })
    const { stream: ended, body: ending } = await join(channel, undefined, {
      filter: () => {
        ended.close()
        return true
      },
    })
    const { body: other } = await join(channel)
    await publish(channel, [1, 2])
    expect([leaving, ending, other].map(dataOf)).toEqual(['', '', '01 02'])
    expect([leaving.ending, ending.ending, channel.stats.subscribers]).toEqual(['open', 'complete', 1])
  })

  it('can close the channel without losing earlier events for any subscriber', async () => {
    const channel = new SseChannel()
    const { body: first } = await join(channel)
    const { body: closing } = await join(channel, undefined, {
      filter: ({ data }) => {
        if (data !== '01') return true
        channel.publish('a', 'last')
        void channel.close()
        return true
      },
    })
    const { body: last } = await join(channel)
    await publish(channel, [1])
    expect([first, closing, last].map(dataOf)).toEqual(['01 last', '01 last', '01 last'])
    expect([first, closing, last].map(({ ending }) => ending)).toEqual(['complete', 'complete', 'complete'])
  })

  it('can subscribe other streams, which receive the events published afterwards', async () => {
    const channel = new SseChannel()
    const late: FakeBody[] = []
    const { stream, body } = await open()
    await join(channel, undefined, {
      filter: () => {
        if (late.push(body) === 1) channel.subscribe(stream)
        return false
      },
    })
    await publish(channel, [1, 2])
    expect(dataOf(body)).toBe('02')
  })
})

describe('a filter or callback', () => {
  it('reports its errors at most once per second', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const channel = new SseChannel()
    for (let n = 0; n < 10; n++) await join(channel, undefined, { filter: throws })
    await publish(channel, [1, 2, 3])
    expect(warn).toHaveBeenCalledTimes(1)
    nowMs += 1000
    await publish(channel, [4])
    expect(warn).toHaveBeenCalledTimes(2)
    expect(String(warn.mock.calls[1]?.[0])).toContain('29 times more')
  })

  it('keeps the order of events for all subscribers, even if it publishes or writes', async () => {
    const published: string[] = []
    const give = (text: string): void => {
      published.push(text)
      channel.publish('a', text)
    }
    const channel = new SseChannel({
      maxBufferedBytes: 60,
      slowConsumer: 'drop-newest',
      onDrop: (stream) => {
        if (published.length < 10) give(`told${published.length}`)
        void stream.data('dropped')
      },
    })
    const { body: slow } = await join(channel)
    slow.capacity = 0
    const { body } = await join(channel)
    for (const n of [1, 2, 3, 4, 5, 6]) {
      give(`${n}a`)
      give(`${n}b`)
      await turn()
    }
    await turn()
    expect(dataOf(slow)).toContain('dropped')
    expect(dataOf(body)).toBe(published.join(' '))
  })
})

describe('replay', () => {
  it.each<[string, (channel: SseChannel, stream: SseStream) => void]>([
    ['unsubscribed', (channel, stream) => channel.unsubscribe(stream)],
    ['closed', (_, stream) => stream.close()],
  ])('sends nothing to a stream after it is %s', async (_, end) => {
    const channel = new SseChannel()
    const big = 'x'.repeat(70_000)
    for (let n = 0; n < 6; n++) channel.publish('a', big, { id: String(n) })
    const { stream, body } = await open({ headers: { 'last-event-id': '0' } })
    body.capacity = 0
    channel.subscribe(stream)
    const before = body.chunks.length
    end(channel, stream)
    for (let n = 0; n < 10; n++) {
      body.read()
      await turn()
    }
    expect(body.chunks.length).toBe(before)
  })

  it('sends nothing to a stream that onGap unsubscribes', async () => {
    const channel = new SseChannel({ onGap: (stream) => channel.unsubscribe(stream) })
    channel.publish('a', '1')
    const { body } = await join(channel, 'unknown')
    expect(body.text).toBe('')
  })

  it('finds an ID with any character that a client can send', async () => {
    const channel = new SseChannel({ onGap: () => expect.unreachable() })
    channel.publish('a', '1', { id: '\uD800' })
    channel.publish('a', '2')
    const { body } = await join(channel, Buffer.from('\uFFFD').toString('latin1'))
    expect(dataOf(body)).toBe('2')
  })

  it('continues with live events without a gap or a duplicate, even within one turn', async () => {
    const channel = new SseChannel()
    const { body: early } = await join(channel)
    channel.publish('a', '1', { id: '1' })
    const { body: later } = await join(channel, '1')
    channel.publish('a', '2', { id: '2' })
    const { body: fresh } = await join(channel)
    const { body: back } = await join(channel, '1')
    channel.publish('a', '3', { id: '3' })
    await turn()
    expect([early, later, fresh, back].map(dataOf)).toEqual(['1 2 3', '2 3', '3', '2 3'])
  })

  it('waits for a slow client and then sends the events published since', async () => {
    const channel = new SseChannel({ maxBufferedBytes: 100 })
    const big = 'x'.repeat(40_000)
    for (let n = 0; n < 6; n++) channel.publish('a', big, { id: String(n) })
    const { stream, body } = await open({ headers: { 'last-event-id': '0' } })
    body.capacity = 0
    channel.subscribe(stream)
    expect(body.chunks).toHaveLength(1)
    channel.publish('a', 'live', { id: 'live' })
    for (let n = 0; n < 10; n++) {
      await turn()
      body.read()
    }
    await turn()
    expect([...body.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(['1', '2', '3', '4', '5', 'live'])
  })

  it('aborts the stream when its next events are no longer kept', async () => {
    const channel = new SseChannel({ history: { maxBytes: 200_000 } })
    const big = 'x'.repeat(60_000)
    for (let n = 0; n < 3; n++) channel.publish('a', big, { id: String(n) })
    const { stream, body } = await open({ headers: { 'last-event-id': '0' } })
    body.capacity = 0
    channel.subscribe(stream)
    for (let n = 3; n < 9; n++) channel.publish('a', big, { id: String(n) })
    body.read()
    await turn()
    await turn()
    expect(body.ending).toBe('aborted')
  })

  it('calls onGap before it sends the kept events', async () => {
    const gaps: unknown[] = []
    const channel = new SseChannel({
      history: 2,
      onGap: (stream, gap) => {
        gaps.push(gap)
        void stream.event('reset', '')
      },
    })
    for (const id of ['1', '2', '3', '4']) channel.publish('a', id, { id })
    const { body } = await join(channel, '1')
    await join(channel, '2')
    await join(channel)
    expect(gaps).toEqual([{ lastEventId: '1' }])
    expect(body.text).toBe('event: reset\ndata: \n\nevent: a\nid: 3\ndata: 3\n\nevent: a\nid: 4\ndata: 4\n\n')
  })
})

describe('a slow subscriber', () => {
  const size = 'event: a\nid: 00\ndata: 00\n\n'.length

  async function slow(options: ChannelOptions): Promise<{ channel: SseChannel; stream: SseStream; body: FakeBody }> {
    const channel = new SseChannel({ maxBufferedBytes: 4 * size, ...options })
    const { stream, body } = await join(channel)
    body.capacity = 0
    return { channel, stream, body }
  }

  it('receives the waiting events as soon as it reads', async () => {
    const { channel, body } = await slow({})
    await publish(channel, [1, 2, 3])
    expect(dataOf(body)).toBe('01')
    body.read()
    await turn()
    expect(dataOf(body)).toBe('01 02 03')
    expect(body.chunks).toHaveLength(2)
  })

  it.each([
    ['close', '01', 'aborted', 0],
    ['drop-newest', '01 02 03 04', 'open', 2],
    ['drop-oldest', '01 04 05 06', 'open', 2],
    ['latest-by-key', '01 05 06', 'open', 3],
  ] as const)('applies slowConsumer %s and receives the events %s', async (slowConsumer, seen, ending, drops) => {
    let dropped = 0
    const { channel, body } = await slow({ slowConsumer, onDrop: (_, { events }) => (dropped += events) })
    await publish(channel, [1, 2, 3, 4, 5, 6], (n) => (n % 2 === 0 ? 'even' : 'odd'))
    expect(body.ending).toBe(ending)
    body.read()
    await turn()
    expect(dataOf(body)).toBe(seen)
    expect(dropped).toBe(drops)
  })

  it('ends with the newest event under drop-oldest, regardless of its size', async () => {
    const { channel, body } = await slow({ slowConsumer: 'drop-oldest' })
    await publish(channel, [1, 2])
    channel.publish('a', 'x'.repeat(500))
    await turn()
    body.read()
    await turn()
    expect(dataOf(body)).toBe(`01 ${'x'.repeat(500)}`)
  })

  it('is reported once when its buffer is three quarters full, until it has caught up', async () => {
    const warnings: number[] = []
    const { channel, body } = await slow({
      slowConsumer: 'drop-newest',
      onSlow: (_, { bufferedBytes }) => warnings.push(bufferedBytes),
    })
    await publish(channel, [1, 2])
    expect(warnings).toEqual([])
    await publish(channel, [3, 4, 5])
    expect(warnings).toEqual([3 * size])
    body.capacity = Infinity
    body.read()
    await turn()
    body.capacity = 0
    await publish(channel, [6, 7, 8])
    expect(warnings).toEqual([3 * size, 3 * size])
  })

  it('does not delay other subscribers', async () => {
    const { channel } = await slow({})
    const { body } = await join(channel)
    await publish(channel, [1, 2, 3, 4, 5, 6, 7])
    expect(dataOf(body)).toBe('01 02 03 04 05 06 07')
  })

  it('is removed with its waiting events when it disconnects', async () => {
    const { channel, body } = await slow({})
    await publish(channel, [1, 2])
    body.disconnect()
    expect(channel.stats.subscribers).toBe(0)
    await publish(channel, [3])
    expect(dataOf(body)).toBe('01')
  })
})
