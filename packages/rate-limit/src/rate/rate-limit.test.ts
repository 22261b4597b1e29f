import { App, Server, toFetchHandler } from '@fw/core'
import { setSinks } from '@fw/log'
import { parseList } from '@fw/http-fields'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Grant } from './gcra.ts'
import { memoryRateLimits } from './memory-store.ts'
import type { RateLimitOptions } from './options.ts'
import { rateLimit } from './rate-limit.ts'
import type { RateLimitStore } from './store.ts'

beforeAll(() => setSinks([]))
afterEach(() => {
  vi.useRealTimers()
})

/** Sends a GET request for `path` from an address. */
type Send = (address?: string, path?: string, headers?: Record<string, string>) => Promise<Response>

/** Serves `/` and `/exempt` with a limit. Only the test advances the clock. */
function serve(options: RateLimitOptions): Send {
  vi.useFakeTimers({ toFake: ['performance'] })
  const app = new App()
  app.router.use(rateLimit(options))
  app.router.get('/', () => 'ok').get('/exempt', { rateLimit: false }, () => 'ok')
  app.router.get('/fails', () => {
    throw new Error('private')
  })
  const handle = toFetchHandler(app.router)
  return (remoteAddress = '192.0.2.1', path = '/', headers = {}) =>
    handle(new Request(`http://a.example${path}`, { headers }), { remoteAddress })
}

/** Returns a thenable from another library, which is not a `Promise`. */
const thenable = <T>(value: T): Promise<T> => {
  const promise = Promise.resolve(value)
  // oxlint-disable-next-line unicorn/no-thenable -- simulates the promise of another library
  return { then: promise.then.bind(promise) } as Promise<T>
}

const fieldsOf = ({ headers }: Response): (string | null)[] =>
  ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name))

