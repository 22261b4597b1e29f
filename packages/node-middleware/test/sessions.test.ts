import session, { MemoryStore, type SessionData } from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-custom'
import { setSinks } from '@fw/log'
import { beforeAll, expect, it } from 'vitest'
import { fromNode, nodeRequest } from '../src/index.ts'
import { everyWay } from './every-way.ts'

declare module 'express-session' {
  interface SessionData {
    views: number
  }
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- only a namespace merges with that of @types/passport
  namespace Express {
    interface User {
      name: string
    }
  }
}

beforeAll(() => setSinks([]))

/** A store that stores a session later than in the same turn, as one in a database does. */
class SlowStore extends MemoryStore {
  override set(id: string, data: SessionData, callback?: (error?: unknown) => void): void {
    setTimeout(() => super.set(id, data, callback), 5)
  }
}

function cookieOf({ headers }: { readonly headers: Headers }): string {
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

const SECRET = { secret: 'a secret', resave: false, saveUninitialized: false }

everyWay(
  'express-session',
  (router) => {
    router.use(fromNode(session({ ...SECRET, store: new SlowStore() })))
    router.get('/views', (ctx) => {
      const { session: data } = nodeRequest(ctx)
      return { views: (data.views = (data.views ?? 0) + 1) }
    })
    router.get('/redirect', (ctx) => {
      nodeRequest(ctx).session.views = 7
      return ctx.redirect('/views')
    })
    router.get('/stream', (ctx) => {
      nodeRequest(ctx).session.views = 10
      return ctx.stream(['a ', 'stream'])
    })
    router.get(
      '/node',
      fromNode((req, res) => {
        Object.assign(Reflect.get(req, 'session'), { views: 20 })
        res.setHeader('content-type', 'text/plain')
        res.end('from Node.js')
      }),
    )
    router.get('/logout', async (ctx) => {
      await new Promise<void>((resolve) => nodeRequest(ctx).session.destroy(resolve))
      return 'bye'
    })
    router.get('/unused', () => 'unused')
    router.get('/fails', (ctx) => {
      nodeRequest(ctx).session.views = 30
      throw new Error('failed')
    })
  },
  (send) => {
    const viewsOf = async (cookie: string): Promise<unknown> =>
      (JSON.parse((await send({ path: '/views', headers: [['cookie', cookie]] })).text) as { views: number }).views

    it('keeps the data of an fw handler between requests', async () => {
      const first = await send({ path: '/views' })
      expect(first.text).toBe('{"views":1}')
      expect(first.headers.get('set-cookie')).toMatch(/^connect\.sid=s%3A[^;]+; Path=\/; HttpOnly$/)
      expect(await viewsOf(cookieOf(first))).toBe(2)
      expect(await viewsOf(cookieOf(first))).toBe(3)
    })

    it.each([
      ['/redirect', 302, 8],
      ['/stream', 200, 11],
      ['/node', 200, 21],
      ['/fails', 500, 31],
    ])('saves the session before the response of %s ends', async (path, status, next) => {
      const response = await send({ path })
      expect(response.status).toBe(status)
      expect(await viewsOf(cookieOf(response))).toBe(next)
    })

    it('sends the body unchanged', async () => {
      expect((await send({ path: '/stream' })).text).toBe('a stream')
      expect((await send({ path: '/node' })).text).toBe('from Node.js')
      expect((await send({ path: '/redirect' })).headers.get('location')).toBe('/views')
    })

    it('sets no cookie for a session without data', async () => {
      expect((await send({ path: '/unused' })).headers.has('set-cookie')).toBe(false)
    })

    it('destroys a session', async () => {
      const cookie = cookieOf(await send({ path: '/views' }))
      expect((await send({ path: '/logout', headers: [['cookie', cookie]] })).text).toBe('bye')
      expect(await viewsOf(cookie)).toBe(1)
    })
  },
)

everyWay(
  'express-session with a secure cookie',
  (router) => {
    router.use(fromNode(session({ ...SECRET, saveUninitialized: true, cookie: { secure: true } })))
    router.get('/', () => 'hello')
  },
  (send, way) => {
    it('sets the cookie only over TLS', async () => {
      const isTls = way !== 'h1' && way !== 'h2c' && way !== 'fetch'
      expect((await send({ path: '/' })).headers.has('set-cookie')).toBe(isTls)
    })
  },
)

everyWay(
  'passport',
  (router) => {
    const passports = new passport.Passport()
    passports.serializeUser((user, done) => done(null, user.name))
    passports.deserializeUser((name: string, done) => done(null, { name }))
    passports.use(
      'password',
      new Strategy((req, done) => {
        if (req.headers.authorization === 'Ada') done(null, { name: 'Ada' })
        else if (req.headers.authorization === 'broken') done(new Error('The database is unavailable'))
        else done(null, false)
      }),
    )
    router.use(fromNode(session(SECRET)), fromNode(passports.session()))
    router.post('/login', { use: fromNode(passports.authenticate('password')) }, (ctx) => {
      return { user: nodeRequest(ctx).user?.name }
    })
    // The options `successRedirect` and `failureRedirect` call `res.redirect`, a helper of Express.
    router.post('/form', { use: fromNode(passports.authenticate('password')) }, (ctx) => ctx.redirect('/me', 303))
    router.get('/me', (ctx) => ({ user: nodeRequest(ctx).user?.name ?? null }))
    router.post('/logout', async (ctx) => {
      await new Promise<void>((resolve, reject) =>
        nodeRequest(ctx).logout((error) => (error === undefined ? resolve() : reject(error))),
      )
      return 'bye'
    })
  },
  (send) => {
    const authorization = ['authorization', 'Ada'] as const

    it('authenticates a request, and later ones by the session', async () => {
      const login = await send({ path: '/login', method: 'POST', headers: [authorization] })
      expect([login.status, login.text]).toEqual([200, '{"user":"Ada"}'])
      const cookie = ['cookie', login.headers.get('set-cookie')?.split(';')[0] ?? ''] as const
      expect((await send({ path: '/me', headers: [cookie] })).text).toBe('{"user":"Ada"}')
      await send({ path: '/logout', method: 'POST', headers: [cookie] })
      expect((await send({ path: '/me', headers: [cookie] })).text).toBe('{"user":null}')
    })

    it('refuses a request without credentials before the handler runs', async () => {
      const { status, text } = await send({ path: '/login', method: 'POST' })
      expect([status, text]).toEqual([401, 'Unauthorized'])
    })

    it('passes an error of the strategy to the error handlers', async () => {
      const { status, text } = await send({ path: '/login', method: 'POST', headers: [['authorization', 'broken']] })
      expect([status, text]).toEqual([500, expect.stringContaining('Internal Server Error')])
    })

    it('lets an fw handler redirect after the login', async () => {
      const response = await send({ path: '/form', method: 'POST', headers: [authorization] })
      expect([response.status, response.headers.get('location')]).toEqual([303, '/me'])
    })
  },
)
