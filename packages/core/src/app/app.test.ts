import type { Middleware, Refusal } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App, type AppOptions } from './app.ts'
import { MemoryExchange } from '../memory/exchange.ts'
import { memoryRequest } from '../memory/request.ts'

/** Returns the status and body of the response. */
async function ask(app: App, request: string, init: RequestInit = {}): Promise<string> {
  const [method = '', path = ''] = request.split(' ')
  const response = await app.fetch(path, { method, ...init })
  return `${response.status} ${await response.text()}`.trim()
}

async function allowOf(app: App, request: string): Promise<[number, string | null]> {
  const [method = '', path = ''] = request.split(' ')
  const response = await app.fetch(path, { method })
  return [response.status, response.headers.get('allow')]
}

/** Creates middleware that adds its name to `x-trace`, and the status after `next()` to `x-seen`. */
function trace(name: string): Middleware {
  return async (ctx, next) => {
    ctx.responseHeaders.append('x-trace', name)
    await next()
    ctx.responseHeaders.append('x-seen', `${name}:${ctx.status}`)
  }
}

/** Creates middleware with a `refused` method. */
const withRefused = (refused: (refusal: Refusal) => void): Middleware =>
  Object.assign<Middleware, Pick<Middleware, 'refused'>>((_, next) => next(), { refused })

const traceOf = async (app: App, path: string, init?: RequestInit): Promise<string | null> =>
  (await app.fetch(path, init)).headers.get('x-trace')