describe('rateLimit', () => {
  it('sends RateLimit-Policy and RateLimit, and 429 with Retry-After', async () => {
    const send = serve({ name: 'login', limit: 3, windowMs: 60_000 })
    expect(fieldsOf(await send())).toEqual(['"login";q=3;w=60', '"login";r=2;t=20', null])
    vi.advanceTimersByTime(5001)
    expect(fieldsOf(await send())).toEqual(['"login";q=3;w=60', '"login";r=1;t=15', null])
    expect(fieldsOf(await send())).toEqual(['"login";q=3;w=60', '"login";r=0;t=15', null])
    const refused = await send()
    expect(refused.status).toBe(429)
    expect(fieldsOf(refused)).toEqual(['"login";q=3;w=60', '"login";r=0;t=15', '15'])
  })

  it('responds with a problem document of type quota-exceeded', async () => {
    const send = serve({ name: 'login', limit: 1 })
    await send()
    const refused = await send()
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await refused.json()).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Too many requests',
      'violated-policies': ['login'],
    })
  })

  it('throws an error with a code to error handlers', async () => {
    const app = new App()
    app.router.use(rateLimit({ limit: 1 }))
    app.router.onError((error) => String((error as { code?: unknown }).code))
    app.router.get('/', () => 'ok')
    await app.fetch('/')
    const response = await app.fetch('/')
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
      429,
      '60',
      'FW_RATE_LIMITED',
    ])
  })

  it('rounds Retry-After up so that a client that waits is not refused again', async () => {
    const send = serve({ limit: 7, windowMs: 10_000, burst: 1 })
    await send()
    const refused = await send()
    expect(fieldsOf(refused)).toEqual(['"default";q=7;w=10', '"default";r=0;t=2', '2'])
    vi.advanceTimersByTime(2000)
    expect((await send()).status).toBe(200)
  })

  it('sends at least 1 second, even for a shorter wait', async () => {
    const send = serve({ limit: 1000, windowMs: 1000, burst: 1 })
    await send()
    expect(fieldsOf(await send())).toEqual(['"default";q=1000;w=1', '"default";r=0;t=1', '1'])
  })

  it('does not allow a second burst at the edge of a window', async () => {
    const send = serve({ limit: 4, windowMs: 60_000 })
    for (let count = 0; count < 4; count++) expect((await send()).status).toBe(200)
    vi.advanceTimersByTime(59_999)
    const statuses = await Promise.all([send(), send(), send(), send()].map(async (sent) => (await sent).status))
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it.each([
    [10, 19],
    [2, 11],
    [1, 10],
  ])(
    'allows limit + burst - 1 requests from an idle client in one window: a burst of %i allows %i',
    async (burst, most) => {
      const send = serve({ limit: 10, windowMs: 60_000, burst })
      let allowed = 0
      // The window is half-open: at its end, the next unit returns.
      for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += 500) {
        while ((await send()).status === 200) allowed++
        vi.advanceTimersByTime(500)
      }
      expect(allowed).toBe(most)
      expect((await send()).status).toBe(200)
    },
  )

  it('does not take units for a refused request', async () => {
    const send = serve({ limit: 1, windowMs: 60_000 })
    await send()
    for (let count = 0; count < 50; count++) {
      vi.advanceTimersByTime(1000)
      expect((await send()).status).toBe(429)
    }
    vi.advanceTimersByTime(10_000)
    expect((await send()).status).toBe(200)
  })

  it('keeps both fields on error responses', async () => {
    const send = serve({ limit: 2 })
    const failed = await send(undefined, '/fails')
    expect(failed.status).toBe(500)
    expect(fieldsOf(failed)).toEqual(['"default";q=2;w=60', '"default";r=1;t=30', null])
  })

  it('counts each group separately, in addition to a nested limit', async () => {
    const app = new App()
    const outer = app.router.group('/api').use(rateLimit({ name: 'api', limit: 3 }))
    outer.get('/', () => 'ok')
    outer
      .group('/login')
      .use(rateLimit({ name: 'login', limit: 1 }))
      .get('/', () => 'ok')
    app.router
      .group('/other')
      .use(rateLimit({ limit: 1 }))
      .get('/', () => 'ok')
    const statusOf = async (path: string): Promise<number> => (await app.fetch(path)).status
    expect([await statusOf('/other'), await statusOf('/other')]).toEqual([200, 429])
    expect([await statusOf('/api/login'), await statusOf('/api/login')]).toEqual([200, 429])
    expect([await statusOf('/api'), await statusOf('/api')]).toEqual([200, 429])
  })

  it('limits paths without a route', async () => {
    const send = serve({ limit: 1 })
    expect((await send(undefined, '/nowhere')).status).toBe(404)
    expect((await send(undefined, '/nowhere')).status).toBe(429)
  })

  it("exempts a route with rateLimit: false, regardless of the path's spelling", async () => {
    const send = serve({ limit: 1 })
    for (let count = 0; count < 3; count++) {
      const response = await send(undefined, '/exempt')
      expect([response.status, ...fieldsOf(response)]).toEqual([200, null, null, null])
    }
    await send()
    expect((await send()).status).toBe(429)
  })

  it('sends valid structured fields for every name and for several limits', async () => {
    const app = new App()
    const store = memoryRateLimits()
    app.router.use(
      rateLimit({ name: 'a"\\b', limit: 10, store }),
      rateLimit({ name: 'daily', limit: 1000, windowMs: 86_400_000, store }),
    )
    app.router.get('/', () => 'ok')
    const { headers } = await app.fetch('/')
    const items = (name: string): unknown[] =>
      parseList(headers.get(name) ?? '')?.map(
        (member) => 'value' in member && [member.value, Object.fromEntries(member.parameters)],
      ) ?? []
    expect(items('ratelimit-policy')).toEqual([
      ['a"\\b', { q: 10, w: 60 }],
      ['daily', { q: 1000, w: 86_400 }],
    ])
    expect(items('ratelimit')).toEqual([
      ['a"\\b', { r: 9, t: 6 }],
      ['daily', { r: 999, t: 87 }],
    ])
  })

  it('sends only Retry-After with fields: false', async () => {
    const send = serve({ limit: 1, fields: false })
    expect(fieldsOf(await send())).toEqual([null, null, null])
    expect(fieldsOf(await send())).toEqual([null, null, '60'])
  })
})

