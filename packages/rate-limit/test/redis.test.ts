import { type ChildProcess, fork } from 'node:child_process'
import { on } from 'node:events'
import { fileURLToPath } from 'node:url'
import { RedisServer } from '@fw/testing/redis'
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { decide, type Quota, quotaOf } from '../src/rate/gcra.ts'
import { type RedisClient, redisRateLimits, type RedisRateLimits } from '../src/redis.ts'

/** Waits for a condition, with time for a busy machine. */
const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000, interval: 20 })

const DAY_MS = 86_400_000

/** Sends a command, or does something else instead. */
type SendCommand = (args: readonly string[], send: RedisClient['sendCommand']) => Promise<unknown>

/** Returns a client whose copies send commands through `through`. */
function wrapped(redis: RedisServer, through: SendCommand): RedisClient {
  const client: RedisClient = redis.client
  return Object.assign(Object.create(client) as RedisClient, {
    duplicate: () => {
      const copy = client.duplicate()
      const send = copy.sendCommand.bind(copy)
      copy.sendCommand = (args) => through(args, send)
      return copy
    },
  })
}

/** Returns the IDs of the connections whose last command was a script. */
const idsOf = (clientList: unknown): string[] => String(clientList).match(/^id=\d+(?=.*cmd=eval)/gm) ?? []

