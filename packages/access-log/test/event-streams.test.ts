import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { sse } from '@fw/sse'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { accessLog } from '../src/index.ts'

const sink = new MemorySink()
/** Returns the logged entries. */
const entries = (): string[] => sink.messages().filter((message) => message.includes('GET /events'))
let next = Promise.withResolvers<void>()

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  router.use(accessLog())
  router.use(async (ctx, run) => {
    ctx.responseHeaders.set('access-control-allow-origin', '*')
    ctx.responseHeaders.append('vary', 'origin')
    ctx.cookies.set('a', '1')
    await run()
  })
  router.get('/events', async (ctx) => {
    const stream = await sse(ctx, { heartbeatMs: 0 })
    // It is too late to set a field, but the attempt must not affect the events.
    ctx.responseHeaders.set('x-late', 'yes')
    for (const text of ['one', 'two\nlines', 'é']) {
      await stream.data(text)
      await next.promise
    }
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

beforeAll(() => {
  setLevel(Level.Info)
  setSinks([sink])
})
beforeEach(() => sink.clear())

eachProtocol('an event stream with access log, CORS and cookies', start, (client) => {
  it('delivers each event unchanged before the next is sent', async () => {
    const response = await client().request({ path: '/events' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('set-cookie')).toContain('a=1')
    expect(response.headers.get('vary')).toBe('origin')
    expect(response.headers.get('x-late')).toBeNull()
    let text = ''
    let asked = 0
    const blocks = ['data: one\n\n', 'data: two\ndata: lines\n\n', 'data: é\n\n']
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString()
      const expected = blocks.slice(0, asked + 1).join('')
      if (text.length < expected.length) continue
      expect(text).toBe(expected)
      expect(entries()).toEqual([])
      asked++
      const { resolve } = next
      next = Promise.withResolvers()
      resolve()
    }
    const whole = blocks.join('')
    expect(text).toBe(whole)
    await vi.waitFor(() => expect(entries()).toHaveLength(1), { timeout: 30_000 })
    expect(entries()[0]).toMatch(/^GET \/events 200 OK /)
    expect(entries()[0]).toContain(`(${Buffer.byteLength(whole)} B)`)
  })

  it('logs one aborted entry if the client disconnects', async () => {
    const response = await client().request({ path: '/events' })
    for await (const chunk of response.body) if (chunk.byteLength > 0) break
    expect(entries()).toEqual([])
    response.abort()
    await vi.waitFor(() => expect(entries()).toHaveLength(1), { timeout: 30_000 })
    expect(entries()[0]).toMatch(/^\[ABORTED\] GET \/events 200 OK /)
    const { resolve } = next
    next = Promise.withResolvers()
    resolve()
  })
})
