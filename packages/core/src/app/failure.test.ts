import { once } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Context, Handler } from '@fw/types'
import { describe, expect, it, vi } from 'vitest'
import { AbortedError, ProtocolError } from '../engine/errors.ts'
import { App } from './app.ts'
import { HttpError } from '../response/http-error.ts'

interface Setup {
  readonly app: App
  /** Reported errors. */
  readonly errors: unknown[]
}

function setup(handler?: Handler): Setup {
  const errors: unknown[] = []
  const app = new App({ onError: (_, error) => errors.push(error) })
  if (handler !== undefined) app.router.get('/', handler)
  return { app, errors }
}

function throwing(error: unknown): Handler {
  return () => {
    throw error
  }
}

/** Returns an object that throws on every access. */
function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const SECRET = new Error('password is hunter2')
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')
const foreign = Object.assign(new Error('over quota'), {
  [HTTP_ERROR]: true,
  status: 429,
  headers: { 'retry-after': '7' },
})
/** Resembles the errors that HTTP clients throw, which have the status and fields of a response. */
const lookalike = Object.assign(new Error('hunter2'), {
  name: 'HttpError',
  status: 401,
  headers: { 'x-key': 'hunter2' },
})

describe('an application without an error handler', () => {
  it.each<[string, unknown, number, string | undefined, number]>([
    ['an Error', SECRET, 500, undefined, 1],
    ['a string', 'hunter2', 500, undefined, 1],
    ['undefined', undefined, 500, undefined, 1],
    ['an HttpError below 500', new HttpError(409, 'taken', { cause: SECRET }), 409, 'taken', 0],
    ['an HttpError with a status of at least 500', new HttpError(503, 'later', { cause: SECRET }), 503, 'later', 1],
    ['a marked error from another package', foreign, 429, 'over quota', 0],
    ['an Error with the name and status of an HttpError', lookalike, 500, undefined, 1],
    [
      'a marked error without an error status',
      Object.assign(new Error('hunter2'), { [HTTP_ERROR]: true }),
      500,
      undefined,
      1,
    ],
    [
      'an Error with the properties of an HttpError',
      Object.assign(new Error('x'), new HttpError(402, 'hunter2')),
      500,
      undefined,
      1,
    ],
    ['an Error named AbortedError', Object.assign(new Error('hunter2'), { name: 'AbortedError' }), 500, undefined, 1],
    ['a ProtocolError', new ProtocolError(408, 'too slow'), 408, 'too slow', 0],
  ])('responds to %s and reports it at most once', async (_, error, status, detail, reports) => {
    for (const handler of [throwing(error), async () => throwing(error)({} as never)]) {
      const { app, errors } = setup(handler)
      const response = await app.fetch('/')
      const text = await response.text()
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(JSON.parse(text)).toMatchObject(detail === undefined ? { status } : { status, detail })
      expect(text).not.toContain('hunter2')
      expect(errors).toEqual(Array(reports).fill(error))
    }
  })

  it('responds with the status of an HttpError from another copy of the package', async () => {
    vi.resetModules()
    const copy = await import('../response/http-error.ts')
    expect(copy.HttpError).not.toBe(HttpError)
    const { app, errors } = setup(throwing(new copy.HttpError(409, 'taken')))
    const response = await app.fetch('/')
    expect([response.status, await response.json()]).toMatchObject([409, { detail: 'taken' }])
    expect(errors).toEqual([])
  })

  it("keeps prepared fields except those that describe the body, and adds the error's fields", async () => {
    const { app } = setup((ctx) => {
      ctx.responseHeaders.set('access-control-allow-origin', '*')
      ctx.text('half', { headers: { 'content-encoding': 'gzip', etag: '"1"' } })
      throw foreign
    })
    const { headers } = await app.fetch('/')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('retry-after')).toBe('7')
    expect(headers.get('vary')).toBe('accept')
    expect([headers.get('content-encoding'), headers.get('etag')]).toEqual([null, null])
  })

  it('responds with text to a client that prefers it', async () => {
    const { app } = setup(throwing(new HttpError(410, 'moved')))
    const response = await app.fetch('/', { headers: { accept: 'text/plain' } })
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/plain; charset=utf-8',
      'Gone: moved\n',
    ])
  })

  it('does not respond to an error that middleware handles', async () => {
    const { app, errors } = setup()
    app.router.use(async (ctx, next) => {
      try {
        await next()
      } catch {
        ctx.text('handled', { status: 502 })
      }
    })
    app.router.get('/', throwing(SECRET))
    const response = await app.fetch('/')
    expect([response.status, await response.text(), errors]).toEqual([502, 'handled', []])
  })

  it('responds with 500 if the response cannot be sent', async () => {
    for (const handler of [
      () => () => {},
      (ctx) => ctx.text('x', { headers: { 'content-length': '2' } }),
      (ctx) => void (ctx.status = 99),
    ] satisfies Handler[]) {
      const { app, errors } = setup(handler)
      expect((await app.fetch('/')).status).toBe(500)
      expect(errors).toHaveLength(1)
    }
  })

  it.each<[string, () => unknown]>([
    ['is a revoked proxy', () => revoked()],
    ['throws on every access', () => new Proxy(new Error('x'), { get: throwing(SECRET) as () => never })],
    [
      'has a status that throws',
      () =>
        Object.defineProperty(Object.assign(new Error('x'), { [HTTP_ERROR]: true }), 'status', {
          get: throwing(SECRET) as () => never,
        }),
    ],
  ])('responds with 500 for a value that %s', async (_, make) => {
    const { app, errors } = setup(throwing(make()))
    const response = await app.fetch('/')
    expect([response.status, await response.json()]).toMatchObject([500, { status: 500 }])
    expect(errors).toHaveLength(1)
  })

  it('aborts the response after the head for a value that throws on every access', async () => {
    const { app, errors } = setup((ctx) => {
      ctx.startResponse()
      throw revoked()
    })
    await expect((await app.fetch('/')).text()).rejects.toThrow('before it was complete')
    expect(errors).toHaveLength(1)
  })

  it("responds with 500 if one of the error's fields cannot be sent", async () => {
    const { app } = setup(
      throwing(Object.assign(new Error('x'), { [HTTP_ERROR]: true, status: 400, headers: { a: '\n' } })),
    )
    expect((await app.fetch('/')).status).toBe(500)
  })

  it.each<[string, unknown]>([
    ['members without a JSON form', new HttpError(400, 'no', { extensions: { count: 1n } })],
    [
      'fields that cannot be sent',
      Object.assign(new Error('x'), { [HTTP_ERROR]: true, status: 400, headers: { 'a b': '' } }),
    ],
    [
      'fields as a Headers object',
      Object.assign(new Error('x'), { [HTTP_ERROR]: true, status: 400, headers: new Headers() }),
    ],
  ])('responds with a problem document for an error with %s', async (_, error) => {
    const { app, errors } = setup((ctx) => {
      ctx.responseHeaders.set('x-request-id', '7')
      throw error
    })
    const response = await app.fetch('/')
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      500,
      'application/problem+json',
      { type: 'about:blank', title: 'Internal Server Error', status: 500 },
    ])
    expect(errors).toHaveLength(1)
    expect((await app.fetch('/', { headers: { accept: 'text/plain' } })).headers.get('content-type')).toMatch(
      'text/plain',
    )
  })

  it('responds even if the reporter throws', async () => {
    const app = new App({
      onError: () => {
        throw new Error('disk full')
      },
    })
    app.router.get('/', throwing(SECRET))
    expect((await app.fetch('/')).status).toBe(500)
  })
})

