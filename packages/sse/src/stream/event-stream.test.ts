import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import build from 'fast-json-stringify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeContext, type FakeBody } from '../../test/fake-context.ts'
import type { SseStream } from './sse-stream.ts'
import type { ServerSentEvent } from './event.ts'
import type { SseOptions } from './stream-options.ts'
import { sse } from './sse.ts'

const bodies: FakeBody[] = []

// An open stream would keep its timer running.
afterEach(() => {
  for (const body of bodies.splice(0)) body.disconnect()
})

async function open(options?: SseOptions): Promise<{ stream: SseStream; body: FakeBody }> {
  const { ctx, body } = fakeContext()
  bodies.push(body)
  return { stream: await sse(ctx, options), body }
}

/** Reports whether a promise has settled after all pending callbacks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  await new Promise(setImmediate)
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

describe('a write', () => {
  it('sends each call as one chunk', async () => {
    const { stream, body } = await open()
    await stream.event('tick', 'now')
    await stream.data('a\nb')
    await stream.sendJson('user', { name: 'é', tags: [] })
    await stream.comment('c')
    await stream.retry(3000)
    await stream.send({ comment: 'c', event: 'e', id: '1', retry: 5, data: 'd' })
    expect(body.chunks.map(String)).toEqual([
      'event: tick\ndata: now\n\n',
      'data: a\ndata: b\n\n',
      'event: user\ndata: {"name":"é","tags":[]}\n\n',
      ': c\n\n',
      'retry: 3000\n\n',
      ': c\nevent: e\nid: 1\nretry: 5\ndata: d\n\n',
    ])
  })

  it.each<[string, (stream: SseStream, value: object) => Promise<void>]>([
    ['sendJson', (stream, value) => stream.sendJson('e', value)],
    ['send', (stream, value) => stream.send(Object.assign(value, { data: 'x' }))],
    ['sendMany', (stream, value) => stream.sendMany(Object.assign([{ data: 'x' }], { value }))],
  ])('keeps only the bytes of an event in memory while its client is not reading (%s)', async (_, write) => {
    const { stream, body } = await open()
    body.capacity = 1
    const kept = Array.from({ length: 10 }, () => {
      const value = { text: 'x' }
      void write(stream, value)
      return new WeakRef(value)
    })
    // A `WeakRef` keeps its object until the end of the turn.
    await new Promise(setImmediate)
    setFlagsFromString('--expose-gc')
    runInNewContext('gc()')
    expect(kept.filter((each) => each.deref() !== undefined)).toEqual([])
    expect(body.chunks).toHaveLength(10)
  })

  it('writes sendMany in one chunk', async () => {
    const { stream, body } = await open()
    await stream.sendMany([{ data: '1' }, {}, { id: '2', data: '2' }])
    expect(body.chunks.map(String)).toEqual(['data: 1\n\nid: 2\ndata: 2\n\n'])
  })

  it('does not send a chunk for an empty block', async () => {
    const { stream, body } = await open()
    await stream.send({})
    await stream.sendMany([])
    await stream.sendMany([{}, {}])
    await stream.from([])
    expect(body.chunks).toEqual([])
  })

  it('uses the given serializer', async () => {
    const { stream, body } = await open()
    await stream.sendJson('n', 7, (value) => `[${value}]`)
    expect(body.text).toBe('event: n\ndata: [7]\n\n')
  })

  it('accepts a serializer compiled from a schema', async () => {
    const { stream, body } = await open()
    const serialize = build({ type: 'object', properties: { name: { type: 'string' } } } as const)
    await stream.sendJson('user', { name: 'Ada', secret: 1 }, serialize)
    expect(body.text).toBe('event: user\ndata: {"name":"Ada"}\n\n')
  })

  it('writes lone surrogates as U+FFFD', async () => {
    const { stream, body } = await open()
    await stream.data('a\ud800b')
    expect(body.text).toBe('data: a\ufffdb\n\n')
  })

  it.each<[(stream: SseStream) => Promise<void>, string]>([
    [(s) => s.event(7 as never, ''), 'stream.event: name must be a string, got 7. Convert it, for example with '],
    [(s) => s.event('a', 7 as never), 'stream.event: data must be a string, got 7.'],
    [(s) => s.event('a\n', ''), String.raw`stream.event: event must be without line breaks, got "a\n".`],
    [(s) => s.data(7 as never), 'stream.data: text must be a string, got 7.'],
    [(s) => s.comment(7 as never), 'stream.comment: text must be a string, got 7.'],
    [(s) => s.sendJson('x', undefined), 'stream.sendJson: value must have a JSON form, got undefined.'],
    [(s) => s.sendJson('x', 1, () => 7 as never), 'stream.sendJson: the serializer must return a string, got 7.'],
    [(s) => s.retry(-1), 'stream.retry: ms must be an integer of at least 0, got -1. Its unit is milliseconds.'],
    [(s) => s.send(7 as never), 'stream.send: the event must be an object, got 7.'],
    [(s) => s.sendMany([{ id: 7 as never }]), 'stream.sendMany: id must be a string, got 7.'],
    [(s) => s.from('text' as never), 'stream.from: source must be an iterable object, got "text". Use stream.data() '],
  ])('includes the method and the argument in the error from %s', async (call, message) => {
    const { stream } = await open()
    await expect(call(stream)).rejects.toThrow(message)
  })

  it.each<[string, (stream: SseStream) => Promise<void>, typeof TypeError | typeof RangeError]>([
    ['an event without data', (s) => s.event('x', undefined as unknown as string), TypeError],
    ['an event with a line break in its name', (s) => s.event('x\ny', ''), TypeError],
    ['data that is not a string', (s) => s.data(7 as unknown as string), TypeError],
    ['a comment that is not a string', (s) => s.comment(undefined as unknown as string), TypeError],
    ['JSON of undefined', (s) => s.sendJson('x', undefined), TypeError],
    ['JSON of a function', (s) => s.sendJson('x', () => 1), TypeError],
    ['JSON of a bigint', (s) => s.sendJson('x', 1n), TypeError],
    ['JSON without a name', (s) => s.sendJson(undefined as unknown as string, 1), TypeError],
    ['a retry time of undefined', (s) => s.retry(undefined as unknown as number), RangeError],
    ['a retry time below 0', (s) => s.retry(-1), RangeError],
    ['one invalid block among many', (s) => s.sendMany([{ data: '1' }, { id: '\n' }]), TypeError],
    ['an invalid item from a source', (s) => s.from([{ id: '\0' }]), TypeError],
  ])('rejects %s without sending any of it, and continues', async (_, call, error) => {
    const { stream, body } = await open()
    await expect(call(stream)).rejects.toThrow(error)
    await stream.data('after')
    expect(body.text).toBe('data: after\n\n')
  })
})

describe('from', () => {
  it('sends strings as data and objects as blocks', async () => {
    const { stream, body } = await open()
    await stream.from(
      (async function* () {
        yield 'a'
        yield { event: 'e', data: 'b' }
      })(),
    )
    expect(body.text).toBe('data: a\n\nevent: e\ndata: b\n\n')
  })

  it('resolves and ends the source when the client disconnects while the source is waiting', async () => {
    const { stream, body } = await open()
    let next: ((value: string) => void) | undefined
    let stopped = false
    const done = stream.from(
      (async function* () {
        try {
          while (true) yield await new Promise<string>((resolve) => (next = resolve))
        } finally {
          stopped = true
        }
      })(),
    )
    next?.('a')
    expect(await isSettled(done)).toBe(false)
    body.disconnect()
    await done
    next?.('b')
    await new Promise(setImmediate)
    expect(stopped).toBe(true)
    expect(body.text).toBe('data: a\n\n')
  })

  it.each([
    ['a client disconnect', (_: SseStream, body: FakeBody) => body.disconnect()],
    ['close()', (stream: SseStream) => stream.close()],
  ])('calls return() on the source on %s, even while next() is pending', async (_, over) => {
    const { stream, body } = await open()
    const calls: string[] = []
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          calls.push('next')
          return calls.length > 1 ? new Promise(() => {}) : Promise.resolve({ value: 'a', done: false })
        },
        return() {
          calls.push('return')
          return Promise.reject(new Error('a source can fail to stop'))
        },
      }),
    }
    const done = stream.from(source)
    await new Promise(setImmediate)
    over(stream, body)
    await done
    expect(calls).toEqual(['next', 'next', 'return'])
    expect(body.text).toBe('data: a\n\n')
  })

  it('calls return() on a source after a rejected item, but not on an ended source', async () => {
    const { stream } = await open()
    let returned = 0
    const source = (items: ServerSentEvent[]): Iterable<ServerSentEvent> => ({
      [Symbol.iterator]: () => ({
        next() {
          const value = items.shift()
          return value === undefined ? { value, done: true } : { value, done: false }
        },
        return() {
          returned++
          return { value: undefined, done: true }
        },
      }),
    })
    await expect(stream.from(source([{ id: '\n' }, { data: 'b' }]))).rejects.toThrow(TypeError)
    expect(returned).toBe(1)
    await stream.from(source([{ data: 'a' }]))
    expect(returned).toBe(1)
  })

  it("rejects with the source's error", async () => {
    const { stream } = await open()
    const source = (async function* () {
      yield 'a'
      throw new Error('broken source')
    })()
    await expect(stream.from(source)).rejects.toThrow('broken source')
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['text', 'text'],
    ['an object', {}],
  ])('rejects %s as a source without ending the stream', async (_, source) => {
    const { stream, body } = await open()
    await expect(stream.from(source as string[])).rejects.toThrow(
      'stream.from: source must be an iterable object, got ',
    )
    await stream.data('a')
    expect(body.text).toBe('data: a\n\n')
  })

  it.each<[string, () => unknown]>([
    ['throws', () => expect.unreachable()],
    ['rejects', () => Promise.reject(new Error('on purpose'))],
    // oxlint-disable-next-line unicorn/no-thenable -- simulates the promise of another library
    ['returns a thenable that rejects', () => ({ then: (_: unknown, reject: () => void) => reject() })],
    ['never settles', () => new Promise(() => {})],
  ])('ignores a source whose return() %s', async (_, giveBack) => {
    const { stream, body } = await open()
    let isNotified = false
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<string>>(() => {}),
        return: () => {
          isNotified = true
          return giveBack() as Promise<IteratorResult<string>>
        },
      }),
    }
    const sending = stream.from(source)
    await new Promise(setImmediate)
    body.disconnect()
    await sending
    expect(isNotified).toBe(true)
  })

  it('does not use a source after the end of the stream', async () => {
    const { stream } = await open()
    stream.close()
    let touched = false
    await stream.from(
      (function* () {
        touched = true
        yield 'a'
      })(),
    )
    expect(touched).toBe(false)
  })
})

describe('a producer that awaits only its writes', () => {
  /** Number of writes after which the event loop counts as blocked. */
  const MOST = 100_000

  it.each<[string, SseOptions, (stream: SseStream, count: () => boolean) => Promise<void>]>([
    [
      'a loop of writes',
      {},
      async (stream, goesOn) => {
        while (stream.isOpen() && goesOn()) await stream.data('x')
      },
    ],
    [
      'a loop of dropped writes',
      { slowConsumer: 'drop', maxBufferedBytes: 0 },
      async (stream, goesOn) => {
        while (stream.isOpen() && goesOn()) await stream.data('x')
      },
    ],
    [
      'a source of text',
      {},
      (stream, goesOn) =>
        stream.from(
          (function* () {
            while (goesOn()) yield 'x'
          })(),
        ),
    ],
    [
      'a source of empty blocks',
      {},
      (stream, goesOn) =>
        stream.from(
          (async function* () {
            while (goesOn()) yield {}
          })(),
        ),
    ],
  ])('lets other tasks run with %s and detects the disconnect', async (_, options, produce) => {
    const { stream, body } = await open({ heartbeatMs: 0, ...options })
    if (options.slowConsumer === 'drop') {
      body.capacity = 0
      void stream.data('first')
    }
    let count = 0
    setImmediate(() => body.disconnect())
    await produce(stream, () => ++count < MOST)
    expect(count).toBeLessThan(MOST)
    expect(stream.isOpen()).toBe(false)
  })
})

