import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { App } from '@fw/core'
import { CuttableLine, RedisServer } from '@fw/testing/redis'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SseChannel, type ChannelOptions } from '../src/index.ts'
import { RedisBackplane, type RedisClient } from '../src/redis.ts'
import { EventClient } from '../src/testing.ts'
import { encodeBody, FIRST_ENTRY, NO_ENTRY, type RedisEntry } from '../src/backplane/redis/entry.ts'
import { addCommand } from '../src/backplane/redis/script.ts'

/** The Redis key of these tests. */
const KEY = 'fw:sse:{test}'

/** Simulates one of several processes. Each has a server with a channel on a route. */
class Node implements AsyncDisposable {
  readonly app = new App()
  readonly channel: SseChannel
  gaps = 0
  readonly errors: unknown[] = []

  constructor(client: RedisClient, history: ChannelOptions['history'] = 1000) {
    const backplane = new RedisBackplane(client, 'test', {
      timeoutMs: 300,
      onError: (error) => this.errors.push(error),
    })
    this.channel = new SseChannel({ history, backplane, onGap: () => this.gaps++ })
    this.app.router.get('/', (ctx) => this.channel.serve(ctx, { heartbeatMs: 0 }))
  }

  connect(lastEventId?: string): Promise<EventClient> {
    const init = lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } }
    return EventClient.connect(this.app, '/', init)
  }

  publish(from: number, to: number): void {
    for (let n = from; n <= to; n++) this.channel.publish('n', String(n))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel.close()
  }
}

/** Waits for a condition, with time for a busy machine. */
const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000, interval: 10 })

/** Waits until this many processes have read the history and are waiting for new events. */
const reading = (redis: RedisServer, nodes: number): Promise<unknown> =>
  soon(async () => expect(String(await redis.command('CLIENT', 'LIST')).match(/cmd=xread/g)).toHaveLength(nodes))

const dataOf = async (client: EventClient, count: number): Promise<string> =>
  (await client.take(count)).map(({ data }) => data).join(' ')

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, n) => String(from + n)).join(' ')

