import { describe, expect, it } from 'vitest'
import { App } from './app.ts'
import { toFetchHandler } from './to-fetch-handler.ts'

describe('toFetchHandler', () => {
  it('answers a Request by a Response', async () => {
    const app = new App()
    app.router.post('/:id', async (ctx) => [ctx.params.id, ctx.query.get('q'), await ctx.text(), ctx.remoteAddress])
    const handler = toFetchHandler(app.router)
    const request = new Request('https://example.com/7?q=1', { method: 'POST', body: 'x' })
    const response = await handler(request, { remoteAddress: '192.0.2.1' })
    // By its prototype: as a runtime looks into it that knows nothing of getters of ours.
    expect(Object.getPrototypeOf(response)).toBe(Response.prototype)
    expect([response.status, await response.json()]).toEqual([200, ['7', '1', 'x', '192.0.2.1']])
  })

  it('streams, and tells the handler when nobody reads any more', async () => {
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

  it('takes no group', () => {
    const { router } = new App()
    expect(() => toFetchHandler(router.group('/a'))).toThrow('Cannot make a fetch handler')
  })
})
