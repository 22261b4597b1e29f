import * as log from '@fw/log'
import type { MultipartOptions, RouteOptions } from '@fw/types'
import { expectTypeOf, it } from 'vitest'
import { App, type AppOptions } from '../app/app.ts'
import { HttpError, type HttpErrorOptions } from '../response/http-error.ts'
import type { RoutingOptions } from './routing-options.ts'
import type { CloseOptions } from './close-options.ts'
import type { ListenOptions } from './listen-options.ts'
import type { ServerOptions } from './server-options.ts'
import { Server } from '../server.ts'
import { toFetchHandler, type FetchPeer } from '../adapters/to-fetch-handler.ts'
import type { WorkerOptions } from './worker-options.ts'

// The compiler checks these declarations; none of this code runs.

// @ts-expect-error -- a status is a number
const errorOfText = (): unknown => new HttpError('404')
// @ts-expect-error -- a port is a number
const listenOnText = (server: Server): unknown => server.listen('8080')
// @ts-expect-error -- the argument must be the router of a server
const handlerOfServer = (server: Server): unknown => toFetchHandler(server)

it('accepts routing options', () => {
  const all: Required<RoutingOptions> = { trailingSlash: 'redirect', caseSensitive: false }
  // @ts-expect-error -- not one of the three rules
  const slash: RoutingOptions = { trailingSlash: true }
  // @ts-expect-error -- must be true or false
  const sensitive: RoutingOptions = { caseSensitive: 'no' }
  // @ts-expect-error -- unknown option
  const strict: RoutingOptions = { strict: true }
  expectTypeOf([all, slash, sensitive, strict]).toBeArray()
})

it('accepts server and application options', () => {
  const server = {
    tls: { key: 'key', cert: 'certificate' },
    http2: true,
    http3: false,
    limits: { maxBodyBytes: 1 },
    bodyTypes: ['application/json'],
    checkResponses: 'count',
    routing: {},
    trustProxy: false,
    allowedHosts: ['example.org'],
    logger: log.with({}),
    shutdown: 'signals',
    drainMs: 10_000,
  } satisfies Required<ServerOptions>
  const app: AppOptions = { routing: { trailingSlash: 'ignore' }, onError: (message, error) => [message, error] }
  const notices: AppOptions = { limits: { maxBodyBytes: 1 }, onNotice: (message) => void message }
  // @ts-expect-error -- a certificate requires its key
  const tls: ServerOptions = { tls: { cert: 'certificate' } }
  // @ts-expect-error -- unknown limit
  const limits: ServerOptions = { limits: { maxBody: 1 } }
  // @ts-expect-error -- a limit is a number
  const text: ServerOptions = { limits: { maxBodyBytes: '1mb' } }
  // @ts-expect-error -- must be 'signals'
  const shutdown: ServerOptions = { shutdown: true }
  // @ts-expect-error -- unknown option
  const port: ServerOptions = { port: 80 }
  expectTypeOf([server, app, notices, tls, limits, text, shutdown, port]).toBeArray()
  expectTypeOf(App).toBeConstructibleWith(app)
  expectTypeOf(Server).toBeConstructibleWith(server)
})

it('accepts listener options and close options', () => {
  const listen: ListenOptions = {
    port: 0,
    host: '127.0.0.1',
    tls: false,
    http2: true,
    http3: false,
    proxyProtocol: { from: ['10.0.0.0/8'], timeoutMs: 5_000, maxHeaderBytes: 4096 },
    signal: AbortSignal.abort(),
  }
  // @ts-expect-error -- the proxies must be listed
  const proxies: ListenOptions = { proxyProtocol: { timeoutMs: 5_000 } }
  const close: Required<CloseOptions> = { drainMs: 1 }
  // @ts-expect-error -- a port is a number
  const port: ListenOptions = { port: '8080' }
  // @ts-expect-error -- must be false or a certificate
  const tls: ListenOptions = { tls: true }
  // @ts-expect-error -- the unit is in the name
  const drain: CloseOptions = { drain: 1 }
  expectTypeOf([listen, proxies, close, port, tls, drain]).toBeArray()
})

