import { createHash } from 'node:crypto'
import { App, HttpError, type Context } from '@fw/core'
import { setSinks } from '@fw/log'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Browser } from '../test/browser.ts'
import { memorySessions } from './memory-sessions.ts'
import type { SessionOptions } from './options.ts'
import type { Session, Sessions } from './session.ts'
import type { SessionStore } from './session-store.ts'
import { session } from './stored-session.ts'

interface Data {
  user: string
  visits: number
  cart: { name: string }[]
  when: Date
}

beforeAll(() => setSinks([]))
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000_000 }))
afterEach(() => void vi.useRealTimers())

/** A store that records its calls. */
function recording(store: SessionStore = memorySessions()): { store: SessionStore; calls: [string, ...unknown[]][] } {
  const calls: [string, ...unknown[]][] = []
  const handler: ProxyHandler<SessionStore> = {
    get: (target, name: keyof SessionStore) => {
      return (...args: unknown[]) => {
        calls.push([name, ...args])
        return (target[name] as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  }
  return { store: new Proxy(store, handler), calls }
}

type Act = (session: Session<Data>, ctx: Context) => unknown

/** An application with one route for each function. */
function appWith(routes: Record<string, Act>, options: Partial<SessionOptions> = {}): App & { codes: unknown[] } {
  const app = new App()
  const sessions: Sessions<Data> = session<Data>({ store: memorySessions(), ...options })
  const router = app.router.use(sessions)
  const codes: unknown[] = []
  router.onError((error) => void codes.push((error as { code?: unknown }).code))
  router.get('/', async (ctx) => (await sessions.of(ctx)).data)
  router.get('/unused', () => 'ok')
  const all: Record<string, Act> = {
    login: (current) => {
      current.rotate()
      current.update({ user: 'ada' })
    },
    visit: (current) => current.update(({ visits = 0 }) => ({ visits: visits + 1 })),
    logout: (current) => current.destroy(),
    ...routes,
  }
  for (const [name, act] of Object.entries(all)) {
    router.post(`/${name}`, async (ctx) => (await act(await sessions.of(ctx), ctx)) ?? 'ok')
  }
  return Object.assign(app, { codes })
}

function idOf(browser: Browser): string {
  return browser.cookies.get('__Host-session') ?? ''
}

describe('session()', () => {
  it('keeps data in the store, under the hash of the id', async () => {
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

  it('reads the store on first use, and writes only changes', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({ same: (current) => current.update({ user: 'ada' }) }, { store }))
    await browser.post('/login')
    calls.length = 0
    await browser.get('/unused')
    expect(calls).toEqual([])
    expect((await browser.get('/')).headers.get('vary')).toBe('cookie')
    expect((await browser.post('/same')).headers.get('cache-control')).toBeNull()
    expect(calls.map(([name]) => name)).toEqual(['read', 'read'])
  })

  it('marks a response that changes the session as no-store, even without a new cookie', async () => {
    const browser = new Browser(appWith({}))
    await browser.post('/login')
    const response = await browser.post('/visit')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('creates no session for a request that only reads', async () => {
    const { store, calls } = recording()
    const response = await new Browser(appWith({}, { store })).get('/')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(calls).toEqual([])
  })

  it('rejects with a hint where the middleware is missing', async () => {
    const app = new App()
    const errors: unknown[] = []
    app.router.onError((error) => void errors.push(error))
    app.router.get('/', (ctx) => session({ store: memorySessions() }).of(ctx))
    expect((await app.fetch('/')).status).toBe(500)
    expect(String(errors)).toBe('Error: Nothing provides the session here: add router.use(sessions) before this route')
  })

  it('keeps one session per request if it surrounds a router and its group', async () => {
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

  it('keeps two sessions with different names apart', async () => {
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

describe('an unknown id', () => {
  it('is never adopted: an attacker could know it', async () => {
    const app = appWith({})
    const fixed = Buffer.alloc(32, 7).toString('base64url')
    const victim = new Browser(app)
    victim.cookies.set('__Host-session', fixed)
    await victim.post('/login')
    expect(idOf(victim)).not.toBe(fixed)
    const attacker = new Browser(app)
    attacker.cookies.set('__Host-session', fixed)
    expect(await attacker.json('/')).toEqual({})
    expect(await victim.json('/')).toEqual({ user: 'ada' })
  })

  it.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `${'A'.repeat(42)}.`, '__proto__'])(
    'does not reach the store if it has another form: %j',
    async (value) => {
      const { store, calls } = recording()
      const browser = new Browser(appWith({}, { store }))
      browser.cookies.set('__Host-session', value)
      expect(await browser.json('/')).toEqual({})
      expect(calls).toEqual([])
    },
  )

  it('keeps its cookie, because the response of a parallel rotation can have replaced it', async () => {
    const browser = new Browser(appWith({}))
    browser.cookies.set('__Host-session', 'A'.repeat(43))
    expect((await browser.get('/')).headers.getSetCookie()).toEqual([])
  })
})

describe('rotate()', () => {
  it('deletes the old id, so that a login ends a fixed session: CVE-2023-29019', async () => {
    const app = appWith({})
    const attacker = new Browser(app)
    await attacker.post('/visit')
    const victim = attacker.copy()
    await victim.post('/login')
    expect(idOf(victim)).not.toBe(idOf(attacker))
    expect(await victim.json('/')).toEqual({ visits: 1, user: 'ada' })
    expect(await attacker.json('/')).toEqual({})
  })

  it('leaves one session in the store: fastify/session#348', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({}, { store }))
    await browser.post('/visit')
    await browser.post('/login')
    const created = calls.filter(([name]) => name === 'create').map(([, key]) => String(key))
    expect(created).toHaveLength(2)
    const [old = '', current = ''] = created
    expect(await store.read(old)).toBeUndefined()
    expect(await store.read(current)).toMatchObject({ json: '{"visits":1,"user":"ada"}' })
  })

  it('does nothing without a session', async () => {
    const response = await new Browser(appWith({ rotate: (current) => current.rotate() })).post('/rotate')
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
  })

  it('keeps the old session if the store fails', async () => {
    const store = memorySessions()
    const failing = appWith({}, { store: { ...bound(store), delete: () => Promise.reject(new Error('down')) } })
    const browser = new Browser(failing)
    await browser.post('/visit')
    const id = idOf(browser)
    expect((await browser.post('/login')).status).toBe(500)
    expect(idOf(browser)).toBe(id)
    expect(await browser.json('/')).toEqual({ visits: 1 })
  })
})

describe('destroy()', () => {
  it('ends the session of every browser that has a copy', async () => {
    const browser = new Browser(appWith({}))
    await browser.post('/login')
    const thief = browser.copy()
    const [cookie] = (await browser.post('/logout')).headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-session=; Max-Age=0; Path=\/;.* Secure/)
    expect(await thief.json('/')).toEqual({})
  })

  it('takes effect if the handler throws', async () => {
    const app = appWith({
      expel: (current) => {
        current.destroy()
        throw new HttpError(401)
      },
    })
    const browser = new Browser(app)
    await browser.post('/login')
    const thief = browser.copy()
    const response = await browser.post('/expel')
    expect([response.status, browser.cookies.size]).toEqual([401, 0])
    expect(await thief.json('/')).toEqual({})
  })

  it('begins a new session with a later update()', async () => {
    const app = appWith({
      restart: (current) => {
        current.destroy()
        expect(current.data).toEqual({})
        current.update({ user: 'eve' })
      },
    })
    const browser = new Browser(app)
    await browser.post('/login')
    const old = browser.copy()
    await browser.post('/restart')
    expect(await browser.json('/')).toEqual({ user: 'eve' })
    expect(idOf(browser)).not.toBe(idOf(old))
    expect(await old.json('/')).toEqual({})
  })

  it('ends a session that a save in progress creates', async () => {
    const { store, calls } = recording()
    const app = appWith(
      {
        both: async (current) => {
          current.update({ user: 'ada' })
          const saving = current.save()
          await Promise.resolve()
          current.destroy()
          await saving
        },
      },
      { store },
    )
    const response = await new Browser(app).post('/both')
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
    const [created = []] = calls.filter(([name]) => name === 'create')
    expect(await store.read(String(created[1]))).toBeUndefined()
  })
})

/** A route that waits in the middle, so that other requests can overtake it. */
function pausing(act: (current: Session<Data>) => void): { act: Act; reached: Promise<void>; resume: () => void } {
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    resume: resumed.resolve,
    act: async (current) => {
      act(current)
      reached.resolve()
      await resumed.promise
    },
  }
}

describe('a parallel request', () => {
  it.each(['logout', 'login'])('does not revive a session after %s: GHSA-9j94-67jr-4cqj, nextjs-auth0#2530', async (other) => {
    const slow = pausing((current) => current.update({ user: 'revived' }))
    const app = appWith({ slow: slow.act })
    const browser = new Browser(app)
    await browser.post('/login')
    const before = browser.copy()
    const late = before.copy()
    const responding = late.post('/slow')
    await slow.reached
    await browser.post(`/${other}`)
    slow.resume()
    const response = await responding
    expect([response.status, response.headers.getSetCookie()]).toEqual([409, []])
    expect(app.codes).toEqual(['FW_SESSION_CONFLICT'])
    expect(await before.json('/')).toEqual({})
    expect(await browser.json('/')).toEqual(other === 'logout' ? {} : { user: 'ada' })
  })

  it('does not rotate a session after a logout', async () => {
    const slow = pausing((current) => current.rotate())
    const { store, calls } = recording()
    const app = appWith({ slow: slow.act }, { store })
    const browser = new Browser(app)
    await browser.post('/login')
    const responding = browser.copy().post('/slow')
    await slow.reached
    await browser.post('/logout')
    slow.resume()
    const response = await responding
    expect([response.status, response.headers.getSetCookie()]).toEqual([409, []])
    for (const [, key] of calls.filter(([name]) => name === 'create')) {
      expect(await store.read(String(key))).toBeUndefined()
    }
  })

  it('can log out twice', async () => {
    const slow = pausing((current) => current.destroy())
    const browser = new Browser(appWith({ slow: slow.act }))
    await browser.post('/login')
    const responding = browser.copy().post('/slow')
    await slow.reached
    await browser.post('/logout')
    slow.resume()
    expect((await responding).status).toBe(200)
  })

  it('keeps the changes of others: every function sees the current data', async () => {
    const app = appWith({})
    const browser = new Browser(app)
    await browser.post('/visit')
    const responses = await Promise.all(Array.from({ length: 50 }, () => browser.copy().post('/visit')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await browser.json('/')).toEqual({ visits: 51 })
  })

  it('keeps other properties if it passes an object', async () => {
    const slow = pausing((current) => current.update({ user: 'ada' }))
    const browser = new Browser(appWith({ slow: slow.act }))
    await browser.post('/visit')
    const responding = browser.copy().post('/slow')
    await slow.reached
    await browser.post('/visit')
    slow.resume()
    expect((await responding).status).toBe(200)
    expect(await browser.json('/')).toEqual({ visits: 2, user: 'ada' })
  })

  it('rotates a session that another one has changed', async () => {
    const slow = pausing((current) => current.rotate())
    const browser = new Browser(appWith({ slow: slow.act }))
    await browser.post('/visit')
    const rotating = browser.copy()
    const responding = rotating.post('/slow')
    await slow.reached
    await browser.post('/visit')
    slow.resume()
    await responding
    expect(await rotating.json('/')).toEqual({ visits: 2 })
    expect(await browser.json('/')).toEqual({})
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

  it('has the form of the next request immediately', async () => {
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

describe('the timeouts of session()', () => {
  it('record a use once per tenth of the idle timeout', async () => {
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

  it('never extend the absolute one', async () => {
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

  it('refresh a persistent cookie', async () => {
    const browser = new Browser(appWith({}, { persistent: true, idleTimeoutMs: 60_000 }))
    expect((await browser.post('/login')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    const id = idOf(browser)
    vi.setSystemTime(Date.now() + 6000)
    expect((await browser.get('/')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    expect((await browser.post('/visit')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    expect(idOf(browser)).toBe(id)
  })
})

/** Binds the methods of a store, so that a test can replace some of them. */
function bound(store: SessionStore): SessionStore {
  return {
    read: (key) => store.read(key),
    create: (key, stored) => store.create(key, stored),
    replace: (key, version, stored) => store.replace(key, version, stored),
    touch: (key, expiresAtMs) => store.touch(key, expiresAtMs),
    delete: (key, version) => store.delete(key, version),
  }
}

describe('a store that fails', () => {
  it('causes a 500 without a cookie when the session is saved', async () => {
    const store = { ...bound(memorySessions()), create: () => Promise.reject(new Error('down')) }
    const response = await new Browser(appWith({}, { store })).post('/login')
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []])
  })

  it('causes a 500 when the session is read, and keeps the cookie', async () => {
    const memory = memorySessions()
    const browser = new Browser(appWith({}, { store: memory }))
    await browser.post('/login')
    const failing = { ...bound(memory), read: () => Promise.reject(new Error('down')) }
    const response = await browser.copy(appWith({}, { store: failing })).get('/')
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []])
    expect(await browser.json('/')).toEqual({ user: 'ada' })
  })

  it('reports its error with the error of the handler', async () => {
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
    [{}, 'session: option "store" must be a session store, got undefined. Use memorySessions() or redisSessions(client).'],
    [{ store: new Map() }, 'session: option "store" must be a session store'],
    [{ store: memorySessions(), ttl: 1 }, 'unknown option "ttl". Use idleTimeoutMs instead.'],
    [{ store: memorySessions(), name: 'sid' }, 'option "name" must be a cookie name that begins with __Host-'],
  ])('refuses %j', (options, message) => {
    expect(() => session(options as SessionOptions)).toThrow(message)
  })
})