describe('the key of a client', () => {
  it.each([
    [
      'shares a limit within a network of 64 bits: express-rate-limit#502',
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff::9',
      429,
    ],
    ['separates networks', '2001:db8:1:2::1', '2001:db8:1:3::1', 200],
    ['separates IPv4 clients', '192.0.2.1', '192.0.2.2', 200],
    ['separates IPv4-mapped clients: CVE-2026-30827', '::ffff:192.0.2.1', '::ffff:192.0.2.2', 200],
    ['treats both notations of an IPv4 address alike: GHSA-xpcf-pg52-r92g', '::ffff:192.0.2.1', '192.0.2.1', 429],
    ['treats hexadecimal notation alike: express-rate-limit#667', '::ffff:c000:201', '192.0.2.1', 429],
  ])('%s', async (_, first, second, status) => {
    const send = serve({ limit: 1 })
    expect((await send(first)).status).toBe(200)
    expect((await send(second)).status).toBe(status)
  })

  it('is shared by all clients without an address', async () => {
    const app = new App()
    app.router.use(rateLimit({ limit: 1 })).get('/', () => 'ok')
    expect([(await app.fetch('/')).status, (await app.fetch('/')).status]).toEqual([200, 429])
  })

  it('ignores forwarding fields from clients without trustProxy', async () => {
    const send = serve({ limit: 1 })
    await send(undefined, '/', { 'x-forwarded-for': '203.0.113.1' })
    expect((await send(undefined, '/', { 'x-forwarded-for': '203.0.113.2' })).status).toBe(429)
  })

  it('is the address that a trusted proxy reports', async () => {
    await using server = new Server({ trustProxy: ['127.0.0.0/8'] })
    server
      .router()
      .use(rateLimit({ limit: 1 }))
      .get('/', (ctx) => ctx.clientAddress ?? null)
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const statusOf = async (client: string): Promise<number> =>
      (await fetch(url, { headers: { 'x-forwarded-for': client } })).status
    expect([await statusOf('203.0.113.1'), await statusOf('203.0.113.2'), await statusOf('203.0.113.1')]).toEqual([
      200, 200, 429,
    ])
  })

  it.each([
    ['a function', (user: string | null) => user ?? 'anonymous'],
    ['an async function', async (user: string | null) => user ?? 'anonymous'],
    ['a function that returns a thenable', (user: string | null) => thenable(user ?? 'anonymous')],
  ])('is the result of %s', async (_, keyFor) => {
    const send = serve({ limit: 1, key: (ctx) => keyFor(ctx.headers.get('x-user')) })
    const statusOf = async (user: string): Promise<number> => (await send(undefined, '/', { 'x-user': user })).status
    expect([await statusOf('ann'), await statusOf('bob'), await statusOf('ann')]).toEqual([200, 200, 429])
  })

  it('is stored as its SHA-256 digest, so Redis keys do not contain credentials', async () => {
    const taken: string[] = []
    const store: RateLimitStore = { take: (key) => (taken.push(key), { allowed: true, backlogUs: 0 }) }
    const send = serve({ limit: 1, store, key: (ctx) => ctx.headers.get('x-user') ?? '' })
    for (const user of ['secret', `${'a'.repeat(4000)}b`, `${'a'.repeat(4000)}c`]) {
      await send(undefined, '/', { 'x-user': user })
    }
    expect(taken[0]).toBe('default:sha256:K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols')
    expect(new Set(taken).size).toBe(3)
    expect(taken.map((key) => key.length)).toEqual(Array(3).fill('default:sha256:'.length + 43))
  })

  it('is stored unchanged if it is the default, an address', async () => {
    const taken: string[] = []
    const store: RateLimitStore = { take: (key) => (taken.push(key), { allowed: true, backlogUs: 0 }) }
    await serve({ limit: 1, store })('2001:db8::1')
    expect(taken).toEqual(['default:2001:db8:0:0::/64'])
  })

  it.each([undefined, null, 7, Promise.resolve(undefined)])(
    'must be a string: %s causes a 500, because clients would share a limit',
    async (key) => {
      const app = new App()
      app.router.use(rateLimit({ limit: 1, key: () => key as unknown as string }))
      const errors: unknown[] = []
      app.router.onError((error) => void errors.push(error))
      app.router.get('/', () => 'ok')
      expect((await app.fetch('/')).status).toBe(500)
      expect(errors).toEqual([expect.objectContaining({ code: 'FW_INVALID_RETURN' })])
      expect(String(errors[0])).toMatch(/^TypeError: rateLimit: key must return a string, got /)
    },
  )
})

describe('the cost of a request', () => {
  it.each([
    ['a number', 3],
    ['a function', () => 3],
    ['an async function', async () => 3],
    ['a function that returns a thenable', () => thenable(3)],
  ])('can be %s', async (_, cost) => {
    const send = serve({ limit: 10, cost })
    expect(fieldsOf(await send())[1]).toBe('"default";r=7;t=6')
    await send()
    await send()
    const refused = await send()
    expect([refused.status, ...fieldsOf(refused)]).toEqual([429, '"default";q=10;w=60', '"default";r=1;t=6', '12'])
  })

  it('does not take units if it is 0', async () => {
    const send = serve({ limit: 1, cost: 0 })
    for (let count = 0; count < 3; count++) expect(fieldsOf(await send())[1]).toBe('"default";r=1')
  })

  it('causes a refusal without Retry-After if it exceeds the burst, because waiting does not help', async () => {
    const send = serve({ limit: 10, cost: () => 11 })
    const refused = await send()
    expect([refused.status, ...fieldsOf(refused)]).toEqual([429, '"default";q=10;w=60', '"default";r=10', null])
  })

  it.each([-1, 0.5, Number.NaN, Infinity, '1', undefined])('causes a 500 if a function returns %s', async (cost) => {
    const app = new App()
    app.router.use(rateLimit({ limit: 1, cost: () => cost as number }))
    app.router.onError((error) => String(error))
    app.router.get('/', () => 'ok')
    expect(await (await app.fetch('/')).text()).toMatch(
      /^TypeError: rateLimit: cost must return an integer of at least 0, got /,
    )
  })
})

