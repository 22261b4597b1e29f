import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import '@fw/sse/register'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { memorySessions, sealedSession, session, type Sessions } from '../src/index.ts'

interface Data {
  user: string
  visits: number
}

/** The codes of the errors from handlers and the middleware. */
const codes: unknown[] = []

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  router.onError((error) => void codes.push((error as { code?: unknown }).code))
  addRoutes(router.group('/sealed'), sealedSession<Data>({ secrets: ['a secret of thirty-two bytes, or more'] }))
  addRoutes(router.group('/stored'), session<Data>({ store: memorySessions() }))
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

function addRoutes(router: ReturnType<Server['router']>, sessions: Sessions<Data>): void {
  router.use(sessions)
  router.get('/', async (ctx) => (await sessions.of(ctx)).data)
  router.post('/login', async (ctx) => {
    const current = await sessions.of(ctx)
    current.update({ user: 'ada' })
    current.rotate()
    return 'ok'
  })
  router.post('/logout', async (ctx) => {
    ;(await sessions.of(ctx)).destroy()
    return 'ok'
  })
  router.get('/stream', async (ctx) => {
    const current = await sessions.of(ctx)
    current.update({ visits: 1 })
    return ctx.stream(['a', 'b'])
  })
  router.get('/late-stream', async (ctx) => {
    const current = await sessions.of(ctx)
    async function* source(): AsyncGenerator<string> {
      yield 'a'
      try {
        current.update({ visits: 1 })
      } catch (error) {
        yield (error as { code: string }).code
      }
    }
    return ctx.stream(source())
  })
  router.get('/saved', async (ctx) => {
    const current = await sessions.of(ctx)
    current.update({ visits: 2 })
    await current.save()
    const body = ctx.startResponse()
    body.write(Buffer.from('started'))
    body.end()
  })
  router.get('/unsaved', async (ctx) => {
    ;(await sessions.of(ctx)).update({ visits: 3 })
    ctx.startResponse().end()
  })
  router.get('/events', async (ctx) => {
    const current = await sessions.of(ctx)
    current.update({ visits: 4 })
    await current.save()
    const stream = await ctx.sse()
    await stream.send({ data: String(current.data.visits) })
    stream.close()
  })
  router.get('/late', async (ctx) => {
    ctx.startResponse().write(Buffer.from('x'))
    const current = await sessions.of(ctx)
    for (const change of [() => current.update({ visits: 5 }), () => current.rotate(), () => current.destroy()]) {
      try {
        change()
      } catch (error) {
        codes.push((error as { code?: unknown }).code)
      }
    }
  })
  router.get('/slow', { timeoutMs: 1 }, async (ctx) => {
    const current = await sessions.of(ctx)
    if (ctx.query.has('save')) {
      current.update({ visits: 6 })
      await current.save()
    }
    if (ctx.query.has('destroy')) current.destroy()
    else current.update({ user: 'late' })
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
  })
}

eachProtocol('a session', start, (client) => {
  /** Sends a request with a cookie. Returns the response with its new cookie. */
  const send = async (path: string, cookie?: string, method = 'GET') => {
    const headers: [string, string][] = cookie === undefined ? [] : [['cookie', cookie]]
    const response = await client().request({ method, path, headers: [['host', 'example.org'], ...headers] })
    const body = Buffer.from(await response.bytes()).toString()
    const set = response.headers.getSetCookie()
    const field = (name: string) => response.headers.get(name)
    return { status: response.status, body, set, cookie: set[0]?.split(';')[0] ?? cookie, field }
  }

  it.each(['/sealed', '/stored'])('persists from login to logout: %s', async (prefix) => {
    const login = await send(`${prefix}/login`, undefined, 'POST')
    expect(login.set).toEqual([
      expect.stringMatching(/^__Host-session=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
    expect([login.field('vary'), login.field('cache-control')]).toEqual(['cookie', 'no-store'])
    const read = await send(prefix, `other=1; ${login.cookie}; more=2`)
    expect([read.body, read.field('vary'), read.set]).toEqual(['{"user":"ada"}', 'cookie', []])
    expect(read.field('cache-control')).toBe('private')
    const logout = await send(`${prefix}/logout`, login.cookie, 'POST')
    expect(logout.set).toEqual([expect.stringContaining('__Host-session=; Max-Age=0')])
  })

  it.each(['/sealed', '/stored'])('is found if another cookie with the same name follows: %s', async (prefix) => {
    const { cookie } = await send(`${prefix}/login`, undefined, 'POST')
    expect((await send(prefix, `${cookie}; __Host-session=x`)).body).toBe('{"user":"ada"}')
  })

  it.each(['/sealed', '/stored'])('is saved before a prepared stream: %s', async (prefix) => {
    const { body, cookie, set } = await send(`${prefix}/stream`)
    expect([body, set.length]).toEqual(['ab', 1])
    expect((await send(prefix, cookie)).body).toBe('{"visits":1}')
  })

  it.each(['/sealed', '/stored'])('refuses changes from a stream that has begun: %s', async (prefix) => {
    const { body, set } = await send(`${prefix}/late-stream`)
    expect([body, set]).toEqual(['aFW_RESPONSE_SENT', []])
  })

  it.each(['/sealed', '/stored'])('can be saved before startResponse(): %s', async (prefix) => {
    const { body, cookie, set } = await send(`${prefix}/saved`)
    expect([body, set.length]).toEqual(['started', 1])
    expect((await send(prefix, cookie)).body).toBe('{"visits":2}')
  })

  it.each(['/sealed', '/stored'])('can be saved before an event stream: %s', async (prefix) => {
    const { body, cookie, set } = await send(`${prefix}/events`)
    expect([body, set.length]).toEqual([expect.stringContaining('data: 4'), 1])
    expect((await send(prefix, cookie)).body).toBe('{"visits":4}')
  })

  it('does not need save() before startResponse() if it is sealed', async () => {
    const { status, cookie } = await send('/sealed/unsaved')
    expect(status).toBe(200)
    expect((await send('/sealed', cookie)).body).toBe('{"visits":3}')
  })

  it('responds with 500 if a response starts before the session is saved', async () => {
    codes.length = 0
    const { status, set } = await send('/stored/unsaved')
    expect([status, set]).toEqual([500, []])
    expect(codes).toEqual(['FW_SESSION_UNSAVED'])
  })

  it.each(['/sealed', '/stored'])('refuses every change after the head was sent: %s', async (prefix) => {
    codes.length = 0
    const { body, set } = await send(`${prefix}/late`)
    expect([body, set]).toEqual(['x', []])
    expect(codes).toEqual(Array(3).fill('FW_RESPONSE_SENT'))
  })

  it('keeps the 503 of a timeout and discards unsaved changes', async () => {
    const { status, set } = await send('/stored/slow')
    expect([status, set]).toEqual([503, []])
  })

  it('sends the cookie of a saved session with the 503 of a timeout', async () => {
    const { status, cookie, set } = await send('/stored/slow?save')
    expect([status, set.length]).toEqual([503, 1])
    expect((await send('/stored', cookie)).body).toBe('{"visits":6}')
  })

  it('is destroyed even if the request times out first', async () => {
    const { cookie } = await send('/stored/login', undefined, 'POST')
    const { status } = await send('/stored/slow?destroy', cookie)
    expect(status).toBe(503)
    await expect.poll(async () => (await send('/stored', cookie)).body).toBe('{}')
  })
})
