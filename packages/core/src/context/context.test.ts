import type { Context, Handler, Outcome } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { contextKey } from './context-values.ts'

/** Calls `look` in a handler and returns its result. */
async function inside<T>(look: (ctx: Context) => T | Promise<T>, path = '/', init: RequestInit = {}): Promise<T> {
  const seen: T[] = []
  const app = new App()
  app.router.all('/*rest', async (ctx) => {
    seen.push(await look(ctx))
    ctx.empty()
  })
  await app.fetch(path, init)
  const [first] = seen
  if (first === undefined) throw new Error('The handler failed')
  return first
}

/** Returns the response of one handler. */
async function responseTo(handler: Handler, init: RequestInit = {}): Promise<Response> {
  const app = new App({ onError: () => {} })
  app.router.all('/', handler)
  return app.fetch('/', init)
}

async function summary(handler: Handler): Promise<[number, string | null, string]> {
  const response = await responseTo(handler)
  return [response.status, response.headers.get('content-type'), await response.text()]
}

const asReceived = ({
  method,
  path,
  rawQuery,
  protocol,
  headers,
  remoteAddress,
  clientAddress,
}: Context): unknown[] => [method, path, rawQuery, protocol, headers.get('X-A'), remoteAddress, clientAddress]

const queryParts = (ctx: Context): unknown => [ctx.query.get('a'), ctx.query.getAll('b'), ctx.query === ctx.query]

const asStandard = async (ctx: Context): Promise<unknown> => {
  const { request } = ctx
  const { method, url, headers } = request
  return [request === ctx.request, method, url, headers.get('x-a'), await request.json()]
}

describe("a Context's request", () => {
  it('provides its method, path, query and fields as received', async () => {
    const init = { method: 'PUT', headers: { 'x-a': 'b' } }
    expect(await inside(asReceived, '/a%2Fb//c?x=%20&y', init)).toEqual([
      'PUT',
      '/a%2Fb//c',
      'x=%20&y',
      'HTTP/1.1',
      'b',
      undefined,
      undefined,
    ])
  })

  it('parses its query once', async () => {
    expect(await inside(queryParts, '/?a=%C3%A9&b=1&b=2')).toEqual(['é', ['1', '2'], true])
    expect(await inside((ctx) => ctx.query.size)).toBe(0)
  })

  it("limits its body by the route's option, or by the application's", async () => {
    const app = new App()
    app.router.post('/small', { limits: { maxBodyBytes: 3 } }, async (ctx) => ctx.text())
    app.router.post('/', async (ctx) => ctx.text())
    const status = async (path: string, body: string): Promise<number> =>
      (await app.fetch(path, { method: 'POST', body })).status
    expect(await status('/small', 'abc')).toBe(200)
    expect(await status('/small', 'abcd')).toBe(413)
    expect(await status('/', 'a'.repeat(1024 * 1024))).toBe(200)
    expect(await status('/', 'a'.repeat(1024 * 1024 + 1))).toBe(413)
  })

  it('converts to a standard Request', async () => {
    const init = { method: 'POST', headers: { 'x-a': 'b', 'content-type': 'application/json' }, body: '{"a":1}' }
    expect(await inside(asStandard, 'https://example.com/a/%2e%2e/b?c=d', init)).toEqual([
      true,
      'POST',
      'https://example.com/b?c=d',
      'b',
      { a: 1 },
    ])
    expect(await inside((ctx) => ctx.request.body === null)).toBe(true)
  })
})

