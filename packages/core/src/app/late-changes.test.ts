import type { Context, ResponseHeaders } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App } from './app.ts'

/**
 * Applies `change` after the head was sent. Returns the status and first field that the handler then reads, and the
 * notices.
 */
async function after(change: (ctx: Context, headers: ResponseHeaders) => void, times = 1): Promise<unknown[]> {
  const notices: string[] = []
  const seen: unknown[] = []
  const app = new App({ onNotice: (message) => notices.push(message) })
  app.router.get('/users/:id', (ctx) => {
    const { responseHeaders } = ctx
    responseHeaders.set('x-early', '1')
    const body = ctx.startResponse()
    change(ctx, responseHeaders)
    body.write(Buffer.from('x'))
    seen.push(ctx.status, ...responseHeaders)
  })
  for (let i = 0; i < times; i++) {
    const response = await app.fetch(`/users/${i}`)
    expect([response.status, response.headers.get('x-early'), await response.text()]).toEqual([200, '1', 'x'])
  }
  return [
    seen.slice(0, 2),
    notices.map((notice) => notice.replace(' after the head of the response was sent. The change has no effect.', '')),
  ]
}

describe('a change after the head was sent', () => {
  it.each<[string, (ctx: Context, headers: ResponseHeaders) => void]>([
    ['field x-late was changed', (ctx) => ctx.responseHeaders.set('X-Late', '1')],
    ['field x-late was changed', (_, kept) => kept.append('x-late', '1')],
    ['field x-early was changed', (_, kept) => kept.set('x-early', '2')],
    ['field x-early was changed', (_, kept) => kept.delete('x-early')],
    ['field x-all was changed', (_, kept) => kept.setAll(['x-all', '1'])],
    ['field set-cookie was changed', (ctx) => ctx.cookies.set('a', 'b')],
    ['the status was changed', (ctx) => void (ctx.status = 404)],
    ['a response filter was added', (ctx) => ctx.filterResponse(() => expect.fail())],
  ])('has no effect and causes a report: %s', async (what, change) => {
    expect(await after(change)).toEqual([[200, ['x-early', '1']], [`GET /users/:id: ${what}`]])
  })

  it('causes one report for any number of requests', async () => {
    const [, notices] = await after((ctx) => ctx.responseHeaders.set('x-late', '1'), 3)
    expect(notices).toEqual(['GET /users/:id: field x-late was changed'])
  })

  it('causes reports for at most 100 fields', async () => {
    const [, notices] = await after((ctx) => {
      for (let i = 0; i < 300; i++) ctx.responseHeaders.set(`x-${i}`, '1')
    })
    expect(notices).toHaveLength(100)
  })

  it('causes no report if it deletes a missing field', async () => {
    expect(await after((_, kept) => kept.delete('x-none'))).toEqual([[200, ['x-early', '1']], []])
  })

  it('does not fail the middleware, even if onNotice throws', async () => {
    const app = new App({
      onNotice: () => {
        throw new Error('onNotice failed')
      },
    })
    app.router.use(async (ctx, next) => {
      await next()
      ctx.responseHeaders.set('x-time', '1')
    })
    app.router.get('/sent', (ctx) => void ctx.startResponse().write(Buffer.from('x')))
    app.router.get('/prepared', () => 'x')
    const [sent, prepared] = [await app.fetch('/sent'), await app.fetch('/prepared')]
    expect([sent.headers.get('x-time'), await sent.text()]).toEqual([null, 'x'])
    expect([prepared.headers.get('x-time'), await prepared.text()]).toEqual(['1', 'x'])
  })
})