describe('an error handler', () => {
  it('responds before outer error handlers, and suppresses the report', async () => {
    const { app, errors } = setup()
    app.router.onError((error) => `root ${String(error)}`)
    const api = app.router.group('/api')
    api.onError((error, ctx) => (error instanceof RangeError ? ctx.json({ range: true }) : undefined))
    api.get('/range', throwing(new RangeError('r')))
    api.get('/http', throwing(new HttpError(404, 'h', { headers: { 'x-h': '1' } })))
    app.router.get('/', throwing(SECRET))
    const responses = await Promise.all(['/api/range', '/api/http', '/'].map((path) => app.fetch(path)))
    expect(await Promise.all(responses.map(async (response) => [response.status, await response.text()]))).toEqual([
      [500, '{"range":true}'],
      [404, 'root HttpError: h'],
      [500, `root ${String(SECRET)}`],
    ])
    expect(responses[1]?.headers.get('x-h')).toBe('1')
    expect(errors).toEqual([])
  })

  it('causes the default response and the report if it does not respond', async () => {
    const { app, errors } = setup(throwing(SECRET))
    const seen: unknown[] = []
    app.router.onError(async (error) => void seen.push(error))
    const response = await app.fetch('/')
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json'])
    expect([seen, errors]).toEqual([[SECRET], [SECRET]])
  })

  it('can throw another error, which reaches the outer handlers', async () => {
    const { app, errors } = setup()
    const api = app.router.group('/api')
    api.onError(() => {
      throw new HttpError(404, 'no such user')
    })
    api.get('/x', throwing(SECRET))
    expect((await app.fetch('/api/x')).status).toBe(404)
    expect(errors).toEqual([])
  })

  it('fails with a report that includes the original error', async () => {
    const { app, errors } = setup(throwing(SECRET))
    const failure = new TypeError('undefined is not a function')
    app.router.onError(() => {
      throw failure
    })
    expect((await app.fetch('/')).status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ name: 'SuppressedError', error: failure, suppressed: SECRET })])
  })

  it("handles an error from its group's middleware for a path without a route", async () => {
    const { app } = setup()
    const api = app.router.group('/api')
    api.use(throwing(SECRET))
    api.onError(() => 'api')
    expect(await (await app.fetch('/api/nowhere')).text()).toBe('api')
  })
})