describe('a route', () => {
  it('matches by method and path, and receives its parameters', async () => {
    const app = new App()
    app.router
      .get('/users/:id', (ctx) => `get ${ctx.params.id}`)
      .post('/users', { limits: { maxBodyBytes: 10 } }, (ctx) => `post ${ctx.route?.pattern}`)
      .put('/users/:id', (ctx) => `put ${ctx.params.id}`)
      .patch('/users/:id', () => 'patch')
      .delete('/users/:id', () => 'delete')
      .route('BREW', '/pot', (ctx) => `brew ${ctx.route?.method}`)
    expect(await ask(app, 'GET /users/7?x=1')).toBe('200 get 7')
    expect(await ask(app, 'POST /users')).toBe('200 post /users')
    expect(await ask(app, 'PUT /users/a%20b')).toBe('200 put a b')
    expect(await ask(app, 'PATCH /users/7')).toBe('200 patch')
    expect(await ask(app, 'DELETE /users/7')).toBe('200 delete')
    expect(await ask(app, 'BREW /pot')).toBe('200 brew BREW')
  })

  it('can be added while the server handles requests', async () => {
    const app = new App()
    expect(await ask(app, 'GET /late')).toMatch(/^404/)
    app.router.get('/late', () => 'here')
    expect(await ask(app, 'GET /late')).toBe('200 here')
  })

  it('responds to HEAD like GET, without a body', async () => {
    const app = new App()
    app.router.get('/', (ctx) => `for ${ctx.method}`)
    const response = await app.fetch('/', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), response.body]).toEqual([200, '8', null])
  })

  it('takes precedence over a route for all methods if it names one method', async () => {
    const app = new App()
    app.router.all('/x', (ctx) => `all ${ctx.method} ${ctx.route?.method}`).get('/x', () => 'get')
    expect(await ask(app, 'GET /x')).toBe('200 get')
    expect(await ask(app, 'PURGE /x')).toBe('200 all PURGE *')
    expect(await ask(app, 'OPTIONS /x')).toBe('200 all OPTIONS *')
  })

  it.each<[string, (app: App) => unknown, string]>([
    ['an empty path', ({ router }) => router.get('', () => ''), `GET: path must start with '/', got "". Write '/'.`],
    [
      'a relative path',
      ({ router }) => router.get('x', () => ''),
      `GET: path must start with '/', got "x". Write '/x'.`,
    ],
    ['a wildcard alone', ({ router }) => router.get('*' as never, () => ''), `Write '/*path'.`],
    [
      'a malformed pattern',
      ({ router }) => router.group('/api').get('/:', () => ''),
      `path must name each parameter, such as ':id', got "/api/:"`,
    ],
    [
      'a method that is not a token',
      ({ router }) => router.route('A B', '/', () => ''),
      'router.route: method must be a token, got "A B".',
    ],
    [
      'a route as one object',
      ({ router }) => router.route({ method: 'GET', url: '/' } as never, undefined as never, () => ''),
      `Write router.route('GET', '/path', { …options }, handler).`,
    ],
    [
      'a method in lower case',
      ({ router }) => router.route('get', '/', () => ''),
      `router.route: method must be in upper case, got "get". Write 'GET'.`,
    ],
    [
      'no handler',
      ({ router }) => router.get('/', undefined as never),
      'GET /: handler must be a function, got undefined.',
    ],
    [
      'null as options',
      ({ router }) => router.get('/', null as never, () => ''),
      'GET /: options must be an object, got null. Known options: use, ',
    ],
    [
      'a handler before the options',
      ({ router }) => router.get('/', (() => '') as never, { timeoutMs: 1 } as never),
      'GET /: arguments must be a path, options and one handler, got a function, an object.',
    ],
    ['two handlers', ({ router }) => router.get('/', (() => '') as never, () => ''), 'Pass middleware to router.use()'],
    [
      'three arguments after the path',
      ({ router }) => Reflect.apply(router.get, router, ['/', {}, () => '', () => '']) as unknown,
      'one handler',
    ],
    [
      'middleware in a list',
      ({ router }) => router.get('/', [() => ''] as never, () => ''),
      'Pass middleware to router.use()',
    ],
    [
      'limits that are not an object',
      ({ router }) => router.get('/', { limits: 5 as never }, () => ''),
      `GET /: option "limits" must be an object, got 5.`,
    ],
    [
      'a negative limit',
      ({ router }) => router.get('/', { limits: { maxBodyBytes: -1 } }, () => ''),
      'GET /: option "limits.maxBodyBytes" must be an integer of at least 0, got -1.',
    ],
    [
      'a path for middleware',
      ({ router }) => router.use('/api' as never),
      `router.use: middleware must be a function, got "/api". For some paths only, use router.group('/api').`,
    ],
    ['a group without a slash', ({ router }) => router.group('/v1').group('api'), `starts with '/'`],
    [
      'a group that ends with a slash',
      ({ router }) => router.group('/api/'),
      `router.group: prefix must not end with '/', got "/api/".`,
    ],
    [
      'a group with a function',
      ({ router }) => (router as { group(...args: unknown[]): unknown }).group('/api', () => {}),
      `returned group: const api = router.group('/api').`,
    ],
    [
      'a router for middleware',
      ({ router }) => router.use(router as never),
      `Register its routes on router.group('/prefix').`,
    ],
    ['a group with a wildcard', ({ router }) => router.group('/*x'), 'neither wildcards'],
    ['a group that is optional', ({ router }) => router.group('/:x?'), 'neither wildcards'],
    [
      'an error handler that is not a function',
      ({ router }) => router.onError({} as never),
      'router.onError: handler must be a function, got an object.',
    ],
    [
      'a not-found handler that is not a function',
      ({ router }) => router.notFound({} as never),
      'router.notFound: handler must be a function, got an object.',
    ],
  ])('throws at registration with %s', (_, register, message) => {
    expect(() => register(new App())).toThrow(message)
  })

  it('throws at registration if another route has the same method and paths', () => {
    const { router } = new App()
    router.get('/a/:id', () => '')
    expect(() => router.group('/a').get('/:name', () => '')).toThrow(`'/a/:id' is registered`)
  })
})