/** A store whose replies the test sends one at a time. */
class ManualStore implements RateLimitStore {
  calls = 0
  reply: () => Grant | Promise<Grant> = () => ({ allowed: true, backlogUs: 0 })

  take(): Grant | Promise<Grant> {
    this.calls++
    return this.reply()
  }
}

const broken = (): Promise<Grant> => Promise.reject(new Error('broken'))
const fail = (): never => {
  throw new Error('thrown by onError')
}
const silent = (): Promise<Grant> => new Promise(() => {})

describe('a store that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', broken],
    ['does not respond', silent],
  ] as [string, () => Promise<Grant>][])(
    'allows requests by default if it %s, and reports the failure once',
    async (_, reply) => {
      const errors: unknown[] = []
      const store = new ManualStore()
      const app = new App()
      app.router
        .use(rateLimit({ limit: 1, store, timeoutMs: 5, onError: (error) => errors.push(error) }))
        .get('/', () => 'ok')
      store.reply = reply
      for (let count = 0; count < 3; count++) {
        const response = await app.fetch('/')
        expect([response.status, ...fieldsOf(response)]).toEqual([200, null, null, null])
      }
      expect(errors).toHaveLength(1)
      store.reply = () => ({ allowed: true, backlogUs: 0 })
      expect(fieldsOf(await app.fetch('/'))[1]).toBe('"default";r=1')
      store.reply = reply
      await app.fetch('/')
      expect(errors).toHaveLength(2)
    },
  )

  it('refuses requests with 503 if onStoreError is refuse', async () => {
    const store = new ManualStore()
    const app = new App()
    app.router.use(rateLimit({ limit: 1, store, onStoreError: 'refuse', onError: () => {} })).get('/', () => 'ok')
    store.reply = broken
    const response = await app.fetch('/')
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(await response.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      status: 503,
    })
  })

  it('is tried by one request at a time, so the others do not wait', async () => {
    const store = new ManualStore()
    const app = new App()
    app.router.use(rateLimit({ limit: 1, store, timeoutMs: 60_000, onError: () => {} })).get('/', () => 'ok')
    store.reply = broken
    await app.fetch('/')
    const late = Promise.withResolvers<Grant>()
    store.reply = () => late.promise
    const trying = app.fetch('/')
    for (let count = 0; count < 10; count++) expect((await app.fetch('/')).status).toBe(200)
    expect(store.calls).toBe(2)
    late.resolve({ allowed: false, backlogUs: 60_000_000 })
    expect((await trying).status).toBe(429)
    store.reply = () => ({ allowed: false, backlogUs: 60_000_000 })
    expect((await app.fetch('/')).status).toBe(429)
  })

  it('reports the timeout with a code', async () => {
    const errors: unknown[] = []
    const store = new ManualStore()
    const app = new App()
    app.router
      .use(rateLimit({ limit: 1, store, timeoutMs: 1, onError: (error) => errors.push(error) }))
      .get('/', () => 'ok')
    store.reply = silent
    await app.fetch('/')
    expect(errors).toEqual([expect.objectContaining({ code: 'FW_STORE_TIMEOUT' })])
  })

  it.each([
    [undefined, 'undefined'],
    [true, 'true'],
    [{}, '{ allowed: undefined, backlogUs: undefined }'],
    [{ allowed: 1, backlogUs: 0 }, '{ allowed: 1, backlogUs: 0 }'],
    [{ allowed: true, backlogUs: Number.NaN }, '{ allowed: true, backlogUs: NaN }'],
    [{ allowed: false, backlogUs: Infinity }, '{ allowed: false, backlogUs: Infinity }'],
    [{ allowed: true, backlogUs: -1 }, '{ allowed: true, backlogUs: -1 }'],
    [{ allowed: true, backlogUs: '0' }, '{ allowed: true, backlogUs: "0" }'],
  ] as [Grant, string][])('is a store that returns %j or a promise of it', async (grant, shown) => {
    for (const reply of [() => grant, () => Promise.resolve(grant), () => thenable(grant)]) {
      const errors: unknown[] = []
      const store = new ManualStore()
      store.reply = reply
      const app = new App()
      app.router
        .use(rateLimit({ limit: 1, store, onStoreError: 'refuse', onError: (error) => errors.push(error) }))
        .get('/', () => 'ok')
      for (let count = 0; count < 2; count++) {
        const response = await app.fetch('/')
        expect([response.status, response.headers.get('ratelimit')]).toEqual([503, null])
      }
      expect(errors).toEqual([expect.objectContaining({ code: 'FW_INVALID_RETURN' })])
      expect(String(errors[0])).toBe(
        `TypeError: rateLimit: take() of the store must return { allowed, backlogUs }, got ${shown}. Return a boolean and a finite number of at least 0.`,
      )
    }
  })

  it('is not a store that returns a thenable', async () => {
    const store = new ManualStore()
    store.reply = () => thenable({ allowed: false, backlogUs: 60_000_000 })
    const app = new App()
    app.router.use(rateLimit({ limit: 1, store })).get('/', () => 'ok')
    expect(fieldsOf(await app.fetch('/'))).toEqual(['"default";q=1;w=60', '"default";r=0;t=60', '60'])
  })

  it('emits a process warning by default, and if onError throws', async () => {
    const warnings: Error[] = []
    const listener = (warning: Error): void => void (warning.name === 'RateLimitWarning' && warnings.push(warning))
    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
    for (const options of [{}, { onError: fail }]) {
      const store = new ManualStore()
      const app = new App()
      app.router.use(rateLimit({ limit: 1, store, ...options })).get('/', () => 'ok')
      store.reply = broken
      expect((await app.fetch('/')).status).toBe(200)
    }
    await vi.waitFor(() => expect(warnings).toHaveLength(2))
    expect(warnings[0]?.message).toContain('broken')
    expect(warnings[1]?.message).toContain('thrown by onError')
  })
})

