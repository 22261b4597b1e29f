import { App, type Context, toFetchHandler } from '@fw/core'
import { setSinks } from '@fw/log'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryRateLimits, rateLimit, type RateLimitOptions, type RateLimitStore } from '../src/index.ts'

// Behavior that the tests of @fastify/rate-limit 11 and express-rate-limit 8 require, in our own words. Cases about options that
// only one of them has, such as bans, are left out. Their windows reset at a fixed time. Ours return units one by one, so a
// client waits less: for each unit, the window divided by the limit.

/** A request: its path, and what differs from `GET` from 192.0.2.1. */
interface Step {
  readonly path?: string
  readonly method?: string
  readonly from?: string
  readonly headers?: Record<string, string>
  /** Time that passes before the request, in milliseconds. */
  readonly afterMs?: number
  readonly status: number
}

const ok = (step: Partial<Step> = {}): Step => ({ ...step, status: 200 })
const limited = (step: Partial<Step> = {}): Step => ({ ...step, status: 429 })
const keyOf = ({ headers }: Context): string => headers.get('x-api-key') ?? 'none'

/** A store that counts calls per key and never returns units. */
function countingStore(limit: number): RateLimitStore {
  const used = new Map<string, number>()
  return {
    take: async (key) => {
      const count = (used.get(key) ?? 0) + 1
      used.set(key, count)
      return { allowed: count <= limit, backlogUs: 0 }
    },
  }
}

const failingStore: RateLimitStore = { take: async () => Promise.reject(new Error('down')) }

const CASES: readonly [name: string, options: RateLimitOptions, steps: readonly Step[]][] = [
  ['lets the first request through', { limit: 1 }, [ok()]],
  ['refuses a client that has reached the limit', { limit: 2 }, [ok(), ok(), limited()]],
  ['accepts a refused client again', { limit: 2, windowMs: 1000 }, [ok(), ok(), limited(), ok({ afterMs: 1000 })]],
  [
    'works repeatedly',
    { limit: 1, windowMs: 50 },
    [ok(), limited(), ok({ afterMs: 50 }), limited(), ok({ afterMs: 60 }), limited()],
  ],
  [
    'counts each address separately',
    { limit: 1 },
    [ok(), ok({ from: '192.0.2.2' }), limited(), limited({ from: '192.0.2.2' })],
  ],
  [
    'counts the addresses of one IPv6 subnet together',
    { limit: 1 },
    [
      ok({ from: '2001:0DB8:ABCD:0012:0000:0000:0000:0001' }),
      limited({ from: '2001:db8:abcd:12::2' }),
      ok({ from: '2001:db8:abcd:13::1' }),
    ],
  ],
  [
    'counts an IPv4-mapped address as IPv4',
    { limit: 1 },
    [ok({ from: '::ffff:192.0.2.9' }), limited({ from: '192.0.2.9' })],
  ],
  [
    'uses a custom key',
    { limit: 1, key: keyOf },
    [
      ok({ headers: { 'x-api-key': 'a' } }),
      ok({ headers: { 'x-api-key': 'b' } }),
      limited({ headers: { 'x-api-key': 'a' } }),
    ],
  ],
  [
    'uses a custom key from a promise',
    { limit: 1, key: async (ctx) => keyOf(ctx) },
    [
      ok({ headers: { 'x-api-key': 'a' } }),
      limited({ headers: { 'x-api-key': 'a' } }),
      ok({ headers: { 'x-api-key': 'b' } }),
    ],
  ],
  [
    'skips requests of an allow list',
    { limit: 1, cost: ({ clientAddress }) => (clientAddress === '192.0.2.8' ? 0 : 1) },
    [ok({ from: '192.0.2.8' }), ok({ from: '192.0.2.8' }), ok(), limited()],
  ],
  [
    'skips requests of an allow list from a promise',
    { limit: 1, cost: async ({ headers }) => (headers.has('x-internal') ? 0 : 1) },
    [ok({ headers: { 'x-internal': '1' } }), ok({ headers: { 'x-internal': '1' } }), ok(), limited()],
  ],
  [
    'gives clients different limits',
    { limit: 4, cost: ({ headers }) => (headers.get('x-api-key') === 'paid' ? 1 : 2), key: keyOf },
    [ok(), ok(), limited(), ...Array.from({ length: 4 }, () => ok({ headers: { 'x-api-key': 'paid' } }))],
  ],
  ['does not limit an exempt route', { limit: 1 }, [ok(), ok({ path: '/exempt' }), ok({ path: '/exempt' }), limited()]],
  ['counts HEAD like GET', { limit: 1 }, [ok({ method: 'HEAD' }), limited()]],
  ['limits paths without a route', { limit: 1 }, [{ path: '/nowhere', status: 404 }, limited({ path: '/nowhere' })]],
  ['uses a custom store', { limit: 5, store: countingStore(2) }, [ok(), ok(), limited()]],
  ['passes requests if the store fails', { limit: 1, store: failingStore, onError: () => {} }, [ok(), ok()]],
  [
    'refuses requests if the store fails and onStoreError is refuse',
    { limit: 1, store: failingStore, onStoreError: 'refuse', onError: () => {} },
    [{ status: 503 }],
  ],
]

async function statuses(options: RateLimitOptions, steps: readonly Step[]): Promise<number[]> {
  vi.useFakeTimers({ toFake: ['performance'] })
  const app = new App()
  app.router
    .use(rateLimit(options))
    .get('/', () => 'ok')
    .get('/exempt', { rateLimit: false }, () => 'ok')
  const handle = toFetchHandler(app.router)
  const seen: number[] = []
  for (const { path = '/', method = 'GET', from = '192.0.2.1', headers = {}, afterMs = 0 } of steps) {
    vi.advanceTimersByTime(afterMs)
    const request = new Request(`http://a.example${path}`, { method, headers })
    seen.push((await handle(request, { remoteAddress: from })).status)
  }
  return seen
}

beforeAll(() => setSinks([]))
afterEach(() => {
  vi.useRealTimers()
})

describe('a rate limit, with the cases of other libraries', () => {
  it.each(CASES)('%s', async (_name, options, steps) => {
    expect(await statuses(options, steps)).toEqual(steps.map(({ status }) => status))
  })

  it('keeps two limits with different names apart', async () => {
    const store = memoryRateLimits()
    const app = new App()
    app.router.use(rateLimit({ name: 'a', limit: 2, store }))
    app.router.get('/', () => 'ok').get('/b', { use: rateLimit({ name: 'b', limit: 1, store }) }, () => 'ok')
    const ask = async (path: string): Promise<number> => (await app.fetch(path)).status
    expect([await ask('/b'), await ask('/b'), await ask('/')]).toEqual([200, 429, 429])
  })

  it('shares one limit between the routes of a group', async () => {
    const app = new App()
    const group = app.router.group('/group').use(rateLimit({ limit: 1 }))
    group.get('/a', () => 'ok').get('/b', () => 'ok')
    const ask = async (path: string): Promise<number> => (await app.fetch(path)).status
    expect([await ask('/group/a'), await ask('/group/b')]).toEqual([200, 429])
  })

  it('refuses before the handler runs', async () => {
    const handler = vi.fn(() => 'ok')
    const app = new App()
    app.router.use(rateLimit({ limit: 1 })).get('/', handler)
    await app.fetch('/')
    await app.fetch('/')
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it.each([0, Number.NaN, -1, '10'])('refuses the limit %j', (limit) => {
    expect(() => rateLimit({ limit: limit as number })).toThrow('rateLimit: option "limit" must be an integer')
  })
})
