import { Server } from '@fw/core'
import { sse, SseChannel } from '@fw/sse'

interface Events {
  count: number
}

/** A page that reconnects gets the events that it missed: at most 1,000, and none older than an hour. */
const channel = new SseChannel<Events>({ history: { maxEvents: 1_000, maxAgeMs: 3_600_000 } })
let count = 0

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

router.get('/events', async (ctx) => {
  const stream = await sse<Events>(ctx)
  channel.subscribe(stream)
  if (stream.lastEventId === null) await stream.sendJson('count', count) // a new page has not missed any events
  await stream.closed
})

router.post('/clicks', () => {
  count += 1
  channel.publish('count', count)
})

router.get('/', (ctx) =>
  ctx.html(`<!doctype html><title>Live counter</title>
<h1><output>…</output> clicks</h1> <button>Click</button>
<script type="module">
  const output = document.querySelector('output')
  new EventSource('/events').addEventListener('count', ({ data }) => (output.textContent = data))
  document.querySelector('button').addEventListener('click', () => fetch('/clicks', { method: 'POST' }))
</script>`),
)

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
