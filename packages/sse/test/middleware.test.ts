import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import type { Outcome } from '@fw/types'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it, vi } from 'vitest'
import { sse } from '../src/index.ts'

/** One for each request that is over, as an access log has them. */
const entries: Outcome[] = []
let next = Promise.withResolvers<void>()

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  router.use((ctx, run) => {
    ctx.onFinish((outcome) => entries.push(outcome))
    return run()
  })
  router.use(async (ctx, run) => {
    ctx.responseHeaders.set('access-control-allow-origin', '*')
    ctx.responseHeaders.append('set-cookie', 'a=1')
    ctx.responseHeaders.append('set-cookie', 'b=2')
    await run()
  })
  router.get('/events', async (ctx) => {
    const stream = await sse(ctx, { heartbeatMs: 0 })
    for (const text of ['one', 'two\nlines', 'é']) {
      await stream.data(text)
      await next.promise
    }
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

beforeAll(() => setSinks([]))

eachProtocol('middleware that logs and sets fields', start, (client) => {
  it('neither delays nor changes events: every event comes before the next is asked for', async () => {
    entries.length = 0
    const response = await client().request({ path: '/events' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('set-cookie')).toContain('a=1')
    expect(response.headers.get('set-cookie')).toContain('b=2')
    let text = ''
    let asked = 0
    const blocks = ['data: one\n\n', 'data: two\ndata: lines\n\n', 'data: é\n\n']
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString()
      const expected = blocks.slice(0, asked + 1).join('')
      if (text.length < expected.length) continue
      expect(text).toBe(expected)
      expect(entries).toEqual([])
      asked++
      const { resolve } = next
      next = Promise.withResolvers()
      resolve()
    }
    const whole = blocks.join('')
    expect(text).toBe(whole)
    await vi.waitFor(() => expect(entries).toHaveLength(1), { timeout: 15_000 })
    expect(entries).toEqual([{ status: 200, bodyBytes: Buffer.byteLength(whole), aborted: false }])
  })
})