describe("a Context's response", () => {
  it.each<[string, Handler, [number, string | null, string]]>([
    ['text', (ctx) => ctx.text('é'), [200, 'text/plain; charset=utf-8', 'é']],
    ['JSON', (ctx) => ctx.json({ a: 1 }, { status: 201 }), [201, 'application/json', '{"a":1}']],
    ['HTML', (ctx) => ctx.html('<p>'), [200, 'text/html; charset=utf-8', '<p>']],
    ['bytes', (ctx) => ctx.bytes(Uint8Array.of(97)), [200, 'application/octet-stream', 'a']],
    ['stream', (ctx) => ctx.stream(['a', Uint8Array.of(98)]), [200, 'application/octet-stream', 'ab']],
    ['empty', (ctx) => ctx.empty(), [204, null, '']],
    ['empty with a status', (ctx) => ctx.empty(201), [201, null, '']],
    [
      'text with an explicit type',
      (ctx) => ctx.text('a', { headers: { 'Content-Type': 'text/csv' } }),
      [200, 'text/csv', 'a'],
    ],
    ['nothing', () => undefined, [204, null, '']],
    ['a status alone', (ctx) => void (ctx.status = 202), [202, null, '']],
    ['the last prepared body', (ctx) => (ctx.json({}), ctx.text('b')), [200, 'text/plain; charset=utf-8', 'b']],
    [
      'the returned value instead of the prepared body',
      (ctx) => (ctx.text('a'), { b: 1 }),
      [200, 'application/json', '{"b":1}'],
    ],
  ])('can be %s', async (_, handler, expected) => {
    expect(await summary(handler)).toEqual(expected)
  })

  it.each<[string, Handler]>([
    ['text that is not a string', (ctx) => ctx.text(undefined as never)],
    ['HTML that is not a string', (ctx) => ctx.html(1 as never)],
    ['bytes that are not a Uint8Array', (ctx) => ctx.bytes('x' as never)],
    ['JSON of undefined', (ctx) => ctx.json(undefined)],
    ['a stream of a number', (ctx) => ctx.stream(7 as never)],
    ['a field with a line break', (ctx) => ctx.text('x', { headers: { a: 'b\nc' } })],
    ['a redirect with a line break', (ctx) => ctx.redirect('/a\r\nset-cookie: x')],
    ['a redirect that is not encoded', (ctx) => ctx.redirect('/é')],
    ['a redirect to an empty location', (ctx) => ctx.redirect('')],
    ['a redirect to a URL', (ctx) => ctx.redirect(new URL('http://a/') as never)],
    ['a redirect with a status that does not redirect', (ctx) => ctx.redirect('/', 200 as never)],
    ['an empty response with an informational status', (ctx) => ctx.empty(101)],
  ])('rejects %s', async (_, handler) => {
    expect((await responseTo(handler)).status).toBe(500)
  })

  it('can be a redirect', async () => {
    const found = await responseTo((ctx) => ctx.redirect('/x?a=%C3%A9'))
    expect([found.status, found.headers.get('location')]).toEqual([302, '/x?a=%C3%A9'])
    expect((await responseTo((ctx) => ctx.redirect('/', 308))).status).toBe(308)
  })

  it('can start early, and ends when the handler returns', async () => {
    const response = await responseTo(async (ctx) => {
      ctx.status = 207
      ctx.responseHeaders.set('x-a', 'b')
      const body = ctx.startResponse()
      expect(ctx.headSent).toBe(true)
      expect(() => ctx.text('again')).toThrow('already sent')
      expect(() => ctx.startResponse()).toThrow('already sent')
      expect(() => ctx.notFound()).toThrow('already sent')
      body.write(Buffer.from('a'))
      await new Promise((resolve) => setImmediate(resolve))
      body.write(Buffer.from('b'))
    })
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([207, 'b', 'ab'])
  })
})

describe('a Context value', () => {
  const User = contextKey<{ id: number }>('User', 'add router.use(auth())')
  it('reaches inner handlers, and causes an error with a hint if it is missing', async () => {
    const app = new App({ onError: () => {} })
    app.router.get('/without', (ctx) => [ctx.get(User), String(thrown(() => ctx.local(User)))])
    app.router.use((ctx, next) => {
      ctx.provide(User, () => ({ id: 7 }))
      return next()
    })
    app.router.get('/with', (ctx) => [ctx.get(User), ctx.local(User)])
    expect(await (await app.fetch('/without')).json()).toEqual([
      null,
      'Error: Nothing provides User here: add router.use(auth())',
    ])
    expect(await (await app.fetch('/with')).json()).toEqual([{ id: 7 }, { id: 7 }])
  })
})

describe('the end of a request', () => {
  it('notifies every onFinish listener once, including a late one, even if another listener throws', async () => {
    const errors: unknown[] = []
    const outcomes: Outcome[] = []
    let context: Context | undefined
    const app = new App({ onError: (message) => errors.push(message) })
    app.router.get('/', (ctx) => {
      context = ctx
      ctx.onFinish(() => {
        throw new Error('x')
      })
      ctx.onFinish((outcome) => outcomes.push(outcome))
      return 'four'
    })
    await app.fetch('/')
    context?.onFinish((outcome) => outcomes.push(outcome))
    const outcome = { status: 200, bodyBytes: 4, aborted: false }
    expect(outcomes).toEqual([outcome, outcome])
    expect(errors).toEqual(['An onFinish listener threw'])
    expect(context?.signal.aborted).toBe(false)
  })

  it('aborts the signal if the client disconnects, before or after the first access to the signal', async () => {
    for (const isEarly of [true, false]) {
      const client = new AbortController()
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const app = new App()
      app.router.get('/', async (ctx) => {
        const early = isEarly ? ctx.signal : undefined
        await Promise.resolve()
        client.abort()
        resolve((early ?? ctx.signal).reason)
      })
      await expect(app.fetch('/', { signal: client.signal })).rejects.toThrow('abort')
      expect(await promise).toMatchObject({ name: 'AbortError' })
    }
  })
})

describe('ctx.onDrain', () => {
  it('notifies a running exchange once, a later one immediately, and never a finished one', async () => {
    const notified: string[] = []
    const app = new App()
    const running = Promise.withResolvers<void>()
    app.router.get('/:name', async (ctx) => {
      ctx.onDrain(() => notified.push(ctx.path))
      if (ctx.path === '/running') await running.promise
    })
    await app.fetch('/over')
    const response = app.fetch('/running')
    app.drain()
    app.drain()
    running.resolve()
    await response
    await app.fetch('/later')
    expect(notified).toEqual(['/running', '/later'])
  })
})

function thrown(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
