import { App, HttpError } from '@fw/core'
import { setSinks } from '@fw/log'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SealedSessionOptions } from './options.ts'
import { sealedSession } from './sealed-session.ts'
import type { Session } from './session.ts'
import { Browser } from '../test/browser.ts'

interface Data {
  user: string
  visits: number
  cart: string[]
  text: string
}

const SECRET = 'a secret of thirty-two bytes, or more'
const OLD_SECRET = 'the old secret of thirty-two bytes, or more'

beforeAll(() => setSinks([]))
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000_000 }))
afterEach(() => void vi.useRealTimers())

function appWith(options: Partial<SealedSessionOptions> = {}): App {
  const app = new App()
  const sessions = sealedSession<Data>({ secrets: [SECRET], ...options })
  const router = app.router.use(sessions)
  router.get('/', async (ctx) => (await sessions.of(ctx)).data)
  router.get('/unused', () => 'ok')
  router.post('/login', async (ctx) => {
    const session = await sessions.of(ctx)
    session.update({ user: 'ada' })
    session.rotate()
    return 'ok'
  })
  router.post('/visit', async (ctx) => {
    const session = await sessions.of(ctx)
    session.update(({ visits = 0 }) => ({ visits: visits + 1 }))
    return session.data
  })
  router.post('/text', async (ctx) => {
    ;(await sessions.of(ctx)).update({ text: await ctx.text() })
    return 'ok'
  })
  router.post('/logout', async (ctx) => {
    ;(await sessions.of(ctx)).destroy()
    return 'ok'
  })
  router.post('/refuse', async (ctx) => {
    ;(await sessions.of(ctx)).update({ user: 'eve' })
    throw new HttpError(403)
  })
  return app
}

function cacheFields({ headers }: Response): (string | null)[] {
  return [headers.get('vary'), headers.get('cache-control')]
}

/** Returns the `Cache-Control` field of a response to which the handler adds these values. */
async function fieldFor(path: string, ...values: readonly string[]): Promise<string | null> {
  const app = new App()
  const sessions = sealedSession<Data>({ secrets: [SECRET] })
  app.router.use(sessions)
  const route = (name: string, act: (session: Session<Data>) => unknown): void => {
    app.router.post(name, async (ctx) => {
      act(await sessions.of(ctx))
      for (const value of values) ctx.responseHeaders.append('cache-control', value)
      return 'ok'
    })
  }
  route('/write', (session) => session.update({ user: 'ada' }))
  route('/read', (session) => session.data)
  return (await new Browser(app).post(path)).headers.get('cache-control')
}

