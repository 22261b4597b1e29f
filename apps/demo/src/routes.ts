import { accessLog, RequestLogger, type AccessLogFormat } from '@fw/access-log'
import { HttpError, type Router } from '@fw/core'
import '@fw/sse/register'
import '@fw/static/register'
import type { Feed } from './feed.ts'
import { Visitor, type Visitors } from './visitors.ts'

export interface RouteSettings {
  readonly accessLog: AccessLogFormat
  readonly filesDir: string | undefined
  readonly feed: Feed
  readonly visitors: Visitors
}

/** The browser revalidates every time: an unchanged file costs a 304, and a changed one is never stale. */
const cacheControl = (): string => 'no-cache'

/** Registers every route of the demo. */
export function registerRoutes(router: Router, settings: RouteSettings): void {
  const entries = accessLog({
    format: settings.accessLog,
    // Health checks arrive every few seconds and would hide other entries.
    skipPaths: ['/healthz'],
    requestHeaders: ['referer'],
    redactQuery: ['token'],
  })
  router.use(...settings.visitors.around(entries))

  router.get('/healthz', () => 'ok')

  router.get('/events', async (ctx) => settings.feed.follow(await ctx.sse({ retryMs: 2000 }), ctx.local(Visitor)))

  const api = router.group('/api')
  api.get('/hello/:name', (ctx) => {
    ctx.local(RequestLogger).info('Greeting {}', ctx.params.name)
    return { hello: ctx.params.name, protocol: ctx.protocol }
  })
  api.post('/echo', async (ctx) => ctx.bytes(await ctx.bytes()))
  api.get('/teapot', () => {
    throw new HttpError(418, 'This demo makes no coffee')
  })

  if (settings.filesDir !== undefined) router.staticFiles('/files', settings.filesDir, { cacheControl })
  router.staticFiles('/', new URL('../public/', import.meta.url), { spa: true, cacheControl })
}
