import { describe, expect, it } from 'vitest'
import { App } from './app.ts'

const handler = (): string => 'x'

/** Returns an application, and the routes that its middleware found for each request. */
function appWithRoutes(): { app: App; seen: string[][] } {
  const app = new App()
  const seen: string[][] = []
  app.router.use((ctx, next) => {
    seen.push(ctx.pathRoutes.map(({ method, pattern }) => `${method} ${pattern}`))
    return next()
  })
  app.router.get('/users/:id', handler)
  app.router.put('/users/:id', handler)
  app.router.delete('/users/me', handler)
  app.router.get('/other', handler)
  app.router.get('/files/list', handler)
  app.router.all('/files/*path', handler)
  app.router.options('/files/own', handler)
  app.router.group('/shop').post('/', handler)
  return { app, seen }
}

describe('router.routes', () => {
  it('yields the routes in the router and its groups in registration order', () => {
    const { router } = new App()
    router.get('/', handler)
    const api = router.group('/api')
    api.post('/users', handler)
    api.group('/v2').all('/', handler)
    router.route('REPORT', '/late', handler)
    const names = (from: typeof router): string[] =>
      [...from.routes()].map(({ method, pattern }) => `${method} ${pattern}`)
    expect(names(router)).toEqual(['GET /', 'POST /api/users', '* /api/v2/', 'REPORT /late'])
    expect(names(api)).toEqual(['POST /api/users', '* /api/v2/'])
    expect(names(router.group('/none'))).toEqual([])
  })

  it("yields each route's options", () => {
    const { router } = new App()
    router.get('/', { timeoutMs: 7 }, handler)
    expect([...router.routes()].map(({ options }) => options)).toEqual([{ timeoutMs: 7 }])
  })
})

describe('ctx.pathRoutes', () => {
  it.each([
    ['GET', '/users/7', ['GET /users/:id']],
    ['HEAD', '/users/7', ['GET /users/:id']],
    ['OPTIONS', '/users/7', ['GET /users/:id', 'PUT /users/:id']],
    ['POST', '/users/7', ['GET /users/:id', 'PUT /users/:id']],
    ['OPTIONS', '/users/me', ['DELETE /users/me', 'GET /users/:id', 'PUT /users/:id']],
    ['OPTIONS', '/shop', ['POST /shop/']],
    ['GET', '/files/list', ['GET /files/list']],
    ['OPTIONS', '/files/list', ['GET /files/list', '* /files/*path']],
    ['OPTIONS', '/files/own', ['OPTIONS /files/own', '* /files/*path']],
    ['OPTIONS', '/files/x', ['* /files/*path']],
    ['GET', '/nowhere', []],
  ])('contains the routes for the path: %s %s', async (method, path, expected) => {
    const { app, seen } = appWithRoutes()
    await app.fetch(path, { method })
    expect(seen).toEqual([expected])
  })
})
