import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import { App, type HttpError, Server } from '@fw/core'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { fromNode, type NodeMiddleware, nodeRequest, nodeResponse } from './from-node.ts'

const LISTENER: RequestListener = (req, res) => res.end(req.url)

/** Messages that the application logged. */
const logged: string[] = []

beforeEach(() => {
  logged.length = 0
  vi.spyOn(console, 'error').mockImplementation((message: string, error: Error) => {
    logged.push(`${message}: ${error.message}`)
  })
})
afterEach(() => vi.restoreAllMocks())

/** Returns an application in which `middleware` runs before a handler that responds with its `handled` text. */
function appWith(...middleware: readonly NodeMiddleware[]): App {
  const app = new App()
  app.router
    .use(...middleware.map((each) => fromNode(each)))
    .get('/', () => 'handled')
    .post('/', () => 'handled')
  return app
}

async function fetched(app: App, init: RequestInit = {}, path = '/'): Promise<[status: number, text: string]> {
  const response = await app.fetch(path, init)
  return [response.status, await response.text()]
}

describe('fromNode()', () => {
  it.each<[string, NodeMiddleware]>([
    ['synchronously', (_req, _res, next) => next()],
    ['later', (_req, _res, next) => void setImmediate(next)],
    ['with null', (_req, _res, next) => next(null)],
    ['in an async function', async (_req, _res, next) => next()],
  ])('runs the handler if middleware calls next %s', async (_, middleware) => {
    expect(await fetched(appWith(middleware))).toEqual([200, 'handled'])
  })

  it.each(['route', 'router'])('responds with 404 and does not run the handler after next(%j)', async (skipped) => {
    let isRun = false
    const refuse: NodeMiddleware = (_req, _res, next) => next(skipped)
    const later: NodeMiddleware = (_req, _res, next) => void setImmediate(next, skipped)
    const app = new App()
    app.router.notFound((ctx) => ctx.text('own page', { status: 404 }))
    for (const [path, middleware] of [
      ['/now', refuse],
      ['/later', later],
    ] as const) {
      app.router.get(path, { use: fromNode(middleware) }, () => {
        isRun = true
        return 'secret'
      })
    }
    expect(await fetched(app, {}, '/now')).toEqual([404, 'own page'])
    expect(await fetched(app, {}, '/later')).toEqual([404, 'own page'])
    expect(isRun).toBe(false)
  })

  it.each<[string, NodeMiddleware]>([
    ['synchronously', (_req, res) => res.writeHead(202).end('responded')],
    ['later', (_req, res) => void setImmediate(() => res.writeHead(202).end('responded'))],
    [
      'in pieces',
      (_req, res) => {
        res.writeHead(202).write('resp')
        setImmediate(() => res.end('onded'))
      },
    ],
    ['in an async function', async (_req, res) => res.writeHead(202).end('responded')],
  ])('does not run the handler if middleware responds %s', async (_, middleware) => {
    expect(await fetched(appWith(middleware))).toEqual([202, 'responded'])
  })

  it.each<[string, NodeMiddleware]>([
    ['passes to next', (_req, _res, next) => next(new RangeError('failed'))],
    ['passes to next later', (_req, _res, next) => void setImmediate(next, new RangeError('failed'))],
    [
      'throws',
      () => {
        throw new RangeError('failed')
      },
    ],
    ['rejects with', async () => Promise.reject(new RangeError('failed'))],
    [
      'passes to next after a head that it did not send',
      (_req, res, next) => {
        res.writeHead(201, { 'x-a': 'b' })
        next(new RangeError('failed'))
      },
    ],
  ])('throws the error that middleware %s', async (_, middleware) => {
    const app = appWith(middleware)
    const errors: unknown[] = []
    app.router.onError((error, ctx) => {
      errors.push(error)
      return ctx.text('handled error', { status: 418 })
    })
    expect(await fetched(app)).toEqual([418, 'handled error'])
    expect(errors).toEqual([new RangeError('failed')])
  })

  it('lets fw middleware handle the error', async () => {
    const app = new App()
    app.router.use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        ctx.text(`caught ${(error as Error).message}`)
      }
    })
    app.router.use(fromNode((_req, _res, next) => next(new Error('it')))).get('/', () => 'handled')
    expect(await fetched(app)).toEqual([200, 'caught it'])
  })

  it.each<[number, boolean, object, [number, string]]>([
    [409, true, {}, [409, 'reason']],
    [409, false, {}, [409, '"title":"Conflict"']],
    [503, true, {}, [500, '"title":"Internal Server Error"']],
    [409, true, { 'x-reason': 'a' }, [409, 'reason']],
  ])('responds to an error of http-errors with status %i and expose: %j', async (status, expose, headers, expected) => {
    const error = Object.assign(new Error('reason'), { status, expose, headers })
    const app = appWith((_req, _res, next) => next(error))
    const response = await app.fetch('/')
    expect([response.status, await response.text()]).toEqual([expected[0], expect.stringContaining(expected[1])])
    expect(response.headers.get('x-reason')).toBe(Reflect.get(headers, 'x-reason') ?? null)
  })

  it('keeps the original of such an error', async () => {
    const original = Object.assign(new Error('reason'), { status: 409, expose: true })
    const app = appWith((_req, _res, next) => next(original))
    const causes: unknown[] = []
    app.router.onError((error) => void causes.push((error as HttpError).cause, (error as HttpError).code))
    await app.fetch('/')
    expect(causes).toEqual([original, 'FW_MIDDLEWARE_REFUSED'])
  })

  it('hides an error with a status that http-errors did not make', async () => {
    const foreign = Object.assign(new Error('secret'), { status: 404 })
    const [status, text] = await fetched(appWith((_req, _res, next) => next(foreign)))
    expect([status, text]).toEqual([500, expect.not.stringContaining('secret')])
  })

  it('logs a second call of next, and an error after it', async () => {
    const app = appWith((_req, _res, next) => {
      next()
      next()
      next(new Error('too late'))
    })
    expect(await fetched(app)).toEqual([200, 'handled'])
    expect(logged).toEqual([
      'An onFinish listener threw: next() was called twice. Call it once.',
      'An onFinish listener threw: too late',
    ])
  })

  it('runs the handler within next, so that asynchronous context is kept', async () => {
    const storage = new AsyncLocalStorage<string>()
    const app = new App()
    app.router.use(fromNode((_req, _res, next) => storage.run('stored', next)))
    app.router.get('/', () => storage.getStore())
    expect(await fetched(app)).toEqual([200, 'stored'])
  })

  it('merges the status and fields with those of the handler', async () => {
    const app = new App()
    app.router.use(
      fromNode((_req, res, next) => {
        res.statusCode = 203
        res.setHeader('X-Mine', 'a').setHeader('Set-Cookie', ['a=1', 'b=2'])
        next()
      }),
    )
    app.router.get('/', (ctx) => {
      ctx.responseHeaders.append('set-cookie', 'c=3')
      return 'handled'
    })
    const response = await app.fetch('/')
    expect([response.status, response.headers.get('x-mine')]).toEqual([203, 'a'])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3'])
  })

  it('lets outer middleware change a response that Node.js middleware has ended', async () => {
    const app = new App()
    app.router.use(async (ctx, next) => {
      await next()
      ctx.responseHeaders.set('x-outer', String(ctx.status))
    })
    app.router.get(
      '/',
      fromNode((_req, res) => res.writeHead(201).end('node')),
    )
    expect((await app.fetch('/')).headers.get('x-outer')).toBe('201')
  })

  it.each<[string, NodeMiddleware]>([
    ['whole', (_req, res) => res.end('node')],
    ['streamed', (_req, res) => (res.write('no'), res.end('de'))],
  ])('runs the filters of outer middleware for a %s response', async (_, handler) => {
    const app = new App()
    app.router.use((ctx, next) => {
      ctx.filterResponse(({ headers }) => headers.set('x-filtered', 'yes'))
      return next()
    })
    app.router.get('/', fromNode(handler))
    expect((await app.fetch('/')).headers.get('x-filtered')).toBe('yes')
  })

  it('sends a response before it continues, if middleware calls next after it', async () => {
    const app = appWith((_req, res, next) => {
      res.end('first')
      next()
    })
    expect(await fetched(app)).toEqual([200, 'first'])
  })

  it('runs as a route handler, and responds with 404 if it calls next', async () => {
    const app = new App()
    app.router.get(
      '/node',
      fromNode((req, res) => res.end(`${req.method} ${req.url}`)),
    )
    app.router.get(
      '/next',
      fromNode((_req, _res, next) => next()),
    )
    expect(await fetched(app, {}, '/node?a=b')).toEqual([200, 'GET /node?a=b'])
    expect((await fetched(app, {}, '/next'))[0]).toBe(404)
  })

  it('runs a listener of node:http', async () => {
    const app = new App()
    app.router.get('/', fromNode(LISTENER))
    expect(await fetched(app)).toEqual([200, '/'])
  })

  it('shares the request and the response between middleware', async () => {
    const app = new App()
    app.router.use(
      fromNode((req, res, next) => {
        Object.assign(req, { user: 'Ada' })
        Object.assign(res, { locals: { a: 1 } })
        next()
      }),
      fromNode((req, _res, next) => {
        Object.assign(req, { seen: Reflect.get(req, 'user') })
        next()
      }),
    )
    app.router.get('/', (ctx) => ({
      locals: Reflect.get(nodeResponse(ctx), 'locals') as object,
      seen: Reflect.get(nodeRequest(ctx), 'seen') as string,
    }))
    expect(await fetched(app)).toEqual([200, '{"locals":{"a":1},"seen":"Ada"}'])
  })

  it('responds with the timeout of the route if middleware never continues', async () => {
    const app = new App()
    app.router.get('/', { timeoutMs: 20, use: fromNode(() => {}) }, () => 'handled')
    expect((await fetched(app))[0]).toBe(503)
  })

  it('ignores a response after the timeout of the route', async () => {
    const app = new App()
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    app.router.get(
      '/',
      {
        timeoutMs: 20,
        use: fromNode(async (_req, res) => {
          await promise
          res.write('late')
          res.end()
          ended.resolve()
        }),
      },
      () => 'handled',
    )
    expect((await fetched(app))[0]).toBe(503)
    resolve()
    await ended.promise
  })

  it.each<[unknown, string]>([
    ['text', 'fromNode: handler must be a function, got a string. Pass (req, res, next) => { … }.'],
    [undefined, 'fromNode: handler must be a function, got undefined. Pass (req, res, next) => { … }.'],
    [
      (_error: unknown, _req: unknown, _res: unknown, _next: unknown) => {},
      'fromNode: handler must have at most 3 parameters, got 4. Handle errors with router.onError().',
    ],
  ])('rejects %s', (handler, message) => {
    expect(() => fromNode(handler as NodeMiddleware)).toThrow(
      Object.assign(new TypeError(message), { code: 'FW_INVALID_HANDLER' }),
    )
  })

  it('accepts middleware whose parameters have the types of another library', () => {
    interface Foreign {
      readonly body: string
    }
    expectTypeOf(fromNode).toBeCallableWith((_req: Foreign, _res: Foreign, _next: () => void) => {})
    new Server().router().get(
      '/:id',
      fromNode((req, res, next) => {
        expectTypeOf(req.headers.host).toEqualTypeOf<string | undefined>()
        expectTypeOf(res.headersSent).toEqualTypeOf<boolean>()
        expectTypeOf(next).toBeCallableWith(new Error('failed'))
      }),
    )
    // @ts-expect-error A path is not accepted: register the middleware on a group or a route instead.
    expect(() => fromNode('/path', () => {})).toThrow('fromNode: handler')
  })
})