describe('an App', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'App: options must be an object, got null. Known options: limits, '],
    ['a number', 5, 'App: options must be an object, got 5.'],
    ['a list', [], 'App: options must be an object, got an array.'],
    [
      'a limit that is not a number',
      { limits: { maxBodyBytes: '1mb' } },
      'App: option "limits.maxBodyBytes" must be an integer of at least 0, got "1mb".',
    ],
    ['a limit that does not exist', { limits: { maxBody: 1 } }, 'App: unknown option "limits.maxBody".'],
  ])('rejects %s', (_, options, message) => {
    expect(() => new App(options as AppOptions)).toThrow(message)
  })

  it('combines the given limits with the defaults', async () => {
    const app = new App({ limits: { maxBodyBytes: 3 } })
    app.router.post('/', (ctx) => ctx.text())
    const lengths = [3, 4].map((length) => app.fetch('/', { method: 'POST', body: 'x'.repeat(length) }))
    expect((await Promise.all(lengths)).map(({ status }) => status)).toEqual([200, 413])
  })
})

describe('a request without a route', () => {
  const app = new App()
  app.router.get('/a', () => 'a').post('/a', () => 'a')
  app.router.delete('/b/:id', () => 'b')

  it.each<[string, number, string | null]>([
    ['GET /nowhere', 404, null],
    ['BREW /nowhere', 404, null],
    ['OPTIONS /nowhere', 404, null],
    ['PUT /a', 405, 'GET, HEAD, POST, OPTIONS'],
    ['BREW /a', 405, 'GET, HEAD, POST, OPTIONS'],
    ['GET /b/1', 405, 'DELETE, OPTIONS'],
    ['HEAD /b/1', 405, 'DELETE, OPTIONS'],
    ['OPTIONS /a', 204, 'GET, HEAD, POST, OPTIONS'],
    ['OPTIONS /b/1', 204, 'DELETE, OPTIONS'],
    ['GET /%zz', 400, null],
  ])('receives status $1 and Allow: $2 for $0', async (request, status, allow) => {
    expect(await allowOf(app, request)).toEqual([status, allow])
  })
})

describe('a request target that is not a URL path', () => {
  const app = new App()
  app.router.get('/a', (ctx) => `${ctx.path} ${ctx.rawQuery}`).route('CONNECT', '/tunnel', () => 'open')

  it.each<[string, string, number, string | null]>([
    ['OPTIONS', '*', 204, 'GET, HEAD, CONNECT, OPTIONS'],
    ['GET', '*', 400, null],
    ['GET', 'a', 400, null],
    ['GET', 'http://example.com/a?b', 200, null],
    ['CONNECT', 'example.com:443', 501, null],
    ['CONNECT', '/tunnel', 200, null],
    ['CONNECT', '/a', 405, 'GET, HEAD, OPTIONS'],
    ['TRACE', '/a', 405, 'GET, HEAD, OPTIONS'],
    ['TRACE', '/b', 404, null],
  ])('receives status $2 and Allow: $3 for $0 $1', async (method, target, status, allow) => {
    const exchange = new MemoryExchange({ ...memoryRequest('http://example.com/'), method, target })
    app.handle(exchange)
    const response = await exchange.response
    expect([response.status, response.headers.get('allow')]).toEqual([status, allow])
  })
})