describe('sealedSession()', () => {
  it('keeps data in the cookie', async () => {
    const browser = new Browser(appWith())
    expect(await browser.json('/')).toEqual({})
    await browser.post('/login')
    await browser.post('/visit')
    expect(await browser.json('/')).toEqual({ user: 'ada', visits: 1 })
  })

  it('sets a cookie with the prefix, Secure, HttpOnly, SameSite=Lax and Path=/', async () => {
    const browser = new Browser(appWith())
    const response = await browser.post('/login')
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-session=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
  })

  it.each([
    ['http://localhost:3000', 'session'],
    ['http://app.localhost', 'session'],
    ['http://127.0.0.1:80', 'session'],
    ['http://[::1]:3000', 'session'],
    ['https://localhost', '__Host-session'],
    ['http://example.org', '__Host-session'],
    ['http://localhost.example.org', '__Host-session'],
    ['http://notlocalhost', '__Host-session'],
  ])('uses the cookie name $1 on $0', async (origin, name) => {
    const [cookie = ''] = (await new Browser(appWith(), origin).post('/login')).headers.getSetCookie()
    expect(cookie.split('=')[0]).toBe(name)
    expect(cookie.includes('Secure')).toBe(name !== 'session')
  })

  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded-ssl',
    'x-real-ip',
    'cf-connecting-ip',
  ])('keeps the prefix behind a proxy on the same host that sends %s', async (field) => {
    const browser = new Browser(appWith(), 'http://localhost:3000')
    const response = await browser.post('/login', { headers: { [field]: 'x' } })
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-session=/)
  })

  it.each([
    [['127.0.0.0/8'], '__Host-session='],
    [false as const, 'session='],
  ])('sends http://localhost, with trustProxy %j, a cookie that starts with %s', async (trustProxy, start) => {
    const app = new App({ trustProxy })
    const sessions = sealedSession<Data>({ secrets: [SECRET] })
    app.router.use(sessions).post('/', async (ctx) => (await sessions.of(ctx)).update({ user: 'ada' }))
    const [cookie = ''] = (await new Browser(app, 'http://localhost').post('/')).headers.getSetCookie()
    expect(cookie.slice(0, start.length)).toBe(start)
  })

  it('adds Vary and private if the session is read, and no-store if it is written', async () => {
    const browser = new Browser(appWith())
    expect(cacheFields(await browser.get('/unused'))).toEqual([null, null])
    expect(cacheFields(await browser.get('/'))).toEqual(['cookie', 'private'])
    expect(cacheFields(await browser.post('/login'))).toEqual(['cookie', 'no-store'])
    expect(cacheFields(await browser.get('/'))).toEqual(['cookie', 'private'])
  })

  describe('the Cache-Control field of the handler', () => {
    it.each([
      'private',
      'private, max-age=60',
      'Private, Max-Age=60',
      'no-cache',
      'no-store, max-age=0',
      'public, no-store',
    ])('remains with a cookie if shared caches do not store the response: %s', async (value) => {
      expect(await fieldFor('/write', value)).toBe(value)
    })

    it.each([
      ['public'],
      ['PUBLIC, max-age=60'],
      ['max-age=60'],
      ['no-cache, max-age=60'],
      ['s-maxage=60'],
      ['private, s-maxage = 60'],
      ['private="set-cookie", max-age=60'],
      ['max-age=60, ext="a, private, no-store, b"'],
      ['must-revalidate', 'max-age=60'],
    ])('is replaced by no-store with a cookie if shared caches can store the response: %s', async (...values) => {
      expect(await fieldFor('/write', ...values)).toBe('no-store')
    })

    it('remains without a cookie', async () => {
      expect(await fieldFor('/read', 'public, max-age=60')).toBe('public, max-age=60')
    })
  })

  it('writes only changes', async () => {
    const browser = new Browser(appWith())
    await browser.post('/login')
    expect((await browser.get('/')).headers.getSetCookie()).toEqual([])
    await browser.post('/text', { body: 'same' })
    expect((await browser.post('/text', { body: 'same' })).headers.getSetCookie()).toEqual([])
  })

  it('sends the cookie with an error page', async () => {
    const browser = new Browser(appWith())
    expect((await browser.post('/refuse')).status).toBe(403)
    expect(await browser.json('/')).toEqual({ user: 'eve' })
  })

  it('deletes the cookie when the session is destroyed', async () => {
    const browser = new Browser(appWith())
    await browser.post('/login')
    const [cookie] = (await browser.post('/logout')).headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-session=; Max-Age=0; Path=\/;.* Secure/)
    expect(await browser.json('/')).toEqual({})
    expect((await browser.post('/logout')).headers.getSetCookie()).toEqual([])
  })

  it('accepts a replayed cookie after logout until it expires', async () => {
    const app = appWith()
    const browser = new Browser(app)
    await browser.post('/login')
    const thief = browser.copy()
    await browser.post('/logout')
    expect(await browser.json('/')).toEqual({})
    expect(await thief.json('/')).toEqual({ user: 'ada' })
    vi.setSystemTime(Date.now() + 43_200_000)
    expect(await thief.json('/')).toEqual({})
  })
})

