import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { toFetchHandler, type FetchPeer } from './to-fetch-handler.ts'

describe('toFetchHandler', () => {
  it('answers a Request with a Response', async () => {
    const app = new App()
    app.router.post('/:id', async (ctx) => [ctx.params.id, ctx.query.get('q'), await ctx.text(), ctx.remoteAddress])
    const handler = toFetchHandler(app.router)
    const request = new Request('https://example.com/7?q=1', { method: 'POST', body: 'x' })
    const response = await handler(request, { remoteAddress: '192.0.2.1' })
    // Some runtimes read a Response through its internal state and do not call our getters.
    expect(Object.getPrototypeOf(response)).toBe(Response.prototype)
    expect([response.status, await response.json()]).toEqual([200, ['7', '1', 'x', '192.0.2.1']])
  })

  it('streams the body and aborts ctx.signal when the client cancels it', async () => {
    const app = new App()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    app.router.get('/', async (ctx) => {
      ctx.signal.addEventListener('abort', () => resolve('aborted'))
      const body = ctx.startResponse()
      body.write(Buffer.from('x'))
      await promise
    })
    const response = await toFetchHandler(app.router)(new Request('http://localhost/'))
    await response.body?.cancel()
    expect(await promise).toBe('aborted')
  })

  it.each<[unknown, string]>([
    [{ remoteAddress: 7 }, 'toFetchHandler: option "remoteAddress" must be a string, got 7. Pass the'],
    [{ remoteAddr: { hostname: '::1' } }, 'unknown option "remoteAddr". Use remoteAddress: info.remoteAddr.hostname'],
    ['127.0.0.1', 'toFetchHandler: options must be an object, got "127.0.0.1". Known options: remoteAddress.'],
  ])('rejects the peer %j with a TypeError', async (peer, message) => {
    const handler = toFetchHandler(new App().router)
    const response = handler(new Request('http://localhost/'), peer as FetchPeer)
    await expect(response).rejects.toThrow(TypeError)
    await expect(response).rejects.toThrow(message)
  })

  it.each([undefined, {}, { remoteAddress: undefined }])('accepts the peer %j, which has no address', async (peer) => {
    expect((await toFetchHandler(new App().router)(new Request('http://localhost/'), peer)).status).toBe(404)
  })

  it('rejects a route group', () => {
    const { router } = new App()
    expect(() => toFetchHandler(router.group('/a'))).toThrow(
      'toFetchHandler: router must be the router of a Server or an App, got a RouteGroup. Pass server.router()',
    )
  })
})

it.each(['fetch', 'toFetchHandler'])(
  'aborts the ctx.signal of %s() when the client aborts, even if the Request was garbage-collected',
  async (way) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const app = new App()
    const gone = Promise.withResolvers<string>()
    app.router.get('/', async (ctx) => {
      ctx.signal.addEventListener('abort', () => gone.resolve('gone'))
      await gone.promise
    })
    const handle = way === 'fetch' ? (request: Request) => app.fetch(request) : toFetchHandler(app.router)
    const client = new AbortController()
    const response = handle(new Request('http://localhost/', { signal: client.signal }))
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      collect()
    }
    client.abort()
    await expect(response).rejects.toThrow(/abort/)
    expect(await gone.promise).toBe('gone')
  },
)