describe('the options of rateLimit()', () => {
  it.each<[unknown, string]>([
    [{}, 'rateLimit: option "limit" must be a positive integer, got undefined. Write, for example, { limit: 100 }'],
    [{ limit: 0 }, 'rateLimit: option "limit" must be an integer from 1 to 1000000, got 0.'],
    [{ limit: '10' }, 'rateLimit: option "limit" must be an integer from 1 to 1000000, got "10". Convert text first'],
    [{ limit: 1, windowMs: 0 }, 'rateLimit: option "windowMs" must be an integer from 1 to 2678400000, got 0.'],
    [{ limit: 1, burst: 0 }, 'rateLimit: option "burst" must be an integer from 1 to 1000000, got 0.'],
    [
      { limit: 1, windowMs: 2_678_400_000, burst: 2000 },
      'rateLimit: option "burst" must be at most 1681 for this rate, got 2000.',
    ],
    [
      { limit: 1, name: 'a b' },
      'rateLimit: option "name" must be 1 to 64 visible ASCII characters except ":", got "a b".',
    ],
    [
      { limit: 1, name: 'a:b' },
      'rateLimit: option "name" must be 1 to 64 visible ASCII characters except ":", got "a:b".',
    ],
    [{ limit: 1, key: 'ip' }, 'rateLimit: option "key" must be a function, got "ip".'],
    [{ limit: 1, cost: -1 }, 'rateLimit: option "cost" must be an integer from 0 to 1000000 or a function, got -1.'],
    [
      { limit: 1, store: new Map() },
      'rateLimit: option "store" must be a store, such as redisRateLimits(client), got ',
    ],
    [{ limit: 1, timeoutMs: 0 }, 'rateLimit: option "timeoutMs" must be an integer from 1 to 60000, got 0.'],
    [{ limit: 1, onStoreError: 'deny' }, 'rateLimit: option "onStoreError" must be "allow" or "refuse", got "deny".'],
    [{ limit: 1, onError: 1 }, 'rateLimit: option "onError" must be a function, got 1.'],
    [{ limit: 1, fields: 'no' }, 'rateLimit: option "fields" must be true or false, got "no".'],
    [{ max: 1 }, 'rateLimit: unknown option "max". Use limit instead.'],
    [{ limit: 1, skip: true }, 'rateLimit: unknown option "skip". Use the route option rateLimit: false instead.'],
  ])('refuses %j', (options, message) => {
    expect(() => rateLimit(options as RateLimitOptions)).toThrow(message)
  })

  it('refuses any value other than false for the route option', () => {
    const message = 'option "rateLimit" must be false, got true.'
    expect(() => new App().router.get('/', { rateLimit: true as never }, () => 'ok')).toThrow(message)
  })
})