describe('a tampered cookie', () => {
  it('is ignored if any byte of the value differs', async () => {
    const app = appWith()
    const browser = new Browser(app)
    await browser.post('/login')
    const [[name, value] = ['', '']] = browser.cookies
    expect(value.length).toBeGreaterThan(70)
    for (let at = 0; at < value.length; at++) {
      for (const other of ['A', 'z', '_', '%', '.']) {
        if (value[at] === other) continue
        browser.cookies.set(name, value.slice(0, at) + other + value.slice(at + 1))
        expect(await browser.json('/'), `${other} at ${at}`).toEqual({})
      }
    }
  })

  it('is ignored if any bit of the last character differs', async () => {
    const browser = new Browser(appWith())
    await browser.post('/login')
    const [[name, value] = ['', '']] = browser.cookies
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const accepted: string[] = []
    for (const last of alphabet) {
      browser.cookies.set(name, value.slice(0, -1) + last)
      if (Object.keys(await browser.json('/')).length > 0) accepted.push(last)
    }
    expect(accepted).toEqual([value.at(-1)])
  })

  it.each(['', 'x', 'AAAA', '=', 'A'.repeat(5000), '"quoted"', '%00', '%E0%A4%A'])(
    'is ignored if its value is %j',
    async (value) => {
      const browser = new Browser(appWith())
      browser.cookies.set('__Host-session', value)
      expect(await browser.json('/')).toEqual({})
    },
  )

  it('is ignored if it is shorter or longer', async () => {
    const browser = new Browser(appWith())
    await browser.post('/login')
    const [[name, value] = ['', '']] = browser.cookies
    for (let length = 0; length < value.length; length++) {
      browser.cookies.set(name, value.slice(0, length))
      expect(await browser.json('/')).toEqual({})
    }
    browser.cookies.set(name, `${value}A`)
    expect(await browser.json('/')).toEqual({})
  })

  it('is ignored under the name of a different session', async () => {
    const browser = new Browser(appWith())
    await browser.post('/login')
    const other = new Browser(appWith({ name: '__Host-other' }))
    other.cookies.set('__Host-other', browser.cookies.get('__Host-session') ?? '')
    expect(await other.json('/')).toEqual({})
  })

  it('is ignored without the prefix', async () => {
    const app = appWith()
    const browser = new Browser(app)
    await browser.post('/login')
    const local = new Browser(app, 'http://localhost')
    local.cookies.set('session', browser.cookies.get('__Host-session') ?? '')
    expect(await local.json('/')).toEqual({})
  })

  it.each(['\u00a0', '\u00c2\u00a0', '\u0085', '\u00ef\u00bb\u00bf', '\u00e2\u0080\u0083'])(
    'is ignored if its name has the whitespace %j, which browsers accept from subdomains: GHSA-r5rp-j6wh-rvv4',
    async (space) => {
      const app = appWith()
      const browser = new Browser(app)
      await browser.post('/login')
      const value = browser.cookies.get('__Host-session')
      const dataOf = async (name: string): Promise<unknown> => {
        const headers = { cookie: `a=b; ${name}=${value}; c=d` }
        return (await app.fetch('https://example.org/', { headers })).json()
      }
      expect(await dataOf('__Host-session')).toEqual({ user: 'ada' })
      expect(await dataOf(`${space}__Host-session`)).toEqual({})
      expect(await dataOf(`__Host-session${space}`)).toEqual({})
    },
  )
})

describe('a secret', () => {
  it('can be replaced', async () => {
    const browser = new Browser(appWith({ secrets: [OLD_SECRET] }))
    await browser.post('/login')
    const rotating = browser.copy(appWith({ secrets: [SECRET, OLD_SECRET] }))
    expect(await rotating.json('/')).toEqual({ user: 'ada' })
    await rotating.post('/visit')
    expect(await rotating.copy(appWith({ secrets: [SECRET] })).json('/')).toEqual({ user: 'ada', visits: 1 })
    expect(await browser.copy(appWith({ secrets: [SECRET] })).json('/')).toEqual({})
  })

  it('seals each cookie with a new nonce', async () => {
    const values = new Set<string | undefined>()
    for (let i = 0; i < 20; i++) {
      const browser = new Browser(appWith())
      await browser.post('/login')
      values.add(browser.cookies.get('__Host-session'))
    }
    expect(values.size).toBe(20)
  })

  it('can consist of bytes', async () => {
    const browser = new Browser(appWith({ secrets: [Buffer.from(SECRET)] }))
    await browser.post('/login')
    expect(await browser.copy(appWith()).json('/')).toEqual({ user: 'ada' })
  })
})

describe('the idle timeout', () => {
  it('ends a session that is not used', async () => {
    const browser = new Browser(appWith({ idleTimeoutMs: 60_000 }))
    await browser.post('/login')
    vi.setSystemTime(Date.now() + 59_999)
    expect(await browser.copy().json('/')).toEqual({ user: 'ada' })
    vi.setSystemTime(Date.now() + 1)
    expect(await browser.json('/')).toEqual({})
  })

  it('is refreshed when a tenth of it has passed', async () => {
    const browser = new Browser(appWith({ idleTimeoutMs: 60_000 }))
    await browser.post('/login')
    vi.setSystemTime(Date.now() + 5999)
    expect((await browser.get('/')).headers.getSetCookie()).toEqual([])
    vi.setSystemTime(Date.now() + 1)
    const response = await browser.get('/')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(response.headers.get('cache-control')).toBe('no-store')
    vi.setSystemTime(Date.now() + 59_999)
    expect(await browser.json('/')).toEqual({ user: 'ada' })
  })
})