describe('a channel in several processes', () => {
  it('delivers each event, published by any process, to all subscribers in the same order', async () => {
    await using redis = await RedisServer.start(false)
    await using one = new Node(redis.client)
    await using two = new Node(redis.client)
    const clients = [await one.connect(), await two.connect()]
    await reading(redis, 2)
    for (let n = 0; n < 50; n++) (n % 2 === 0 ? one : two).publish(n, n)
    const [first, second] = await Promise.all(clients.map((client) => client.take(50)))
    expect(first).toEqual(second)
    expect(first?.map(({ data }) => Number(data)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n),
    )
    for (const parity of [0, 1]) {
      const own = first?.map(({ data }) => Number(data)).filter((n) => n % 2 === parity) ?? []
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
    expect(new Set(first?.map(({ lastEventId }) => lastEventId)).size).toBe(50)
  })

  it('replays events on a different process, even a new one, with generated and given IDs', async () => {
    await using redis = await RedisServer.start(false)
    await using one = new Node(redis.client)
    one.channel.publish('n', '0', { id: 'first' })
    one.publish(1, 3)
    await using client = await one.connect('first')
    const [event] = await client.take(1)
    await using two = new Node(redis.client)
    await using back = await two.connect(event?.lastEventId)
    expect(await dataOf(back, 2)).toBe('2 3')
    await using given = await two.connect('first')
    expect(await dataOf(given, 3)).toBe('1 2 3')
    expect([one.gaps, two.gaps]).toEqual([0, 0])
  })

  it('measures the age of events from their publication instead of the process start', async () => {
    await using redis = await RedisServer.start(false)
    await using one = new Node(redis.client)
    one.publish(1, 3)
    await soon(() => expect(one.channel.stats.keptEvents).toBe(3))
    const maxAgeMs = 500
    await new Promise((resolve) => setTimeout(resolve, maxAgeMs + 50))
    await using two = new Node(redis.client, { maxAgeMs })
    await reading(redis, 2)
    await using client = await two.connect('unknown')
    await soon(() => expect(two.gaps).toBe(1))
    one.publish(4, 4)
    expect(await dataOf(client, 1)).toBe('4')
  })

  it('makes a client with a newer ID wait until its process has caught up', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.path)
    await using one = new Node(redis.client)
    await using two = new Node(line.client)
    await using client = await one.connect()
    await reading(redis, 2)
    one.publish(1, 1)
    await using other = await two.connect()
    one.publish(2, 2)
    await soon(() => expect(two.channel.stats.keptEvents).toBe(2))
    line.cut()
    one.publish(3, 4)
    await soon(() => expect(one.channel.stats.keptEvents).toBe(4))
    const events = await client.take(3)
    const ahead = events.at(-1)
    await using back = await two.connect(ahead?.lastEventId)
    line.mend()
    const last = Number(ahead?.data)
    one.publish(5, 5)
    expect(await dataOf(back, 5 - last)).toBe(range(last + 1, 5))
    expect(two.gaps).toBe(0)
    await other.close()
  })

  it('sends any text unchanged', async () => {
    await using redis = await RedisServer.start(false)
    await using node = new Node(redis.client)
    const texts = ['', 'é\u2028\u0000', '\r\n', '"\\', '💥', '-ERR', '*']
    for (const text of texts) node.channel.publish('n', text, { id: 'a' })
    node.channel.publish('end', '', { id: 'b' })
    await soon(() => expect(node.channel.stats.keptEvents).toBe(texts.length + 1))
    await using client = await node.connect('unknown')
    expect((await client.take(texts.length)).map(({ data }) => data)).toEqual(
      texts.map((text) => text.replace('\r\n', '\n')),
    )
    expect(node.gaps).toBe(1)
  })

  it('delivers events over RESP2 and RESP3', async () => {
    await using redis = await RedisServer.start(false)
    const connection = { path: redis.path, tls: false } as const
    await using two = new Node(createClient({ socket: connection, RESP: 2 }))
    await using three = new Node(createClient({ socket: connection, RESP: 3 }))
    two.publish(1, 2)
    await soon(() => expect(three.channel.stats.keptEvents).toBe(2))
    three.publish(3, 3)
    await soon(() => expect(two.channel.stats.keptEvents).toBe(3))
  })
})

describe('a Redis that is killed', () => {
  it.each([
    ['if it has its data on disk', true],
    ['if it has lost its data', false],
  ])('delivers every event exactly once %s', async (_, isDurable) => {
    await using redis = await RedisServer.start(isDurable)
    await using one = new Node(redis.client)
    await using two = new Node(redis.client)
    one.publish(1, 1)
    await soon(() => expect([one, two].map(({ channel }) => channel.stats.keptEvents)).toEqual([1, 1]))
    await using early = await two.connect('unknown')
    const first = await early.next()
    let published = 1
    // Remain below the history limit whenever Redis starts, so that a later process has all events.
    let most = 300
    const publishing = setInterval(() => published < most && one.publish(++published, published), 2)
    await soon(() => expect(published).toBeGreaterThan(50))
    await redis.kill()
    most = 600
    await soon(() => expect(published).toBeGreaterThan(350))
    await redis.restart()
    most = 900
    await soon(() => expect(published).toBeGreaterThan(650))
    clearInterval(publishing)
    expect(await dataOf(early, published - 1)).toBe(range(2, published))

    // A new process has the same history.
    await using three = new Node(redis.client)
    await using late = await three.connect(first?.lastEventId)
    expect(await dataOf(late, published - 1)).toBe(range(2, published))
    expect([one.gaps, three.gaps]).toEqual([0, 0])
    expect(one.errors).not.toEqual([])
  })

  it('makes publish throw once too many events are waiting', async () => {
    await using redis = await RedisServer.start(false)
    const backplane = new RedisBackplane(redis.client, 'test', { maxBufferedEvents: 3, onError: () => {} })
    await using channel = new SseChannel({ backplane })
    await redis.kill()
    for (let n = 0; n < 3; n++) channel.publish('n', '')
    expect(() => channel.publish('n', '')).toThrow(
      /Cannot publish: 3 events \(\d+ bytes in total\) are already waiting/,
    )
    await redis.restart()
    await soon(() => expect(channel.stats.keptEvents).toBe(3))
  })
})

