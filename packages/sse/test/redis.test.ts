import { App } from '@fw/core'
import { createClient } from 'redis'
import { describe, expect, it, vi } from 'vitest'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane, type RedisClient } from '../src/redis.ts'
import { EventClient } from '../src/testing.ts'
import { CuttableLine, RedisServer } from './redis-server.ts'

/** One process of several: a channel behind a route. */
class Node implements AsyncDisposable {
  readonly app = new App()
  readonly channel: SseChannel
  gaps = 0
  readonly errors: unknown[] = []

  constructor(client: RedisClient, history: number = 1000) {
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

/** Waits for a state to come about, on a busy machine too. */
const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 15_000, interval: 10 })

const dataOf = async (client: EventClient, count: number): Promise<string> =>
  (await client.take(count)).map(({ data }) => data).join(' ')

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, n) => String(from + n)).join(' ')

describe('a channel in several processes', () => {
  it('gives each event, published anywhere, to the subscribers of all, in one order', async () => {
    await using redis = await RedisServer.start(false)
    await using one = new Node(redis.client)
    await using two = new Node(redis.client)
    const clients = [await one.connect(), await two.connect()]
    // A client without an id gets what comes once its process knows the past.
    await soon(async () => expect(String(await redis.command('CLIENT', 'LIST')).match(/cmd=xread/g)).toHaveLength(2))
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

  it('replays on another process, also on one that started later, by ids of its own or given ones', async () => {
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

  it('holds a client that knows more than its process until that one has caught up', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.port)
    await using one = new Node(redis.client)
    await using two = new Node(line.client)
    await using client = await one.connect()
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

  it('sends text that is hard to carry unharmed', async () => {
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

  it('works with the third version of the protocol as with the second', async () => {
    await using redis = await RedisServer.start(false)
    const connection = { host: '127.0.0.1', port: redis.port }
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
    ['and has its data on disk', true],
    ['and has lost everything', false],
  ])('%s loses and doubles no event', async (_, isDurable) => {
    await using redis = await RedisServer.start(isDurable)
    await using one = new Node(redis.client)
    await using two = new Node(redis.client)
    one.publish(1, 1)
    await soon(() => expect([one, two].map(({ channel }) => channel.stats.keptEvents)).toEqual([1, 1]))
    await using early = await two.connect('unknown')
    const first = await early.next()
    let published = 1
    const publishing = setInterval(() => one.publish(++published, published), 2)
    await soon(() => expect(published).toBeGreaterThan(50))
    await redis.kill()
    await soon(() => expect(published).toBeGreaterThan(150))
    await redis.restart()
    await soon(() => expect(published).toBeGreaterThan(300))
    clearInterval(publishing)
    expect(await dataOf(early, published - 1)).toBe(range(2, published))

    // One that starts only now knows the same past.
    await using three = new Node(redis.client)
    await using late = await three.connect(first?.lastEventId)
    expect(await dataOf(late, published - 1)).toBe(range(2, published))
    expect([one.gaps, three.gaps]).toEqual([0, 0])
    expect(one.errors).not.toEqual([])
  })

  it('makes publish throw once too many events wait', async () => {
    await using redis = await RedisServer.start(false)
    const backplane = new RedisBackplane(redis.client, 'test', { maxPending: 3, onError: () => {} })
    await using channel = new SseChannel({ backplane })
    await redis.kill()
    for (let n = 0; n < 3; n++) channel.publish('n', '')
    expect(() => channel.publish('n', '')).toThrow('Cannot publish: 3 events wait for Redis already')
    await redis.restart()
    await soon(() => expect(channel.stats.keptEvents).toBe(3))
  })
})

describe('a line to Redis that is cut', () => {
  it('loses and doubles no event', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.port)
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

  it('for longer than Redis keeps events is told as a gap', async () => {
    await using redis = await RedisServer.start(false)
    await using line = await CuttableLine.to(redis.port)
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
    await redis.command('XTRIM', 'fw:sse:{test}', 'MAXLEN', '5')
    line.mend()
    await soon(() => expect(near.channel.stats.keptEvents).toBe(5))
    expect(near.gaps).toBe(2)
    expect(await dataOf(client, 5)).toBe(range(16, 20))
  })
})

describe('closing', () => {
  it('stores what was just published', async () => {
    await using redis = await RedisServer.start(false)
    {
      await using node = new Node(redis.client)
      node.publish(1, 500)
    }
    await using next = new Node(redis.client)
    await soon(() => expect(next.channel.stats.keptEvents).toBe(500))
  })

  it('sends those away who still wait for Redis, and does not wait for it itself', async () => {
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
  ['an empty name', [''], 'the name is empty'],
  ['an unknown option', ['a', { host: '' }], 'no option "host"'],
  ['a negative bound', ['a', { maxPending: -1 }], 'maxPending'],
])('a backplane with %s is refused', (_, [name, options], message) => {
  expect(() => new RedisBackplane(createClient(), name, options)).toThrow(message)
})