describe('the absolute timeout', () => {
  it('ends a session even if it is used and rotated continuously', async () => {
    const browser = new Browser(appWith({ idleTimeoutMs: 60_000, absoluteTimeoutMs: 100_000 }))
    await browser.post('/login')
    vi.setSystemTime(Date.now() + 50_000)
    await browser.post('/login')
    vi.setSystemTime(Date.now() + 49_999)
    expect(await browser.json('/')).toEqual({ user: 'ada' })
    vi.setSystemTime(Date.now() + 1)
    expect(await browser.json('/')).toEqual({})
  })
})

describe('persistent', () => {
  it('sets the remaining lifetime on the cookie', async () => {
    const browser = new Browser(appWith({ persistent: true, idleTimeoutMs: 60_000, absoluteTimeoutMs: 100_000 }))
    expect((await browser.post('/login')).headers.getSetCookie()[0]).toContain('; Max-Age=60;')
    vi.setSystemTime(Date.now() + 50_000)
    expect((await browser.get('/')).headers.getSetCookie()[0]).toContain('; Max-Age=50;')
  })
})

describe('maxCookieBytes', () => {
  it('throws when the data is too large: iron-session#101', async () => {
    const app = appWith()
    const codes: unknown[] = []
    app.router.onError((error) => void codes.push((error as { code?: unknown }).code))
    const browser = new Browser(app)
    const sizes: number[] = []
    for (let length = 2950; length < 3080; length++) {
      const [cookie] = (await browser.post('/text', { body: 'x'.repeat(length) })).headers.getSetCookie()
      // The size excludes the `=` between name and value.
      if (cookie !== undefined) sizes.push(cookie.split(';', 1).join('').length - 1)
    }
    expect(Math.max(...sizes)).toBe(4096)
    expect(sizes.length + codes.length).toBe(130)
    expect(new Set(codes)).toEqual(new Set(['FW_SESSION_TOO_LARGE']))
  })

  it('counts bytes instead of characters', async () => {
    const browser = new Browser(appWith({ maxCookieBytes: 200 }))
    expect((await browser.post('/text', { body: 'e'.repeat(70) })).status).toBe(200)
    expect((await browser.post('/text', { body: 'é'.repeat(70) })).status).toBe(500)
  })
})

describe('the options of sealedSession()', () => {
  it.each<[unknown, string]>([
    [{}, 'sealedSession: option "secrets" must be a list of different secrets of at least 32 bytes, got undefined.'],
    [{ secrets: [] }, 'option "secrets" must be a list of different secrets'],
    [{ secrets: SECRET }, 'option "secrets" must be a list of different secrets'],
    [{ secrets: ['x'.repeat(31)] }, 'Create one with: openssl rand -base64 32'],
    [{ secrets: [SECRET, SECRET] }, 'option "secrets" must be a list of different secrets'],
    [{ secrets: [SECRET], name: 'session' }, 'option "name" must be a cookie name that begins with __Host-'],
    [{ secrets: [SECRET], name: '__Host-a b' }, 'option "name" must be a cookie name'],
    [{ secrets: [SECRET], name: '__Host-' }, 'option "name" must be a cookie name'],
    [{ secrets: [SECRET], idleTimeoutMs: 0 }, 'option "idleTimeoutMs" must be an integer from 1'],
    [{ secrets: [SECRET], absoluteTimeoutMs: 1.5 }, 'option "absoluteTimeoutMs" must be an integer from 1'],
    [
      { secrets: [SECRET], absoluteTimeoutMs: 401 * 86_400_000 },
      'option "absoluteTimeoutMs" must be an integer from 1',
    ],
    [
      { secrets: [SECRET], idleTimeoutMs: 2, absoluteTimeoutMs: 1 },
      'option "idleTimeoutMs" must be at most absoluteTimeoutMs, 1, got 2. Raise absoluteTimeoutMs.',
    ],
    [{ secrets: [SECRET], maxCookieBytes: 100 }, 'option "maxCookieBytes" must be an integer from 128 to 1048576'],
    [{ secrets: [SECRET], persistent: 1 }, 'option "persistent" must be true or false'],
    [{ secrets: [SECRET], password: 'x' }, 'unknown option "password". Use secrets instead.'],
  ])('refuses %j', (options, message) => {
    expect(() => sealedSession(options as SealedSessionOptions)).toThrow(message)
  })

  it('keeps secrets out of errors', () => {
    expect(() => sealedSession({ secrets: ['short secret'] })).toThrow(/^(?!.*short secret)/)
  })
})
