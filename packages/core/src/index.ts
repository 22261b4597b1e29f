export type { ForwardingHeader, TrustProxy } from '@fw/client-address'
export { declareRouteOption } from '@fw/options'
export { App, type AppOptions, type ErrorReporter } from './app/app.ts'
export { contextKey } from './context/context-values.ts'
export { extendContext, extendRouter } from './app/extensions.ts'
export { HttpError, type HttpErrorOptions } from './response/http-error.ts'
export { DEFAULT_LIMITS, type Limits } from './options/limits.ts'
export type { ListenerAddress } from './listening/listener.ts'
export type { RoutingOptions } from './options/routing-options.ts'
export { Server } from './server.ts'
export type { BufferedBytes, ServerStats } from './server-stats.ts'
export type { CountByProtocol } from './listening/traffic.ts'
export type { CloseOptions } from './options/close-options.ts'
export type { ListenOptions } from './options/listen-options.ts'
export type { ServerOptions } from './options/server-options.ts'
export { StartupError } from './options/startup-error.ts'
export type { TlsCertificate, TlsCertificates, TlsOptions } from './options/tls-options.ts'
export { toFetchHandler, type FetchPeer } from './adapters/to-fetch-handler.ts'
export { toNodeHandler, type NodeHandler } from './adapters/to-node-handler.ts'
export type { RequestTrace } from './app/tracing.ts'
export type { MiddlewareTrace } from './app/middleware-tracing.ts'
export type { WorkerState, WorkerTrace } from './workers/worker-trace.ts'
export type { WorkerOptions } from './options/worker-options.ts'
export type {
  BodySource,
  ConnectionTrace,
  Context,
  ContextExtensions,
  ContextKey,
  CookieOptions,
  Cookies,
  CookieSecrets,
  ErrorHandler,
  Exchange,
  ExchangeTrace,
  Handler,
  JsonSchema,
  Middleware,
  MultipartOptions,
  MultipartPart,
  Next,
  Outcome,
  Params,
  PathParams,
  Refusal,
  ResponseBody,
  ResponseInit,
  GroupRouter,
  NoParams,
  RequestHeaders,
  RequestTiming,
  ResponseHeaders,
  RouteMethod,
  RouteInfo,
  RouteOptions,
  Router,
  RouterExtensions,
  SchemaIssue,
  StandardSchema,
  TlsTrace,
  Validated,
} from '@fw/types'
