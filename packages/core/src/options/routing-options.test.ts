import * as fc from 'fast-check'
import type { Handler } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import type { RoutingOptions } from './routing-options.ts'
import { Server } from '../server.ts'

const show: Handler = (ctx) => [ctx.route?.pattern, { ...ctx.params }]

/** Creates an application whose handlers respond with their pattern and parameters. */
function appOf(routing: RoutingOptions): App {
  const app = new App({ routing })
  app.router.get('/', show).get('/users', show).post('/users/', show).get('/docs/', show).get('/Users/:id', show)
  app.router.get('/both', show).get('/both/', show).get('/files/*path', show)
  app.router
    .group('/API')
    .get('/Things/:id?', show)
    .notFound((ctx) => `no ${ctx.path}`)
  return app
}

/** Returns the route and parameters of a response with status 200, else the status with `location` or `allow`. */
async function ask(app: App, line: string): Promise<unknown> {
  const [method = '', path = ''] = line.split(' ')
  const response = await app.fetch(path, { method })
  if (response.status === 200) return response.json()
  await response.arrayBuffer()
  return [response.status, response.headers.get('location') ?? response.headers.get('allow')]
}

describe('trailingSlash', () => {
  it.each<[string, unknown, unknown, unknown]>([
    // request, then the result of strict, ignore and redirect
    ['GET /', ['/', {}], ['/', {}], ['/', {}]],
    ['GET /users', ['/users', {}], ['/users', {}], ['/users', {}]],
    ['GET /users/', [405, 'POST, OPTIONS'], ['/users', {}], [308, '../users']],
    ['POST /users', [405, 'GET, HEAD, OPTIONS'], ['/users/', {}], [308, './users/']],
    ['PUT /users', [405, 'GET, HEAD, OPTIONS'], [405, 'GET, HEAD, POST, OPTIONS'], [405, 'GET, HEAD, POST, OPTIONS']],
    ['OPTIONS /docs', [404, null], [204, 'GET, HEAD, OPTIONS'], [204, 'GET, HEAD, OPTIONS']],
    ['GET /docs?a=1', [404, null], ['/docs/', {}], [308, './docs/?a=1']],
    ['GET /both', ['/both', {}], ['/both', {}], ['/both', {}]],
    ['GET /both/', ['/both/', {}], ['/both/', {}], ['/both/', {}]],
    ['GET /Users/7/', [404, null], ['/Users/:id', { id: '7' }], [308, '../7']],
    ['GET /Users/a%2F/', [404, null], ['/Users/:id', { id: 'a/' }], [308, '../a%2F']],
    ['GET /files', [404, null], ['/files/*path', { path: '' }], [308, './files/']],
    [
      'GET /files/a/',
      ['/files/*path', { path: 'a/' }],
      ['/files/*path', { path: 'a/' }],
      ['/files/*path', { path: 'a/' }],
    ],
    ['GET /API/Things/', [404, null], ['/API/Things/:id?', {}], [308, '../Things']],
    ['GET /nowhere/', [404, null], [404, null], [404, null]],
    ['GET /users//', [404, null], [405, 'POST, OPTIONS'], [405, 'POST, OPTIONS']],
    ['GET /%zz/', [400, null], [400, null], [400, null]],
  ])('handles %s under each rule', async (line, strict, ignore, redirect) => {
    expect(await ask(appOf({}), line)).toEqual(strict)
    expect(await ask(appOf({ trailingSlash: 'strict' }), line)).toEqual(strict)
    expect(await ask(appOf({ trailingSlash: 'ignore' }), line)).toEqual(ignore)
    expect(await ask(appOf({ trailingSlash: 'redirect' }), line)).toEqual(redirect)
  })

  it('runs middleware around the redirect', async () => {
    const app = new App({ routing: { trailingSlash: 'redirect' } })
    app.router.use(async (ctx, next) => {
      await next()
      ctx.responseHeaders.set('x-status', String(ctx.status))
    })
    app.router.get('/a/', () => 'a')
    expect((await app.fetch('/a')).headers.get('x-status')).toBe('308')
  })
})

describe('caseSensitive: false', () => {
  const app = appOf({ caseSensitive: false })
  it.each<[string, unknown]>([
    ['GET /USERS', ['/users', {}]],
    ['GET /uSERS/Ada', ['/Users/:id', { id: 'Ada' }]],
    ['GET /api/THINGS/X', ['/API/Things/:id?', { id: 'X' }]],
    ['GET /FILES/A/b', ['/files/*path', { path: 'A/b' }]],
    ['GET /USER%53', ['/users', {}]],
    ['GET /Users/', [405, 'POST, OPTIONS']],
  ])('handles %s without regard to case', async (line, expected) => {
    expect(await ask(app, line)).toEqual(expected)
  })

  it("matches a group's prefix with its own not-found handler", async () => {
    expect(await (await app.fetch('/api/nowhere')).text()).toBe('no /api/nowhere')
    expect(await (await appOf({}).fetch('/api/nowhere')).text()).not.toContain('no /api')
  })

  it('rejects patterns that differ only in case as duplicates', () => {
    const { router } = new App({ routing: { caseSensitive: false } })
    router.get('/users/:id', () => 1)
    expect(() => router.get('/Users/:name', () => 2)).toThrow(`'/users/:id' is registered for the same paths`)
    expect(() => router.get('/users/me', () => 3)).not.toThrow()
  })

  it('finds every pattern in upper and lower case, and keeps the case of parameter values', async () => {
    const word = fc.stringMatching(/^[a-zA-Z]{1,5}$/)
    await fc.assert(
      fc.asyncProperty(word, word, word, async (first, value, last) => {
        const one = new App({ routing: { caseSensitive: false } })
        one.router.get(`/${first}/:value/${last}`, (ctx) => ctx.params['value'])
        for (const path of [`/${first.toUpperCase()}/${value}/${last}`, `/${first}/${value}/${last.toLowerCase()}`]) {
          expect(await (await one.fetch(path)).text()).toBe(value)
        }
      }),
    )
  })
})

it("applies the server's routing options", async () => {
  const server = new Server({ routing: { trailingSlash: 'ignore', caseSensitive: false } })
  server.router().get('/About/', () => 'about')
  expect(await (await server.fetch('/about')).text()).toBe('about')
})

it.each<[unknown, string]>([
  [
    { trailingSlash: true },
    'Server: option "routing.trailingSlash" must be "strict", "ignore" or "redirect", got true.',
  ],
  [{ caseSensitive: 'no' }, 'Server: option "routing.caseSensitive" must be true or false, got "no".'],
  [{ strict: true }, 'Server: unknown option "routing.strict". Known options: trailingSlash, caseSensitive.'],
  ['strict', 'Server: option "routing" must be an object, got "strict".'],
])('rejects the routing options %j', (routing, message) => {
  expect(() => new Server({ routing: routing as RoutingOptions })).toThrow(message)
  expect(() => new App({ routing: routing as RoutingOptions })).toThrow(TypeError)
})

it('rejects unknown application options', () => {
  const options = { trailingSlash: 'ignore' } as never
  expect(() => new App(options)).toThrow(
    'App: unknown option "trailingSlash". Known options: limits, bodyTypes, checkResponses, trustProxy, allowedHosts, routing, onError, onWarning, onNotice.',
  )
})