describe('the end', () => {
  const overs: [string, (stream: SseStream, body: FakeBody) => void][] = [
    ['close()', (stream) => stream.close()],
    ['the client disconnects', (_, body) => body.disconnect()],
    ['the handler returns', (_, body) => body.end()],
    ['the handler throws', (_, body) => body.abort()],
  ]

  it.each(overs)('ignores every write, even an invalid one, after %s', async (_, over) => {
    const { stream, body } = await open()
    await stream.data('a')
    expect(stream.isOpen()).toBe(true)
    over(stream, body)
    expect(stream.isOpen()).toBe(false)
    await stream.event('x\ny', 'z')
    await stream.data(7 as unknown as string)
    await stream.sendJson('x', undefined)
    await stream.comment(null as unknown as string)
    await stream.retry(-1)
    await stream.send(null as never)
    await stream.sendMany(null as never)
    await stream.from(null as never)
    stream.close()
    expect(body.text).toBe('data: a\n\n')
  })

  it.each(overs)('aborts the signal after %s, regardless of when it is first accessed', async (_, over) => {
    const before = await open()
    const { signal } = before.stream
    expect(signal.aborted).toBe(false)
    over(before.stream, before.body)
    expect(signal.aborted).toBe(true)

    const after = await open()
    over(after.stream, after.body)
    expect(after.stream.signal.aborted).toBe(true)
  })

  it.each(overs)('resolves `closed` after %s, regardless of when it is first accessed', async (_, over) => {
    const { stream, body } = await open()
    const { closed } = stream
    expect(await isSettled(closed)).toBe(false)
    over(stream, body)
    await closed
    const after = await open()
    over(after.stream, after.body)
    await after.stream.closed
  })

  it('completes the body on close', async () => {
    const { stream, body } = await open()
    void stream.data('a')
    stream.close()
    stream.close()
    expect(body.ending).toBe('complete')
    expect(body.text).toBe('data: a\n\n')
  })

  it('is reached when an `await using` block ends', async () => {
    const { ctx, body } = fakeContext()
    {
      await using stream = await sse(ctx)
      await stream.data('a')
      expect(body.ending).toBe('open')
    }
    expect(body.ending).toBe('complete')
  })
})

