import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { sse, SseChannel } from '../src/index.ts'
import { parseEvents } from '../src/testing.ts'

/** More events than fit into the socket buffers. */
const MISSED = 100
const EVENT = 'x'.repeat(200_000)

let server = new Server()
let channel = new SseChannel()

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const started = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  server = started
  channel = new SseChannel({ history: { maxEvents: MISSED, maxBytes: Infinity } })
  for (let n = 0; n < MISSED; n++) channel.publish('n', `${n} ${EVENT}`, { id: String(n) })
  started.router().get('/channel', (ctx) => channel.serve(ctx, { heartbeatMs: 0 }))
  started.router().get('/stream', async (ctx) => {
    const stream = await sse(ctx, { heartbeatMs: 0, retryMs: 7 })
    await stream.data('hello')
    await stream.closed
    await stream.data('late')
  })
  const { url } = await started.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => started.close({ drainMs: 0 }) }
}

beforeAll(() => setSinks([]))

eachProtocol('a server that closes', start, (client) => {
  it('completes every stream, even during a replay, and waits for clients that are reading', async () => {
    const [plain, live, replay] = await Promise.all([
      client().request({ path: '/stream' }),
      client().request({ path: '/channel' }),
      client().request({ path: '/channel', headers: [['last-event-id', '0']] }),
    ])
    await expect.poll(() => channel.stats.subscribers).toBe(2)
    channel.publish('n', 'the last', { id: 'last' })
    const closing = server.close({ drainMs: 10_000 })
    const texts = await Promise.all([plain, live, replay].map((response) => response.text()))
    await closing
    expect(texts[0]).toBe('retry: 7\n\ndata: hello\n\nretry: 7\n\n')
    expect(texts[1]).toMatch(/^event: n\nid: last\ndata: the last\n\nretry: \d{4}\n\n$/)
    const { events, retryMs } = parseEvents(texts[2] ?? '')
    // The client receives the remaining events from the next server.
    expect(events.map(({ lastEventId }) => lastEventId)).toEqual(events.map((_, at) => String(at + 1)))
    expect(events.every(({ data }) => data.endsWith(EVENT))).toBe(true)
    expect(retryMs).toBeGreaterThan(0)
    expect(channel.stats.subscribers).toBe(0)
  })
})
