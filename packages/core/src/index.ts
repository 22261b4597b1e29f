export type { ForwardingHeader, NamedField, OriginPart, TrustedProxies, TrustProxy } from '@fw/client-address'
export { declareRouteOption, type FwErrorCode, type OptionKind } from '@fw/options'
export type { CheckedResponses } from './app/response-checks.ts'
export { App, type AppOptions, type ErrorReporter } from './app/app.ts'
export { contextKey } from './context/context-values.ts'
export { extendContext, extendRouter } from './app/extensions.ts'
export { health, type HealthCheck, type HealthOptions } from './lifecycle/health.ts'
export { HttpError, type HttpErrorOptions } from './response/http-error.ts'
export { DEFAULT_LIMITS, type Limits } from './options/limits.ts'
export type { MemoryRequest } from './memory/request.ts'
export type { ListenerAddress } from './listening/listener.ts'
export type { RoutingOptions } from './options/routing-options.ts'
export { Server } from './server.ts'
export type { BufferedBytes, ServerStats } from './server-stats.ts'
export type { CountByProtocol } from './listening/traffic.ts'
export type { CloseOptions } from './options/close-options.ts'
export type { ListenOptions } from './options/listen-options.ts'
export type { ProxyProtocolOptions } from './options/proxy-protocol-options.ts'
export type { ServerOptions } from './options/server-options.ts'
export { StartupError } from './options/startup-error.ts'
export type { TlsCertificate, TlsCertificates, TlsOptions } from './options/tls-options.ts'
export { toFetchHandler, type FetchPeer } from './adapters/to-fetch-handler.ts'
export { toNodeHandler, type NodeHandler } from './adapters/to-node-handler.ts'
export type { RequestTrace } from './app/tracing.ts'
export type { MiddlewareTrace } from './app/middleware-tracing.ts'
export type { WorkerState, WorkerTrace } from './workers/worker-trace.ts'
export type { WorkerOptions } from './options/worker-options.ts'
// An application's declaration files can refer to every type that an exported type uses.
export type {
  BodyConsumer,
  BodyDecoder,
  DecoderMemory,
  BodyEncoder,
  BodySource,
  ConnectionTrace,
  Context,
  ContextClass,
  ContextExtensions,
  ContextKey,
  ContextToken,
  CookieOptions,
  Cookies,
  CookieSecrets,
  EncodeOptions,
  ErrorHandler,
  Exchange,
  ExchangeTrace,
  FieldList,
  GroupRouter,
  Handler,
  JsonSchema,
  Middleware,
  MultipartOptions,
  MultipartPart,
  Next,
  NoParams,
  Outcome,
  OutgoingResponse,
  OutputOf,
  Params,
  PathParams,
  ProtocolText,
  PushBytes,
  Refusal,
  RequestBody,
  RequestHeaders,
  RequestTiming,
  ResponseBody,
  ResponseFilter,
  ResponseHeaders,
  ResponseInit,
  RouteInfo,
  RouteMethod,
  RouteOptions,
  Router,
  RouterExtensions,
  SchemaIssue,
  SchemaResult,
  SharedChunk,
  StandardSchema,
  TlsTrace,
  TypedRouteOptions,
  UpgradedConnection,
  Validated,
} from '@fw/types'