describe('a group', () => {
  it('prepends its prefix to its paths, at any depth', async () => {
    const app = new App()
    const users = app.router.group('/api').group('/v1').group('/users')
    users
      .get('', () => 'list')
      .get('/', () => 'slash')
      .get('/:id', (ctx) => ctx.params.id)
    expect(users.prefix).toBe('/api/v1/users')
    expect(await ask(app, 'GET /api/v1/users')).toBe('200 list')
    expect(await ask(app, 'GET /api/v1/users/')).toBe('200 slash')
    expect(await ask(app, 'GET /api/v1/users/7')).toBe('200 7')
  })

  it('matches its prefix with its route /, with or without a trailing slash', async () => {
    const app = new App()
    app.router.get('/*path', () => 'fallback')
    app.router.group('/shop/:id').get('/', (ctx) => ctx.params.id)
    expect(await ask(app, 'GET /shop/7')).toBe('200 7')
    expect(await ask(app, 'GET /shop/7/')).toBe('200 7')
    expect(await ask(app, 'GET /shop/7/x')).toBe('200 fallback')
  })

  it.each([
    ['before', ['', '/']],
    ['after', ['/', '']],
  ])('prefers an explicit empty path, registered %s, for its prefix', async (_, paths) => {
    const app = new App()
    const group = app.router.group('/shop')
    for (const path of paths) group.get(path, () => (path === '' ? 'empty' : 'slash'))
    expect(await ask(app, 'GET /shop')).toBe('200 empty')
    expect(await ask(app, 'GET /shop/')).toBe('200 slash')
    expect(() => group.get('', () => '')).toThrow(`'/shop' is registered for the same paths`)
  })

  it('sends a redirect for its prefix if trailing slashes are redirected', async () => {
    const app = new App({ routing: { trailingSlash: 'redirect' } })
    app.router.group('/shop').get('/', () => 'slash')
    expect(await ask(app, 'GET /shop/')).toBe('200 slash')
    expect((await app.fetch('/shop', { redirect: 'manual' })).status).toBe(308)
  })

  it('can have parameters in its prefix', async () => {
    const app = new App()
    const team = app.router.group('/teams/:team')
    team.use(trace('team'))
    team.get('/members/:member', (ctx) => ctx.params)
    expect(await ask(app, 'GET /teams/a/members/b')).toBe('200 {"team":"a","member":"b"}')
    expect(await traceOf(app, '/teams/a/nowhere')).toBe('team')
    expect(await traceOf(app, '/teams')).toBeNull()
  })

  it('can have middleware without a prefix', async () => {
    const app = new App()
    for (const prefix of ['', '/']) {
      const group = app.router.group(prefix)
      group.use(trace(`[${prefix}]`))
      group.get(`/in${prefix === '' ? '1' : '2'}`, () => '')
    }
    expect(await traceOf(app, '/in1')).toBe('[]')
    expect(await traceOf(app, '/in2')).toBe('[/]')
    expect(await traceOf(app, '/nowhere')).toBeNull()
  })
})