describe('a silent connection to Redis', () => {
  it('delivers each event exactly once', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.path)
    await using near = new Node(line.client)
    await using far = new Node(redis.client)
    near.publish(1, 1)
    await soon(() => expect([near, far].map(({ channel }) => channel.stats.keptEvents)).toEqual([1, 1]))
    await using nearClient = await near.connect('unknown')
    await using farClient = await far.connect('unknown')
    line.cut()
    near.publish(2, 100)
    await new Promise((resolve) => setTimeout(resolve, 400))
    line.mend()
    near.publish(101, 200)
    expect(await dataOf(nearClient, 200)).toBe(range(1, 200))
    expect(await dataOf(farClient, 200)).toBe(range(1, 200))
  })

  it('causes a gap if the silence lasts longer than Redis keeps events', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.path)
    await using near = new Node(line.client)
    await using far = new Node(redis.client)
    far.publish(1, 1)
    await soon(() => expect(near.channel.stats.keptEvents).toBe(1))
    await using client = await near.connect('unknown')
    expect(await dataOf(client, 1)).toBe('1')
    expect(near.gaps).toBe(1)
    line.cut()
    far.publish(2, 20)
    await soon(() => expect(far.channel.stats.keptEvents).toBe(20))
    await redis.command('XTRIM', KEY, 'MAXLEN', '5')
    line.mend()
    await soon(() => expect(near.channel.stats.keptEvents).toBe(5))
    expect(near.gaps).toBe(2)
    expect(await dataOf(client, 5)).toBe(range(16, 20))
  })
})

describe('an event that is removed before it is read', () => {
  it('causes a gap, even without an outage', async () => {
    await using redis = await RedisServer.start(false)
    await using node = new Node(redis.client)
    node.publish(1, 3)
    await soon(() => expect(node.channel.stats.keptEvents).toBe(3))
    await using client = await node.connect('unknown')
    expect(await dataOf(client, 3)).toBe('1 2 3')
    const entries = Array.from({ length: 10 }, (_, n): RedisEntry => {
      const body = encodeBody({ event: 'n', data: String(n + 4), id: undefined, key: undefined })
      return { entryId: '*', origin: 'other', number: n + 1, previous: NO_ENTRY, body }
    })
    // Use one transaction, so that no read occurs in between.
    await redis.transaction(addCommand(KEY, 1000, FIRST_ENTRY, entries), ['XTRIM', KEY, 'MAXLEN', '2'])
    await soon(() => expect(node.channel.stats.keptEvents).toBe(2))
    expect(node.gaps).toBe(2)
    expect(await dataOf(client, 2)).toBe('12 13')
  })

  it('does not cause a gap for later events on a new process', async () => {
    await using redis = await RedisServer.start(false)
    await using one = new Node(redis.client)
    one.publish(1, 20)
    await soon(() => expect(one.channel.stats.keptEvents).toBe(20))
    await redis.command('XTRIM', KEY, 'MAXLEN', '5')
    await using two = new Node(redis.client)
    await soon(() => expect(two.channel.stats.keptEvents).toBe(5))
    await using client = await two.connect()
    await reading(redis, 2)
    one.publish(21, 22)
    expect(await dataOf(client, 2)).toBe('21 22')
    expect([one.gaps, two.gaps]).toEqual([0, 0])
  })
})

