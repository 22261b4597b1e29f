/**
 * A library on top of the packages that exports values with inferred types. `pnpm check:packages` emits its declarations from
 * the published packages, and compiles only the declarations. They must not refer to a type that this file could not import.
 */
import { accessLog, AccessLogFormat, RequestLogger } from '@fw/access-log'
import { App, contextKey, DEFAULT_LIMITS, HttpError, Server, toFetchHandler, toNodeHandler } from '@fw/core'
import type { Context, Middleware, RouteOptions, StandardSchema } from '@fw/core'
import { ConsoleSink, createLogger, FileSink, JsonSink, logger, MemorySink, runtime } from '@fw/log'
import { encodeEvent, sse, SseChannel } from '@fw/sse'
import { EventReader } from '@fw/sse/testing'
import { staticFiles } from '@fw/static'

declare const schema: StandardSchema<{ readonly id: string }>

export const server = new Server({ trustProxy: { header: 'x-forwarded-for', proxies: 1 } })
export const serverMembers = {
  stats: server.stats.bind(server),
  listen: server.listen.bind(server),
  close: server.close.bind(server),
  fetch: server.fetch.bind(server),
}
export const stats = server.stats()
export const address = server.listen({ port: 0 })
export const limits = DEFAULT_LIMITS
export const app = new App()
export const appMembers = { fetch: app.fetch.bind(app), respond: app.respond.bind(app) }
export const fetchHandler = toFetchHandler(app.router)
export const nodeHandler = toNodeHandler(app.router)
export const error = new HttpError(404)
export class Service extends Server {
  readonly routes = this.router()
}

export const router = server.router()
export const routerMembers = {
  ...router,
  route: router.route.bind(router),
  onError: router.onError.bind(router),
  notFound: router.notFound.bind(router),
}
export const group = router.group('/users/:id')
export const inner = group.group('/posts/:post?')
export const groupMembers = { ...inner, use: inner.use.bind(inner) }
export const chained = router.get('/a/:b', (ctx) => ctx.params.b)
export const typed = group.post(
  '/',
  { params: schema, query: schema, headers: schema, body: schema },
  (ctx) => ctx.valid,
)
export const options = { params: schema, query: schema, body: schema } satisfies RouteOptions
export const register = (other: Server) =>
  other
    .router()
    .get('/a', () => 'a')
    .route('PURGE', '/b', () => 'b')

export const user = contextKey<{ readonly id: string }>('user')
export const authenticate = (): Middleware => (_ctx, next) => next()
export const text = (ctx: Context) => ctx.text('a')
export const contextMembers = (ctx: Context<{ readonly id: string }>) => ({ ...ctx })
export const exchangeMembers = (ctx: Context) => ({ ...ctx.exchange })
export const bodyMembers = (ctx: Context) => ({ ...ctx.exchange.body })
export const parts = (ctx: Context) => ctx.parts()

export const log = createLogger({ sinks: [new MemorySink()] })
export const logMembers = { ...log, info: log.info.bind(log) }
export const child = logger.with({ a: 1 })
export const sinks = [new ConsoleSink(), new FileSink('a.log'), new JsonSink()] as const
export const record = new MemorySink().records()[0]
export const recordMembers = { ...record }
export const format = runtime('{}')
export const middleware = accessLog({ format: AccessLogFormat.Json })
export const requestLogger = (ctx: Context) => ctx.get(RequestLogger)

export const channel = new SseChannel<{ order: { readonly id: number } }>({ history: 10 })
export const channelMembers = {
  stats: channel.stats,
  publish: channel.publish.bind(channel),
  subscribe: channel.subscribe.bind(channel),
  serve: channel.serve.bind(channel),
}
export const stream = (ctx: Context) => sse(ctx)
export const streamMembers = async (ctx: Context) => ({ ...(await sse(ctx)) })
export const reader = new EventReader()
export const functions = {
  sse,
  encodeEvent,
  staticFiles,
  accessLog,
  contextKey,
  toFetchHandler,
  toNodeHandler,
  createLogger,
}