describe('middleware', () => {
  it('wraps the routes registered after it, on its router and its groups', async () => {
    const app = new App()
    const { router } = app
    const early = router.group('/early')
    router.get('/0', () => '')
    router.use(trace('a'))
    router.get('/1', () => '')
    early.get('/x', () => '')
    const late = router.group('/late')
    late.use(trace('b'), trace('c'))
    late.get('/x', () => '')
    router.use(trace('d'))
    router.get('/2', () => '')
    late.get('/y', () => '')
    const traces = await Promise.all(
      ['/0', '/1', '/2', '/early/x', '/late/x', '/late/y'].map((path) => traceOf(app, path)),
    )
    expect(traces).toEqual([null, 'a', 'a, d', 'a', 'a, b, c', 'a, d, b, c'])
  })

  it('runs on the root for all requests without a route, and on a group for those under its prefix', async () => {
    const app = new App()
    app.router.use(trace('root'))
    const api = app.router.group('/api')
    api.use(trace('api'))
    api.get('/x', () => 'x')
    api.group('/v1').use(trace('v1'))
    app.router.group('/api').use(trace('twin'))
    for (const [request, expected] of [
      ['GET /nowhere', 'root'],
      ['GET /apis', 'root'],
      ['GET /%zz', 'root'],
      ['GET /api', 'root, api'],
      ['GET /api/nowhere', 'root, api'],
      ['DELETE /api/x', 'root, api'],
      ['OPTIONS /api/x', 'root, api'],
      ['GET /%61pi/nowhere', 'root, api'],
      ['GET /api/v1/nowhere', 'root, api, v1'],
    ] as const) {
      const [method, path = ''] = request.split(' ')
      expect([request, await traceOf(app, path, { method: method ?? '' })]).toEqual([request, expected])
    }
  })

  it('can read and change the response after next()', async () => {
    const app = new App()
    app.router.use(async (ctx, next) => {
      await next()
      ctx.responseHeaders.set('x-saw', `${ctx.status} ${ctx.responseHeaders.get('content-type')}`)
      if (ctx.status === 404) ctx.json({ gone: true }, { status: 410 })
    })
    app.router.get('/', () => ({ a: 1 }))
    expect((await app.fetch('/')).headers.get('x-saw')).toBe('200 application/json')
    const changed = await app.fetch('/nowhere')
    expect([changed.status, await changed.json()]).toEqual([410, { gone: true }])
    expect(changed.headers.get('content-type')).toBe('application/json')
  })

  it('can respond by returning a value or through the context', async () => {
    const app = new App()
    app.router
      .group('/1')
      .use(() => 'one')
      .get('', () => 'handler')
    app.router
      .group('/2')
      .use(async (ctx) => ctx.text('two', { status: 401 }))
      .get('', () => 'handler')
    app.router
      .group('/3')
      .use((ctx) => void (ctx.status = 403))
      .get('', () => 'handler')
    expect(await ask(app, 'GET /1')).toBe('200 one')
    expect(await ask(app, 'GET /2')).toBe('401 two')
    expect(await ask(app, 'GET /3')).toBe('403')
  })

  it('causes a 500 if it neither responds nor calls next()', async () => {
    const errors: unknown[] = []
    const app = new App({ onError: (_, error) => errors.push(error) })
    app.router.use(() => {})
    app.router.get('/', () => 'x')
    expect(await ask(app, 'GET /')).toMatch(/^500/)
    expect(String(errors)).toContain('router.use: middleware must respond or call next(), but did neither.')
  })

  it('receives rejected requests on the root router, even if other middleware throws', () => {
    const reported: unknown[] = []
    const notified: unknown[] = []
    const app = new App({ onError: (message) => reported.push(message) })
    app.router.use(
      (_, next) => next(),
      withRefused(() => {
        throw new Error('x')
      }),
      withRefused((refusal) => notified.push(refusal.status)),
    )
    app.router.group('/g').use(withRefused(() => notified.push('group')))
    app.refused({
      status: 431,
      reason: 'too large',
      protocol: 'HTTP/1.1',
      remoteAddress: undefined,
      method: undefined,
      target: undefined,
      bodyBytes: 0,
      durationMs: 1,
    })
    expect(notified).toEqual([431])
    expect(reported).toHaveLength(1)
  })
})

describe('router.notFound', () => {
  it('runs the nearest handler, with 404 unless it sets another status', async () => {
    const app = new App()
    app.router.notFound((ctx) => `root ${ctx.path}`)
    const api = app.router.group('/api')
    api.notFound(async (ctx) => ctx.json({ path: ctx.path }, { status: 410 }))
    api.group('/v1').get('/x', () => 'x')
    expect(await ask(app, 'GET /a')).toBe('404 root /a')
    expect(await ask(app, 'GET /api/v1/a')).toBe('410 {"path":"/api/v1/a"}')
  })

  it('runs when a handler calls ctx.notFound(), chosen by the request path', async () => {
    const app = new App()
    app.router.group('/api').notFound(() => 'api')
    app.router.get('/*path', (ctx) => {
      ctx.responseHeaders.set('etag', '"x"')
      ctx.responseHeaders.set('x-id', '1')
      return ctx.notFound()
    })
    expect(await ask(app, 'GET /api/x')).toBe('404 api')
    const response = await app.fetch('/x')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ type: 'about:blank', title: 'Not Found', status: 404 })
    expect([response.headers.get('etag'), response.headers.get('x-id')]).toEqual([null, '1'])
  })

  it('responds with a problem document when the handler itself calls ctx.notFound()', async () => {
    const app = new App()
    let calls = 0
    app.router.notFound((ctx) => {
      calls++
      return ctx.notFound()
    })
    app.router.group('/async').notFound(async (ctx) => {
      calls++
      await Promise.resolve()
      return await ctx.notFound()
    })
    const problem = '404 {"type":"about:blank","title":"Not Found","status":404}'
    expect(await ask(app, 'GET /x')).toBe(problem)
    expect(await ask(app, 'GET /async/x')).toBe(problem)
    expect(calls).toBe(2)
  })
})
