import { accessLog } from '@fw/access-log'
import { Server } from '@fw/core'
import { sse, SseChannel } from '@fw/sse'
import { staticFiles } from '@fw/static'

interface Events {
  count: number
}

/** The channel sends each event to every open page. */
const channel = new SseChannel<Events>()
let count = 0

/** The option `shutdown` lets in-flight requests finish after Ctrl-C. */
export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()
router.use(accessLog())

router.get('/events', async (ctx) => {
  const stream = await sse<Events>(ctx)
  channel.subscribe(stream)
  await stream.sendJson('count', count)
  await stream.closed
})
router.post('/clicks', () => {
  count += 1
  channel.publish('count', count)
})

staticFiles(router, '/', new URL('../public/', import.meta.url), { cacheControl: () => 'no-cache' })