describe('a Redis without memory left', () => {
  it('is reported once while reads still work, and stores the events when it accepts writes again', async () => {
    await using redis = await RedisServer.start(false)
    await using node = new Node(redis.client)
    const callsOf = async (command: string): Promise<number> => {
      const stats = String(await redis.command('INFO', 'commandstats'))
      return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
    }
    // On a busy machine, late replies are also reported.
    const refusals = (): unknown[] => node.errors.filter((error) => String(error).includes('OOM'))
    await reading(redis, 1)
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    node.publish(1, 2)
    for (const wanted of [3, 6]) {
      const reads = await callsOf('xread')
      await soon(async () => {
        expect(await callsOf('eval')).toBeGreaterThanOrEqual(wanted)
        expect(await callsOf('xread')).toBeGreaterThan(reads + 1)
      })
    }
    expect(node.errors).not.toEqual([])
    expect(refusals().length).toBeLessThanOrEqual(1)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    await soon(() => expect(node.channel.stats.keptEvents).toBe(2))
  })

  it('stores the published and the lost events once it has memory', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.path)
    await using node = new Node(line.client)
    await using client = await node.connect()
    await reading(redis, 1)
    node.publish(1, 5)
    await soon(() => expect(node.channel.stats.keptEvents).toBe(5))
    line.cut()
    await redis.kill()
    await redis.restart()
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    line.mend()
    node.publish(6, 8)
    const refusals = async (): Promise<number> =>
      Number(/errorstat_OOM:count=(\d+)/.exec(String(await redis.command('INFO', 'errorstats')))?.[1] ?? 0)
    await soon(async () => expect(await refusals()).toBeGreaterThan(3))
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    expect(await dataOf(client, 8)).toBe(range(1, 8))
    await using late = new Node(redis.client)
    await soon(() => expect(late.channel.stats.keptEvents).toBe(8))
  })

  it('receives a deleted stream again', async () => {
    await using redis = await RedisServer.start(false)
    await using node = new Node(redis.client)
    node.publish(1, 5)
    await soon(() => expect(node.channel.stats.keptEvents).toBe(5))
    await redis.command('DEL', KEY)
    node.publish(6, 6)
    await soon(() => expect(node.channel.stats.keptEvents).toBe(6))
    await using late = new Node(redis.client)
    await soon(() => expect(late.channel.stats.keptEvents).toBe(6))
    expect(node.gaps).toBe(0)
  })
})

describe('a large event', () => {
  it('is queued and sent in commands of limited size', async () => {
    await using redis = await RedisServer.start(false)
    await using one = new Node(redis.client)
    await using two = new Node(redis.client)
    await using client = await two.connect()
    await reading(redis, 2)
    const large = 'x'.repeat(2 ** 20)
    for (let n = 0; n < 20; n++) one.channel.publish('n', `${n} ${large}`)
    const events = await client.take(20)
    expect(events.map(({ data }) => data.split(' ')[0]).join(' ')).toBe(range(0, 19))
    // A new process loads only as many events as it keeps.
    await using three = new Node(redis.client)
    await soon(() => expect(three.channel.stats.keptEvents).toBe(7))
    expect(three.channel.stats.keptBytes).toBeLessThan(8 * 2 ** 20)
    expect([one.gaps, two.gaps, three.gaps]).toEqual([0, 0, 0])
  })

  it('arrives over a connection that is too slow for several large events in one reply', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.path)
    await using near = new Node(redis.client)
    await using far = new Node(line.client)
    await reading(redis, 2)
    // One reply with all events would take twice the time limit.
    line.bytesPerSecond = 2 ** 20
    for (let n = 0; n < 20; n++) near.channel.publish('n', 'x'.repeat(60_000))
    await soon(() => expect(far.channel.stats.keptEvents).toBe(20))
    expect(far.gaps).toBe(0)
  })

  it('makes publish throw once too many bytes are waiting', async () => {
    await using redis = await RedisServer.start(false)
    const backplane = new RedisBackplane(redis.client, 'test', { maxBufferedBytes: 1000, onError: () => {} })
    await using channel = new SseChannel({ backplane })
    await redis.kill()
    channel.publish('n', 'x'.repeat(2000))
    expect(() => channel.publish('n', '')).toThrow(
      /Cannot publish: 1 events \(20\d\d bytes in total\) are already waiting/,
    )
    await redis.restart()
    // Events are delivered slightly before Redis confirms them.
    await soon(() => channel.publish('n', ''))
  })
})