describe('redisRateLimits', () => {
  it('takes units until none are left, and reports when the next one returns', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    const quota = quotaOf(3, 3 * DAY_MS, 3)
    const grants = [await store.take('a', quota, 1), await store.take('a', quota, 2), await store.take('a', quota, 1)]
    expect(grants.map(({ allowed }) => allowed)).toEqual([true, true, false])
    const day = DAY_MS * 1000
    expect(grants[0]?.backlogUs).toBe(day)
    for (const [at, days] of [
      [1, 3],
      [2, 3],
    ] as const) {
      expect(grants[at]?.backlogUs).toBeGreaterThan((days - 0.1) * day)
      expect(grants[at]?.backlogUs).toBeLessThanOrEqual(days * day)
    }
    expect(await store.take('b', quota, 3)).toEqual({ allowed: true, backlogUs: 3 * day })
  })

  it('sends one EVALSHA per request, and EVAL only after NOSCRIPT', async () => {
    await using redis = await RedisServer.start()
    const commands: string[] = []
    using store = redisRateLimits(
      wrapped(redis, (args, send) => {
        commands.push(args[0] ?? '')
        return send(args)
      }),
    )
    const quota = quotaOf(100, DAY_MS, 100)
    for (let count = 0; count < 3; count++) await store.take('a', quota, 1)
    expect(commands.splice(0)).toEqual(['EVALSHA', 'EVAL', 'EVALSHA', 'EVALSHA'])
    await redis.command('SCRIPT', 'FLUSH')
    for (let count = 0; count < 2; count++) await store.take('a', quota, 1)
    expect(commands).toEqual(['EVALSHA', 'EVAL', 'EVALSHA'])
  })

  it('stores whole microseconds of the Redis clock under an expiring key in braces', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client, { prefix: 'app:' })
    await store.take('login:2001:db8:0:0::/64', quotaOf(7, 7 * DAY_MS, 7), 2)
    const key = 'app:{login:2001:db8:0:0::/64}'
    expect(await redis.command('KEYS', '*')).toEqual([key])
    const [seconds, micros] = (await redis.command('TIME')) as [string, string]
    const nowUs = Number(seconds) * 1e6 + Number(micros)
    const stored = String(await redis.command('GET', key))
    expect(stored).toMatch(/^\d{16}$/)
    // The value was stored earlier, by at most a tenth of a day.
    expect(Number(stored)).toBeLessThanOrEqual(nowUs + 2 * DAY_MS * 1000)
    expect(Number(stored)).toBeGreaterThan(nowUs + 1.9 * DAY_MS * 1000)
    const expiresMs = Number(await redis.command('PTTL', key))
    expect(expiresMs).toBeGreaterThan(1.9 * DAY_MS)
    expect(expiresMs).toBeLessThanOrEqual(2 * DAY_MS + 1)
  })

  it('does not store a key for a refused request or a cost of 0', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    const quota = quotaOf(2, DAY_MS, 2)
    expect(await store.take('a', quota, 0)).toEqual({ allowed: true, backlogUs: 0 })
    expect(await store.take('a', quota, 3)).toEqual({ allowed: false, backlogUs: 0 })
    expect(await redis.command('DBSIZE')).toBe(0)
    await store.take('a', quota, 2)
    const stored = await redis.command('GET', 'fw:rate-limit:{a}')
    expect(await store.take('a', quota, 1)).toMatchObject({ allowed: false })
    expect(await redis.command('GET', 'fw:rate-limit:{a}')).toBe(stored)
  })

  it('matches the algorithm in memory for every stored time', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    // Use intervals of a day, so that the time between the two decisions does not change either of them.
    const day = DAY_MS * 1000
    const cases = fc.tuple(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: -3, max: 30 }),
      fc.integer({ min: 0, max: 9 }),
    )
    await fc.assert(
      fc.asyncProperty(cases, async ([burst, takenUnits, cost]) => {
        const quota: Quota = { intervalUs: day, burstUs: burst * day }
        const [seconds] = (await redis.command('TIME')) as [string]
        // Add half a unit, so that no decision is close to its limit.
        const taken = Math.min(takenUnits + 0.5, burst - 0.5) * day
        const storedUs = Number(seconds) * 1e6 + taken
        await redis.command('SET', 'fw:rate-limit:{a}', String(storedUs))
        const expected = decide(storedUs, Number(seconds) * 1e6, quota, cost)
        const grant = await store.take('a', quota, cost)
        expect(grant.allowed).toBe(expected.allowed)
        expect(Math.abs(grant.backlogUs - expected.backlogUs)).toBeLessThan(day / 10)
      }),
      { numRuns: 60 },
    )
  })

  it('reduces taken units to one burst, as after a shorter limit or a clock that was set back', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    await store.take('a', quotaOf(1, 30 * DAY_MS, 1), 1)
    const quota = quotaOf(1, DAY_MS, 1)
    expect(await store.take('a', quota, 1)).toEqual({ allowed: false, backlogUs: quota.burstUs })
    expect(Number(await redis.command('PTTL', 'fw:rate-limit:{a}'))).toBeLessThanOrEqual(DAY_MS)
  })

  it('replaces a value that is not a number', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    await redis.command('SET', 'fw:rate-limit:{a}', 'text')
    expect(await store.take('a', quotaOf(1, DAY_MS, 1), 1)).toMatchObject({ allowed: true })
  })

  it('rejects with the Redis error and keeps the connection', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    await redis.command('LPUSH', 'fw:rate-limit:{a}', 'x')
    await store.take('b', quotaOf(1, DAY_MS, 1), 1)
    const ids = await redis.command('CLIENT', 'LIST', 'TYPE', 'normal')
    await expect(store.take('a', quotaOf(1, DAY_MS, 1), 1)).rejects.toThrow('WRONGTYPE')
    await store.take('b', quotaOf(1, DAY_MS, 1), 1)
    expect(idsOf(await redis.command('CLIENT', 'LIST', 'TYPE', 'normal'))).toEqual(idsOf(ids))
  })

  it('opens a new connection after close()', async () => {
    await using redis = await RedisServer.start()
    using store = redisRateLimits(redis.client)
    const quota = quotaOf(2, DAY_MS, 2)
    await store.take('a', quota, 1)
    store.close()
    await soon(async () => expect(String(await redis.command('CLIENT', 'LIST'))).not.toContain('cmd=eval'))
    expect(await store.take('a', quota, 2)).toMatchObject({ allowed: false })
  })

  it('replaces a connection that remains silent', async () => {
    await using redis = await RedisServer.start()
    let silent = true
    const senders = new Set<unknown>()
    const template = wrapped(redis, (args, send) => {
      senders.add(send)
      return silent ? new Promise(() => {}) : send(args)
    })
    using store = redisRateLimits(template)
    const quota = quotaOf(1, DAY_MS, 1)
    store.take('a', quota, 1).catch(() => {})
    await soon(() => {
      store.take('a', quota, 1).catch(() => {})
      expect(senders.size).toBeGreaterThan(1)
    })
    silent = false
    store.close()
    expect(await store.take('a', quota, 1)).toMatchObject({ allowed: true })
  })

  it.each<[unknown, unknown, string]>([
    [
      'redis://user:secret@host',
      {},
      'redisRateLimits: client must be a client from the redis package, got a string. Use createClient(',
    ],
    [{}, {}, 'redisRateLimits: client must be a client from the redis package, got an object.'],
  ])('refuses the client %j', (client, options, message) => {
    expect(() => redisRateLimits(client as RedisClient, options as object)).toThrow(message)
  })

  it('refuses options that do not exist', async () => {
    await using redis = await RedisServer.start()
    const create = (options: object): RedisRateLimits => redisRateLimits(redis.client, options)
    expect(() => create({ keyPrefix: 'x' })).toThrow('redisRateLimits: unknown option "keyPrefix". Use prefix instead.')
    expect(() => create({ prefix: 1 })).toThrow('redisRateLimits: option "prefix" must be a string, got 1.')
  })
})

