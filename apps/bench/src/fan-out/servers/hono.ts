import { serve as listen } from '@hono/node-server'
import { Hono } from 'hono'
import { streamSSE, type SSEStreamingApi } from 'hono/streaming'
import { EVENT_DATA, EVENT_NAME } from '../event-text.ts'
import { serve } from '../serve.ts'

const streams = new Set<SSEStreamingApi>()
const app = new Hono()
app.get('/', (ctx) =>
  streamSSE(ctx, async (stream) => {
    // Hono sends the header section with the first write.
    await stream.write(': hello\n\n')
    streams.add(stream)
    await new Promise<void>((resolve) => stream.onAbort(resolve))
    streams.delete(stream)
  }),
)
let sequence = 0
listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  serve(port, () => {
    const id = String(sequence++)
    for (const stream of streams) void stream.writeSSE({ event: EVENT_NAME, id, data: EVENT_DATA })
  })
})