describe('a closing server', () => {
  it('sends a retry block and ends the stream', async () => {
    const { ctx, body, drain } = fakeContext()
    const stream = await sse(ctx)
    await stream.data('a')
    drain()
    expect(stream.isOpen()).toBe(false)
    expect(body.ending).toBe('complete')
    const [, ms = ''] = /^data: a\n\nretry: (\d+)\n\n$/.exec(body.text) ?? []
    expect(Number(ms)).toBeGreaterThanOrEqual(1000)
    expect(Number(ms)).toBeLessThan(3000)
  })

  it("sends the application's retry time", async () => {
    const { ctx, body, drain } = fakeContext()
    await sse(ctx, { retryMs: 7 })
    drain()
    expect(body.text).toBe('retry: 7\n\nretry: 7\n\n')
  })

  it('sends nothing on an ended stream', async () => {
    const { ctx, body, drain } = fakeContext()
    ;(await sse(ctx)).close()
    drain()
    expect(body.text).toBe('')
  })
})

describe('a slow client', () => {
  it('makes a write wait until the client has read', async () => {
    const { stream, body } = await open()
    body.capacity = 0
    const write = stream.data('a')
    expect(body.text).toBe('data: a\n\n')
    expect(stream.bufferedBytes).toBe(9)
    expect(await isSettled(write)).toBe(false)
    body.read()
    await write
    expect(stream.bufferedBytes).toBe(0)
  })

  it('settles a waiting write when it disconnects', async () => {
    const { stream, body } = await open()
    body.capacity = 0
    const write = stream.data('a')
    body.disconnect()
    await write
    expect(stream.isOpen()).toBe(false)
  })

  it('is aborted under "close" when a write exceeds its buffer', async () => {
    const { stream, body } = await open({ slowConsumer: 'close', maxBufferedBytes: 20 })
    body.capacity = 0
    void stream.data('1')
    void stream.data('2')
    expect(stream.isOpen()).toBe(true)
    await stream.data('3')
    expect(body.ending).toBe('aborted')
    expect(stream.isOpen()).toBe(false)
    expect(stream.signal.aborted).toBe(true)
    expect(body.text).toBe('data: 1\n\ndata: 2\n\n')
  })

  it('misses events under "drop" and receives later events once it reads again', async () => {
    const { stream, body } = await open({ slowConsumer: 'drop', maxBufferedBytes: 20 })
    body.capacity = 0
    void stream.data('1')
    void stream.data('2')
    await stream.data('3')
    body.read()
    void stream.data('4')
    expect(stream.isOpen()).toBe(true)
    expect(body.text).toBe('data: 1\n\ndata: 2\n\ndata: 4\n\n')
  })

  it.each(['close', 'drop'] as const)(
    'receives an event larger than its buffer under %j if it keeps up',
    async (policy) => {
      const { stream, body } = await open({ slowConsumer: policy, maxBufferedBytes: 20 })
      await stream.data('x'.repeat(100))
      expect(body.text).toHaveLength(108)
    },
  )
})