/** A server in its own process. */
class LimitedNode implements Disposable {
  readonly #process: ChildProcess
  port = 0
  failures = 0

  constructor(redis: RedisServer, onStoreError: 'allow' | 'refuse') {
    this.#process = fork(fileURLToPath(new URL('limited-node.ts', import.meta.url)), [redis.path, onStoreError])
  }

  static async start(redis: RedisServer, onStoreError: 'allow' | 'refuse' = 'allow'): Promise<LimitedNode> {
    const node = new LimitedNode(redis, onStoreError)
    for await (const [message] of on(node.#process, 'message') as AsyncIterable<[{ port: number }]>) {
      node.port = message.port
      break
    }
    node.#process.on('message', (message) => {
      if (message === 'failed') node.failures++
    })
    return node
  }

  async send(key: string): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${this.port}/?${key}`)
    await response.bytes()
    return response
  }

  [Symbol.dispose](): void {
    this.#process.disconnect()
  }
}

describe('a limit in two processes', () => {
  it('counts the requests to both', async () => {
    await using redis = await RedisServer.start()
    const nodes = await Promise.all([LimitedNode.start(redis), LimitedNode.start(redis)])
    using one = nodes[0]
    using two = nodes[1]
    const sent = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : two).send('a'))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    expect((await one.send('b')).headers.get('ratelimit')).toBe('"default";r=9;t=8640')
    expect((await two.send('b')).headers.get('ratelimit')).toMatch(/^"default";r=8;t=8[56]\d\d$/)
    expect([one.failures, two.failures]).toEqual([0, 0])
  })

  it('allows requests and reports the outage once while Redis is down, and counts again after the restart', async () => {
    await using redis = await RedisServer.start()
    const nodes = await Promise.all([LimitedNode.start(redis), LimitedNode.start(redis)])
    using one = nodes[0]
    using two = nodes[1]
    for (let count = 0; count < 10; count++) expect((await one.send('a')).status).toBe(200)
    expect((await two.send('a')).status).toBe(429)

    await redis.kill()
    for (const node of [one, two]) {
      for (let count = 0; count < 2; count++) {
        const response = await node.send('a')
        expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null])
      }
    }
    await soon(() => expect([one.failures, two.failures]).toEqual([1, 1]))

    // The restart loses the script, so this covers NOSCRIPT too.
    await redis.restart()
    for (const node of [one, two]) await soon(async () => expect((await node.send('a')).status).toBe(429))
    expect([one.failures, two.failures]).toEqual([1, 1])
  })

  it('refuses requests with 503 while Redis is down if onStoreError is refuse', async () => {
    await using redis = await RedisServer.start()
    using node = await LimitedNode.start(redis, 'refuse')
    expect((await node.send('a')).status).toBe(200)
    await redis.kill()
    const refused = await node.send('a')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^[12]$/)
    await redis.restart()
    await soon(async () => expect((await node.send('a')).status).toBe(200))
  })

  it('starts while Redis is down', async () => {
    await using redis = await RedisServer.start()
    await redis.kill()
    using node = await LimitedNode.start(redis)
    expect((await node.send('a')).status).toBe(200)
    await redis.restart()
    await soon(async () => expect((await node.send('a')).headers.get('ratelimit')).toMatch(/^"default";r=\d;/))
  })

  it('counts requests again after Redis was suspended', async () => {
    await using redis = await RedisServer.start()
    using node = await LimitedNode.start(redis)
    await node.send('a')
    redis.pause()
    expect((await node.send('a')).headers.get('ratelimit')).toBeNull()
    redis.resume()
    await soon(async () => expect((await node.send('a')).headers.get('ratelimit')).toMatch(/^"default";r=\d;/))
  })
})