it('accepts each way to bind a listener, and worker settings', () => {
  const workers: Required<WorkerOptions> = {
    count: 'auto',
    heartbeatTimeoutMs: 1,
    startTimeoutMs: 1,
    maxRestartDelayMs: 1,
    spare: true,
    drainMs: 1,
  }
  const ways: readonly ListenOptions[] = [
    { path: '/run/app.sock' },
    { port: 80, reusePort: true },
    { fd: 3, udpFd: 4 },
    { systemd: true },
    { systemd: 'web' },
    { port: 80, workers: 2, pinCpus: true },
    { port: 80, workers },
    { port: 443, http3: 'clear' },
  ]
  // @ts-expect-error -- must be true or a socket name
  const systemd: ListenOptions = { systemd: 3 }
  // @ts-expect-error -- must be a number, 'auto' or settings
  const many: ListenOptions = { workers: true }
  // @ts-expect-error -- settings require a count
  const some: ListenOptions = { workers: { drainMs: 1 } }
  // @ts-expect-error -- the unit is in the name
  const heartbeat: WorkerOptions = { count: 1, heartbeat: 1 }
  // @ts-expect-error -- must be true, false or 'clear'
  const http3: ListenOptions = { http3: 'off' }
  expectTypeOf([workers, ways, systemd, many, some, heartbeat, http3]).toBeArray()
})

it('accepts certificates, trusted proxies and loggers', () => {
  const certificate = { keyFile: 'key.pem', certFile: new URL('file:///cert.pem'), watch: true, watchIntervalMs: 1 }
  const settings: readonly ServerOptions[] = [
    { tls: certificate },
    { tls: [certificate, { key: 'key', cert: Buffer.from('certificate') }] },
    { tls: () => certificate },
    { tls: async () => [certificate] },
    { trustProxy: false },
    { trustProxy: 1 },
    { trustProxy: ['10.0.0.0/8'] },
    { trustProxy: { proxies: 1, header: 'forwarded' } },
    { logger: log.with({ name: 'edge' }) },
  ]
  // @ts-expect-error -- a key requires its certificate
  const half: ServerOptions = { tls: { keyFile: 'key.pem' } }
  // @ts-expect-error -- must name the trusted proxies
  const anyProxy: ServerOptions = { trustProxy: true }
  // @ts-expect-error -- not a forwarding field
  const field: ServerOptions = { trustProxy: { proxies: 1, header: 'host' } }
  // @ts-expect-error -- must be a logger from @fw/log
  const logger: ServerOptions = { logger: console }
  expectTypeOf([settings, half, anyProxy, field, logger]).toBeArray()
})

it('accepts options for routes, bodies, errors and peers', () => {
  const schema = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
  const route: Required<RouteOptions> = {
    limits: { maxBodyBytes: 1 },
    use: [async (_ctx, next) => next()],
    timeoutMs: 1,
    tunnels: ['websocket'],
    params: schema,
    query: schema,
    headers: schema,
    body: schema,
    response: { 200: {}, 404: schema },
    checkResponses: 'off',
    bodyTypes: ['application/json'],
  }
  const parts: Required<MultipartOptions> = { maxParts: 1 }
  const error: Required<HttpErrorOptions> = { cause: 1, headers: { a: 'b' }, type: 'about:blank', extensions: { a: 1 } }
  const peer: Required<FetchPeer> = { remoteAddress: '127.0.0.1' }
  // @ts-expect-error -- a field value is text
  const fields: HttpErrorOptions = { headers: { 'retry-after': 1 } }
  // @ts-expect-error -- unknown option
  const limit: MultipartOptions = { maxBytes: 1 }
  expectTypeOf([route, parts, error, peer, fields, errorOfText, limit]).toBeArray()
})

it('rejects invalid arguments of router methods', () => {
  const { router } = new App()
  // @ts-expect-error -- middleware is a function
  const middleware = (): unknown => router.use('/api')
  // @ts-expect-error -- a group requires a prefix
  const group = (): unknown => router.group()
  // @ts-expect-error -- next() accepts no argument
  const next = (): unknown => router.use((ctx, proceed) => proceed(ctx))
  expectTypeOf([middleware, group, listenOnText, handlerOfServer, next]).toBeArray()
})
