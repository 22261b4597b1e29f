import { describe, expect, it, vi } from 'vitest'
import { App } from './app.ts'

describe('a route with timeoutMs', () => {
  it('responds with 503 and aborts the signal if the handler takes too long', async () => {
    const reports: unknown[] = []
    const app = new App({ onError: (_, error) => reports.push(error) })
    const late = Promise.withResolvers<unknown>()
    const aborted = Promise.withResolvers<unknown>()
    app.router.get('/', { timeoutMs: 5 }, (ctx) => {
      ctx.responseHeaders.set('x-request-id', '7')
      ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.reason))
      return late.promise
    })
    const response = await app.fetch('/')
    expect([response.status, response.headers.get('x-request-id')]).toEqual([503, '7'])
    expect(await response.json()).toMatchObject({ detail: 'The response took too long' })
    expect(await aborted.promise).toMatchObject({ status: 503 })
    late.resolve('too late')
    await new Promise((resolve) => setImmediate(resolve))
    expect(reports).toHaveLength(1)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('too late'))],
    ['returns a value', async () => 'too late'],
  ])('ignores a handler that %s after the timeout', async (_, then) => {
    const reports: unknown[] = []
    const app = new App({ onError: (__, error) => reports.push(error) })
    const late = Promise.withResolvers<void>()
    app.router.get('/', { timeoutMs: 5 }, () => late.promise.then(then))
    app.router.onError((error, ctx) => ctx.json({ error: String(error) }))
    expect(await (await app.fetch('/')).json()).toEqual({ error: 'HttpError: The response took too long' })
    late.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    expect(reports).toEqual([])
  })

  it.each<[string, (app: App, late: Promise<string>) => void]>([
    ['the handler returns', ({ router }, late) => router.get('/', { timeoutMs: 5 }, () => late)],
    [
      'a middleware function returns',
      ({ router }, late) => router.use(() => late).get('/', { timeoutMs: 5 }, () => 'not reached'),
    ],
    [
      'an error handler for an earlier error returns',
      ({ router }, late) => {
        const group = router.group('/')
        group.onError((error) => (error instanceof RangeError ? late : undefined))
        group.get('/', { timeoutMs: 5 }, () => {
          throw new RangeError('early')
        })
      },
    ],
  ])("keeps a slow error handler's response when %s too late", async (_, register) => {
    const reports: unknown[] = []
    const app = new App({ onError: (__, error) => reports.push(error) })
    const late = Promise.withResolvers<string>()
    const asked = Promise.withResolvers<void>()
    const ready = Promise.withResolvers<void>()
    app.router.onError(async (error, ctx) => {
      ctx.json({ error: String(error) })
      asked.resolve()
      await ready.promise
    })
    register(app, late.promise)
    const received = app.fetch('/')
    await asked.promise
    late.resolve('too late')
    await new Promise((resolve) => setImmediate(resolve))
    ready.resolve()
    const response = await received
    expect([response.status, await response.json()]).toEqual([503, { error: 'HttpError: The response took too long' }])
    expect(reports).toEqual([])
  })

  it('allows the error handler to call ctx.notFound()', async () => {
    const app = new App()
    app.router.get('/', { timeoutMs: 5 }, () => new Promise(() => {}))
    app.router.notFound(async (ctx) => `nothing at ${ctx.path}`)
    app.router.onError((_, ctx) => ctx.notFound())
    const response = await app.fetch('/')
    expect([response.status, await response.text()]).toEqual([404, 'nothing at /'])
  })

  it('has no effect on a response that has begun', async () => {
    vi.useFakeTimers()
    try {
      const app = new App()
      const more = Promise.withResolvers<void>()
      app.router.get('/', { timeoutMs: 1000 }, async (ctx) => {
        const body = ctx.startResponse()
        await more.promise
        body.write(Buffer.from('x'))
      })
      const response = await app.fetch('/')
      vi.advanceTimersByTime(2000)
      more.resolve()
      expect(await response.text()).toBe('x')
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('rejects %d', (timeoutMs) => {
    expect(() => new App().router.get('/', { timeoutMs }, () => '')).toThrow(RangeError)
  })
})