describe('a client that reads nothing', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const body of bodies.splice(0)) body.disconnect()
    vi.useRealTimers()
  })

  it('is aborted after 30 s by default', async () => {
    const { stream, body } = await open({ heartbeatMs: 0 })
    body.capacity = 0
    const write = stream.data('a')
    await vi.advanceTimersByTimeAsync(25_000)
    expect(body.ending).toBe('open')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(body.ending).toBe('aborted')
    await write
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not aborted while it reads at least a few bytes', async () => {
    const { stream, body } = await open({ heartbeatMs: 0, stallTimeoutMs: 1000 })
    body.capacity = 0
    void stream.data('x'.repeat(100))
    for (let n = 0; n < 50; n++) {
      await vi.advanceTimersByTimeAsync(500)
      body.bufferedBytes -= 2
    }
    expect(body.ending).toBe('open')
    body.read()
    await vi.advanceTimersByTimeAsync(5000)
    expect(body.ending).toBe('open')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is never aborted if stallTimeoutMs is 0', async () => {
    const { stream, body } = await open({ heartbeatMs: 0, stallTimeoutMs: 0 })
    body.capacity = 0
    void stream.data('a')
    await vi.advanceTimersByTimeAsync(10_000_000)
    expect(body.ending).toBe('open')
  })
})

