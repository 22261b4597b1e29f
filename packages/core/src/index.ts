export type { ForwardingHeader, TrustProxy } from '@fw/client-address'
export { App, type AppOptions, type ErrorReporter } from './app.ts'
export { contextKey } from './context/context-key.ts'
export { extendContext, extendRouter } from './extensions.ts'
export { HttpError, type HttpErrorOptions } from './answer/http-error.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export type { ListenerAddress } from './listening/listener.ts'
export type { RoutingOptions } from './routing/routing-options.ts'
export { Server } from './server.ts'
export type { CloseOptions, ListenOptions, ServerOptions } from './server-options.ts'
export { StartupError } from './startup-error.ts'
export type { TlsCertificate, TlsCertificates, TlsOptions } from './tls/tls-options.ts'
export { toFetchHandler, type FetchPeer } from './fetch/to-fetch-handler.ts'
export { toNodeHandler, type NodeHandler } from './fetch/to-node-handler.ts'
export type { RequestTrace } from './tracing.ts'
export type { WorkerOptions } from './workers/worker-options.ts'
export type {
  BodySource,
  Context,
  ContextExtensions,
  ContextKey,
  CookieOptions,
  Cookies,
  CookieSecrets,
  ErrorHandler,
  Exchange,
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
  RouteInfo,
  RouteOptions,
  Router,
  RouterExtensions,
  SchemaIssue,
  StandardSchema,
  Validated,
} from '@fw/types'
