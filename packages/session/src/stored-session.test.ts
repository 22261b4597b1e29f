import { createHash } from 'node:crypto'
import { App, HttpError } from '@fw/core'
import { setSinks } from '@fw/log'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Browser } from '../test/browser.ts'
import { appWith, bound, type Data, idOf, recording } from '../test/stored-app.ts'
import { memorySessions } from './memory-sessions.ts'
import type { SessionOptions } from './options.ts'
import { session } from './stored-session.ts'

beforeAll(() => setSinks([]))
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000_000 }))
afterEach(() => void vi.useRealTimers())

describe('session()', () => {
  it('keeps data in the store under the hash of the ID', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({}, { store }))
    const [cookie] = (await browser.post('/login')).headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(await browser.json('/')).toEqual({ user: 'ada' })
    const key = createHash('sha256').update(idOf(browser)).digest('base64url')
    expect(calls.map(([name, given]) => [name, given])).toEqual([
      ['create', key],
      ['read', key],
    ])
    expect(JSON.stringify(calls)).not.toContain(idOf(browser))
  })

  it('reads the store on first use and writes only changes', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({ same: (current) => current.update({ user: 'ada' }) }, { store }))
    await browser.post('/login')
    calls.length = 0
    await browser.get('/unused')
    expect(calls).toEqual([])
    expect((await browser.get('/')).headers.get('vary')).toBe('cookie')
    expect((await browser.post('/same')).headers.get('cache-control')).toBe('private')
    expect(calls.map(([name]) => name)).toEqual(['read', 'read'])
  })

  it('marks a response that changes the session as no-store, even without a new cookie', async () => {
    const browser = new Browser(appWith({}))
    await browser.post('/login')
    const response = await browser.post('/visit')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('does not create a session for a request that only reads', async () => {
    const { store, calls } = recording()
    const response = await new Browser(appWith({}, { store })).get('/')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(calls).toEqual([])
  })

  it('rejects with a hint if the middleware is missing', async () => {
    const app = new App()
    const errors: unknown[] = []
    app.router.onError((error) => void errors.push(error))
    app.router.get('/', (ctx) => session({ store: memorySessions() }).of(ctx))
    expect((await app.fetch('/')).status).toBe(500)
    expect(String(errors)).toBe('Error: Nothing provides the session here: add router.use(sessions) before this route')
  })

  it('keeps one session per request if a router and its group use it', async () => {
    const app = new App()
    const sessions = session<Data>({ store: memorySessions() })
    const router = app.router.use(sessions)
    router.use(async (ctx, next) => {
      ;(await sessions.of(ctx)).update({ visits: 1 })
      return next()
    })
    const group = router.group('/group').use(sessions)
    group.post('/', async (ctx) => {
      ;(await sessions.of(ctx)).update({ user: 'ada' })
      return (await sessions.of(ctx)).data
    })
    const response = await new Browser(app).post('/group')
    expect(await response.json()).toEqual({ visits: 1, user: 'ada' })
    expect(response.headers.getSetCookie()).toHaveLength(1)
  })

  it('separates two sessions with different names', async () => {
    const app = new App()
    const one = session<Data>({ store: memorySessions() })
    const two = session<Data>({ store: memorySessions(), name: '__Host-two' })
    app.router.use(one).use(two)
    app.router.post('/', async (ctx) => {
      ;(await one.of(ctx)).update({ user: 'one' })
      ;(await two.of(ctx)).update({ user: 'two' })
      return 'ok'
    })
    app.router.get('/', async (ctx) => [(await one.of(ctx)).data, (await two.of(ctx)).data])
    const browser = new Browser(app)
    await browser.post('/')
    expect(await browser.json('/')).toEqual([{ user: 'one' }, { user: 'two' }])
  })
})