it('sends only a few commands to Redis for many clients with unknown IDs', async () => {
  await using redis = await RedisServer.start(false)
  await using node = new Node(redis.client)
  node.publish(1, 1)
  await soon(() => expect(node.channel.stats.keptEvents).toBe(1))
  const asked = async (): Promise<number> =>
    Number(/cmdstat_xrevrange:calls=(\d+)/.exec(String(await redis.command('INFO', 'commandstats')))?.[1] ?? 0)
  const before = await asked()
  const clients = await Promise.all(Array.from({ length: 200 }, (_, n) => node.connect(`unknown ${n}`)))
  for (const client of clients) expect(await dataOf(client, 1)).toBe('1')
  expect(node.gaps).toBe(200)
  expect((await asked()) - before).toBeLessThan(20)
  for (const client of clients) await client.close()
})

describe('closing', () => {
  it('stores the events that were published just before it', async () => {
    await using redis = await RedisServer.start(false)
    {
      await using node = new Node(redis.client)
      // Closing has a time limit.
      await reading(redis, 1)
      node.publish(1, 500)
    }
    await using next = new Node(redis.client)
    await soon(() => expect(next.channel.stats.keptEvents).toBe(500))
  })

  it('lets the process exit after the server has closed and Redis has stored the published events', async () => {
    await using redis = await RedisServer.start(false)
    const child = fork(fileURLToPath(new URL('ending-node.ts', import.meta.url)), [redis.path])
    // Otherwise, a process that does not exit would block this test.
    onTestFinished(() => void child.kill('SIGKILL'))
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(Number(await redis.command('XLEN', KEY))).toBe(500)
  })

  it('ends streams that are waiting for Redis without waiting for Redis', async () => {
    await using redis = await RedisServer.start(false)
    await redis.kill()
    const node = new Node(redis.client)
    await using client = await node.connect('unknown')
    await node.channel.close()
    expect(await client.next()).toBeUndefined()
    expect(client.retryMs).toBeGreaterThan(0)
    expect(() => node.publish(1, 1)).toThrow('the channel is closed')
  })
})

it.each<[string, [string, object?], string]>([
  ['an empty name', [''], 'name must be a non-empty string, got "". Use the same name in every process.'],
  ['an unknown option', ['a', { host: '' }], 'unknown option "host". Known options: prefix, maxBufferedEvents, '],
  [
    'the earlier name of maxBufferedEvents',
    ['a', { maxPending: 1 }],
    'unknown option "maxPending". Use maxBufferedEvents instead.',
  ],
  [
    'the earlier name of maxBufferedBytes',
    ['a', { maxPendingBytes: 1 }],
    'unknown option "maxPendingBytes". Use maxBufferedBytes instead.',
  ],
  [
    'a negative limit',
    ['a', { maxBufferedEvents: -1 }],
    'option "maxBufferedEvents" must be an integer of at least 0, got -1.',
  ],
  [
    'text as a limit',
    ['a', { maxBufferedBytes: '1' }],
    'option "maxBufferedBytes" must be an integer of at least 0, got "1". Convert text first,',
  ],
])('refuses a backplane with %s', (_, [name, options], message) => {
  expect(() => new RedisBackplane(createClient(), name, options)).toThrow(`RedisBackplane: ${message}`)
})

it.each<[string, unknown, string]>([
  ['an address, without showing it,', 'redis://user:secret@localhost', 'a string'],
  ['nothing', undefined, 'undefined'],
  [
    'a client from another package',
    { duplicate() {}, connect() {}, disconnect() {}, sendCommand() {}, on() {} },
    'an object',
  ],
])('refuses %s instead of a client', (_, client, shown) => {
  expect(() => new RedisBackplane(client as RedisClient, 'test')).toThrow(
    expect.objectContaining({
      name: 'TypeError',
      message: `RedisBackplane: client must be a client from the redis package, got ${shown}. Use createClient({ url: '…' }).`,
    }),
  )
})

it('refuses an onError that is not a function', () => {
  expect(() => new RedisBackplane(createClient(), 'test', { onError: {} as () => void })).toThrow(TypeError)
})