describe('a failure after the head', () => {
  it('aborts the response if the handler throws', async () => {
    const { app, errors } = setup(async (ctx) => {
      ctx.startResponse().write(Buffer.from('half'))
      await setImmediate()
      throw SECRET
    })
    app.router.onError(() => 'too late')
    const response = await app.fetch('/')
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('before it was complete')
    expect(errors).toEqual([SECRET])
  })

  it('aborts the response and reports the error if a streamed body fails', async () => {
    const { app, errors } = setup(async function* () {
      yield 'half'
      throw SECRET
    })
    const response = await app.fetch('/')
    await expect(response.text()).rejects.toThrow('before it was complete')
    expect(errors).toEqual([SECRET])
  })

  it('is reported without changing the response if the handler returns a value', async () => {
    const { app, errors } = setup((ctx) => {
      ctx.startResponse().end()
      return 'more'
    })
    expect((await app.fetch('/')).status).toBe(200)
    expect(String(errors)).toContain('already sent')
  })
})

describe('an aborted exchange', () => {
  it.each<[string, (ctx: Context) => unknown]>([
    ['read the body', (ctx) => ctx.bytes()],
    ['passed the signal to an awaited call', (ctx) => setTimeout(60_000, undefined, { signal: ctx.signal })],
    [
      "waited for the abort and threw the signal's reason",
      (ctx) => once(ctx.signal, 'abort').then(() => ctx.signal.throwIfAborted()),
    ],
  ])('causes neither a response nor a report if the client disconnected while its handler %s', async (_, wait) => {
    const { app, errors } = setup()
    const handlers: unknown[] = []
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    app.router.onError((error) => handlers.push(error))
    app.router.post('/', async (ctx) => {
      started.resolve()
      try {
        await wait(ctx)
      } finally {
        ended.resolve()
      }
    })
    const client = new AbortController()
    const body = new ReadableStream<Uint8Array>()
    const response = app.fetch('/', { method: 'POST', body, duplex: 'half', signal: client.signal })
    await started.promise
    client.abort(new Error('stop'))
    await expect(response).rejects.toThrow('stop')
    await ended.promise
    await setImmediate()
    expect([handlers, errors]).toEqual([[], []])
  })

  it('causes neither a response nor a report if its handler threw an AbortedError', async () => {
    const { app, errors } = setup(throwing(new AbortedError('gone')))
    await expect(app.fetch('/')).rejects.toThrow('before it was complete')
    expect(errors).toEqual([])
  })

  it('is not inferred from the AbortError of a different signal, which is reported', async () => {
    const { app, errors } = setup(() => setTimeout(1, undefined, { signal: AbortSignal.abort() }))
    expect((await app.fetch('/')).status).toBe(500)
    expect(errors).toHaveLength(1)
  })
})