describe('a heartbeat', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const body of bodies.splice(0)) body.disconnect()
    vi.useRealTimers()
  })

  it('consists of a comment after 15 s of silence by default', async () => {
    const { stream, body } = await open()
    vi.advanceTimersByTime(13_000)
    expect(body.text).toBe('')
    vi.advanceTimersByTime(2_000)
    expect(body.text).toBe(': \n\n')
    vi.advanceTimersByTime(15_000)
    expect(body.text).toBe(': \n\n: \n\n')
    stream.close()
  })

  it('is postponed by events', async () => {
    const { stream, body } = await open({ heartbeatMs: 1000 })
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(700)
      await stream.data('x')
    }
    expect(body.text).toBe('data: x\n\n'.repeat(5))
    stream.close()
  })

  it('is disabled if heartbeatMs is 0', async () => {
    const { body } = await open({ heartbeatMs: 0 })
    vi.advanceTimersByTime(100_000)
    expect(body.text).toBe('')
  })

  it('is not sent while the client has unread bytes', async () => {
    const { stream, body } = await open({ heartbeatMs: 1000 })
    body.capacity = 0
    void stream.data('x')
    vi.advanceTimersByTime(5000)
    expect(body.text).toBe('data: x\n\n')
    stream.close()
  })

  it('ends with the stream', async () => {
    const { body } = await open({ heartbeatMs: 1000 })
    body.disconnect()
    vi.advanceTimersByTime(5000)
    expect(body.text).toBe('')
    expect(vi.getTimerCount()).toBe(0)
  })
})
