import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { RedisServer } from '@fw/testing/redis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisSessions, type RedisSessionClient } from '../src/redis.ts'
import { Browser } from './browser.ts'
import { storeContract } from './store-contract.ts'

function clientOf(redis: RedisServer): ReturnType<typeof createClient> {
  const client = createClient({ socket: { path: redis.path, tls: false, reconnectStrategy: 20 } })
  return client.on('error', () => {}) as ReturnType<typeof createClient>
}

describe('redisSessions()', () => {
  let redis: RedisServer
  let prefix = 0

  beforeAll(async () => {
    redis = await RedisServer.start(false)
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  storeContract('redisSessions()', async () => {
    const client = clientOf(redis)
    await client.connect()
    return { store: redisSessions(client, { prefix: `test:${prefix++}:` }), close: async () => client.destroy() }
  })

  it.each([undefined, 'redis://user:password@host', {}, null])('refuses the client %j', (client) => {
    const create = (): unknown => redisSessions(client as RedisSessionClient)
    expect(create).toThrow('redisSessions: client must be a client from the redis package, got')
    expect(create).toThrow(/^(?!.*password)/)
  })

  it.each<[object, string]>([
    [{ timeoutMs: 0 }, 'redisSessions: option "timeoutMs" must be an integer from 1 to 600000, got 0.'],
    [{ prefix: 1 }, 'redisSessions: option "prefix" must be a string, got 1.'],
    [{ ttl: 1 }, 'unknown option "ttl". Use idleTimeoutMs of session() instead.'],
  ])('refuses the options %j', (options, message) => {
    expect(() => redisSessions(clientOf(redis), options)).toThrow(message)
  })

  it('reports a Redis server that does not reply', async () => {
    await using halted = await RedisServer.start(false)
    const client = clientOf(halted)
    await client.connect()
    const store = redisSessions(client, { timeoutMs: 50 })
    halted.pause()
    await expect(store.read('a')).rejects.toMatchObject({ code: 'FW_REDIS_TIMEOUT' })
    halted.resume()
    await expect.poll(() => store.read('a').catch(() => 'failed')).toBeUndefined()
    client.destroy()
  })
})

/** The server processes of one test. */
class Fleet implements AsyncDisposable {
  readonly #processes: readonly ChildProcess[]
  readonly origins: readonly string[]

  private constructor(processes: readonly ChildProcess[], ports: readonly number[]) {
    this.#processes = processes
    this.origins = ports.map((port) => `http://127.0.0.1:${port}`)
  }

  static async start(redis: RedisServer): Promise<Fleet> {
    const program = fileURLToPath(new URL('session-node.ts', import.meta.url))
    const processes = [0, 1].map(() => fork(program, [redis.path]))
    const ports = await Promise.all(
      processes.map(async (process) => {
        const [message] = (await once(process, 'message')) as [{ port: number }]
        return message.port
      }),
    )
    return new Fleet(processes, ports)
  }

  /** Returns a browser that sends its requests to the processes in turn. */
  browser(): Browser {
    let at = 0
    const send = (url: string, init: RequestInit): Promise<Response> => {
      const { pathname } = new URL(url)
      return fetch(`${this.origins[at++ % this.origins.length]}${pathname}`, init)
    }
    return new Browser({ fetch: send }, 'http://localhost')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#processes.map(async (process) => {
        const exit = once(process, 'exit')
        process.disconnect()
        await exit
      }),
    )
  }
}

describe('a server with two processes and Redis', () => {
  it('shares sessions, logouts and changes', async () => {
    await using redis = await RedisServer.start(false)
    await using fleet = await Fleet.start(redis)
    const browser = fleet.browser()
    await browser.post('/login')
    const copies = Array.from({ length: 10 }, () => browser.copy())
    const responses = await Promise.all(copies.map((copy) => copy.post('/visit')))
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await browser.json('/')).toEqual({ user: 'ada', visits: 10 })
    expect(await browser.json('/')).toEqual({ user: 'ada', visits: 10 })
    await browser.post('/logout')
    for (const copy of copies) expect(await copy.json('/')).toEqual({})
  })

  it('does not let a request revive a session while another process logs out', async () => {
    await using redis = await RedisServer.start(false)
    await using fleet = await Fleet.start(redis)
    for (let round = 0; round < 10; round++) {
      const browser = fleet.browser()
      await browser.post('/login')
      const copies = Array.from({ length: 8 }, () => browser.copy())
      const late = copies.map((copy) => copy.post('/visit'))
      await browser.post('/logout')
      for (const response of await Promise.all(late)) expect([200, 409]).toContain(response.status)
      const key = createHash('sha256')
        .update(copies[0]?.cookies.get('session') ?? '')
        .digest('base64url')
      const client = clientOf(redis)
      await client.connect()
      expect(await client.exists(`fw:session:${key}`)).toBe(0)
      client.destroy()
    }
  })

  it('stores only hashes of IDs in Redis, each with an expiry', async () => {
    await using redis = await RedisServer.start(false)
    await using fleet = await Fleet.start(redis)
    const browser = fleet.browser()
    await browser.post('/login')
    const client = clientOf(redis)
    await client.connect()
    const keys = await client.keys('*')
    const id = browser.cookies.get('session') ?? ''
    expect(keys).toEqual([`fw:session:${createHash('sha256').update(id).digest('base64url')}`])
    expect(JSON.stringify(await client.hGetAll(keys[0] ?? ''))).not.toContain(id)
    const remainingMs = await client.pTTL(keys[0] ?? '')
    expect(remainingMs).toBeGreaterThan(1_000_000)
    expect(remainingMs).toBeLessThanOrEqual(1_800_000)
    client.destroy()
  })

  it.each([true, false])(
    'responds with 500 while Redis is down, and continues after its restart: durable %s',
    async (isDurable) => {
      await using redis = await RedisServer.start(isDurable)
      await using fleet = await Fleet.start(redis)
      const browser = fleet.browser()
      await browser.post('/login')
      const id = browser.cookies.get('session')
      await redis.kill()
      // Ask both processes: an outage must be an error, because a session without data would look like a logout.
      for (let request = 0; request < 4; request++) {
        const response = await browser.get('/')
        expect([response.status, response.headers.getSetCookie()]).toEqual([500, []])
      }
      expect((await browser.post('/logout')).status).toBe(500)
      expect(browser.cookies.get('session')).toBe(id)
      await redis.restart()
      for (const origin of fleet.origins) {
        const headers = { cookie: `session=${id}` }
        await expect.poll(async () => (await fetch(origin, { headers })).status, { timeout: 20_000 }).toBe(200)
      }
      expect(await browser.json('/')).toEqual(isDurable ? { user: 'ada' } : {})
      await browser.post('/login')
      expect(browser.cookies.get('session')).not.toBe(id)
      expect(await browser.json('/')).toEqual({ user: 'ada' })
      expect(await browser.json('/')).toEqual({ user: 'ada' })
    },
  )
})
