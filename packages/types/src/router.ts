import type { RouterExtensions } from './extensions.ts'
import type { ErrorHandler, Handler, Middleware } from './handler.ts'
import type { PathParams } from './path-params.ts'

/** What may be said about a route beside its handler. */
export interface RouteOptions {
  readonly limits?: {
    /** Largest request body in octets; over it the answer is 413. */
    readonly maxBodyBytes?: number
  }
}

/** A route as it was registered. */
export interface RouteInfo {
  readonly method: string
  /** The whole pattern, prefixes of groups included: `/api/users/:id`. */
  readonly pattern: string
  readonly options: RouteOptions
}

/** Registers a handler for one method. */
export interface RouteMethod<Self> {
  <const P extends string>(path: P, handler: Handler<PathParams<P>>): Self
  <const P extends string>(path: P, options: RouteOptions, handler: Handler<PathParams<P>>): Self
}

/**
 * Where handlers and middleware are registered. A group is a router whose paths start with a prefix.
 *
 * Middleware affects the routes registered after it, in its router and that router's groups.
 */
export interface Router extends RouterExtensions {
  /** Prefix of every path registered here; empty at the root. */
  readonly prefix: string
  readonly get: RouteMethod<this>
  readonly head: RouteMethod<this>
  readonly post: RouteMethod<this>
  readonly put: RouteMethod<this>
  readonly patch: RouteMethod<this>
  readonly delete: RouteMethod<this>
  readonly options: RouteMethod<this>
  /** Every method that has no handler of its own. */
  readonly all: RouteMethod<this>
  route<const P extends string>(method: string, path: P, handler: Handler<PathParams<P>>): this
  route<const P extends string>(method: string, path: P, options: RouteOptions, handler: Handler<PathParams<P>>): this
  use(...middleware: readonly Middleware[]): this
  group(prefix: string): Router
  onError(handler: ErrorHandler): this
  notFound(handler: Handler): this
}