describe('a response with two sessions', () => {
  it.each(['one', 'two'] as const)('has no-store if only session %s changes', async (changed) => {
    const app = new App()
    const sessions = {
      one: session<Data>({ store: memorySessions() }),
      two: session<Data>({ store: memorySessions(), name: '__Host-two' }),
    }
    app.router.use(sessions.one).use(sessions.two)
    app.router.post('/', async (ctx) => {
      await sessions.one.of(ctx)
      await sessions.two.of(ctx)
      ;(await sessions[changed].of(ctx)).update({ user: 'ada' })
      return 'ok'
    })
    const response = await new Browser(app).post('/')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('data', () => {
  it('is frozen at every depth', async () => {
    const app = appWith({
      change: ({ data }) => {
        expect(() => (data as Data).cart.push({ name: 'x' })).toThrow(TypeError)
        expect(() => ((data as Data).cart[0] = { name: 'x' })).toThrow(TypeError)
        expect(() => ((data as Data).user = 'x')).toThrow(TypeError)
        return 'checked'
      },
      fill: (current) => current.update({ cart: [{ name: 'a' }] }),
    })
    const browser = new Browser(app)
    await browser.post('/fill')
    expect(await (await browser.post('/change')).text()).toBe('checked')
  })

  it('has the same form after a change as in the next request', async () => {
    const app = appWith({
      date: (current) => {
        current.update({ when: new Date(0), user: undefined })
        return [current.data]
      },
    })
    const browser = new Browser(app)
    await browser.post('/login')
    expect(await (await browser.post('/date')).json()).toEqual([{ when: '1970-01-01T00:00:00.000Z' }])
    expect(await browser.json('/')).toEqual({ when: '1970-01-01T00:00:00.000Z' })
  })

  it.each<[unknown, string]>([
    [{ user: 1n }, 'session.update: a value has no JSON form'],
    [[], 'session.update: changes must be an object'],
    ['x', 'session.update: changes must be an object'],
    [() => undefined, 'session.update: changes must be an object'],
    [async () => ({}), 'session.update: changes must be an object'],
  ])('refuses the change %o', async (change, message) => {
    const app = appWith({
      wrong: (current) => {
        expect(() => current.update(change as object)).toThrow(message)
        return 'refused'
      },
    })
    expect(await (await new Browser(app).post('/wrong')).text()).toBe('refused')
  })

  it('cannot reach the prototype of objects', async () => {
    const app = appWith({ poison: (current) => current.update(JSON.parse('{"__proto__":{"admin":true}}') as object) })
    const browser = new Browser(app)
    await browser.post('/poison')
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    expect(Object.keys(await browser.json('/'))).toEqual(['__proto__'])
  })
})

describe('the idle timeout of session()', () => {
  it('is extended at most once per tenth of its duration', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({}, { store, idleTimeoutMs: 60_000 }))
    await browser.post('/login')
    calls.length = 0
    vi.setSystemTime(Date.now() + 5999)
    await browser.get('/')
    vi.setSystemTime(Date.now() + 1)
    await browser.get('/')
    await browser.get('/')
    expect(calls.map(([name]) => name)).toEqual(['read', 'read', 'touch', 'read'])
    vi.setSystemTime(Date.now() + 59_999)
    expect(await browser.json('/')).toEqual({ user: 'ada' })
    vi.setSystemTime(Date.now() + 60_000)
    expect(await browser.json('/')).toEqual({})
  })

  it('is extended up to the absolute timeout', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({}, { store, idleTimeoutMs: 60_000, absoluteTimeoutMs: 100_000 }))
    await browser.post('/login')
    vi.setSystemTime(Date.now() + 50_000)
    await browser.post('/login')
    vi.setSystemTime(Date.now() + 49_999)
    calls.length = 0
    expect(await browser.json('/')).toEqual({ user: 'ada' })
    expect(calls.map(([name]) => name)).toEqual(['read'])
    vi.setSystemTime(Date.now() + 1)
    expect(await browser.json('/')).toEqual({})
  })

  it('is refreshed in a persistent cookie', async () => {
    const browser = new Browser(appWith({}, { persistent: true, idleTimeoutMs: 60_000 }))
    expect((await browser.post('/login')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    const id = idOf(browser)
    vi.setSystemTime(Date.now() + 6000)
    expect((await browser.get('/')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    expect((await browser.post('/visit')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    expect(idOf(browser)).toBe(id)
  })
})

describe('a store that fails', () => {
  it('causes a 500 without a cookie when the session is saved', async () => {
    const store = { ...bound(memorySessions()), create: () => Promise.reject(new Error('down')) }
    const response = await new Browser(appWith({}, { store })).post('/login')
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []])
  })

  it('causes a 500 but keeps the cookie when the session is read', async () => {
    const memory = memorySessions()
    const browser = new Browser(appWith({}, { store: memory }))
    await browser.post('/login')
    const failing = { ...bound(memory), read: () => Promise.reject(new Error('down')) }
    const response = await browser.copy(appWith({}, { store: failing })).get('/')
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []])
    expect(await browser.json('/')).toEqual({ user: 'ada' })
  })

  it("reports its error together with the handler's error", async () => {
    const store = { ...bound(memorySessions()), create: () => Promise.reject(new Error('down')) }
    const app = new App()
    const sessions = session<Data>({ store })
    const errors: unknown[] = []
    app.router.use(sessions).onError((error) => void errors.push(error))
    app.router.post('/', async (ctx) => {
      ;(await sessions.of(ctx)).update({ user: 'ada' })
      throw new HttpError(403)
    })
    expect((await app.fetch('/', { method: 'POST' })).status).toBe(500)
    expect(errors[0]).toMatchObject({ error: { message: 'down' }, suppressed: { status: 403 } })
  })
})

describe('the options of session()', () => {
  it.each<[unknown, string]>([
    [
      {},
      'session: option "store" must be a session store, got undefined. Use memorySessions() or redisSessions(client).',
    ],
    [{ store: new Map() }, 'session: option "store" must be a session store'],
    [{ store: { ...bound(memorySessions()), delete: undefined } }, 'session: option "store" must be a session store'],
    [{ store: memorySessions(), ttl: 1 }, 'unknown option "ttl". Use idleTimeoutMs instead.'],
    [{ store: memorySessions(), name: 'sid' }, 'option "name" must be a cookie name that begins with __Host-'],
  ])('refuses %j', (options, message) => {
    expect(() => session(options as SessionOptions)).toThrow(message)
  })
})
