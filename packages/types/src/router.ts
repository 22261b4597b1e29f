import type { RouterExtensions } from './extensions.ts'
import type { ErrorHandler, Handler, Middleware } from './handler.ts'
import type { NoParams, PathParams } from './path-params.ts'
import type { JsonSchema, OutputOf, StandardSchema, Validated } from './standard-schema.ts'

/** Options of a route. */
export interface RouteOptions {
  /** Adds middleware to this route only. It runs inside the router's middleware and before the schemas. */
  readonly use?: Middleware | readonly Middleware[]
  /** Replaces the server's limits for this route. */
  readonly limits?: {
    /** Limits the request body in bytes. A larger body gets 413. */
    readonly maxBodyBytes?: number
    /** Limits the fields of an `application/x-www-form-urlencoded` body. A form with more gets 413. */
    readonly maxFormFields?: number
    /** Limits each part of a `multipart/form-data` body in bytes. A larger part gets 413. */
    readonly maxFileBytes?: number
  }
  /**
   * Limits the time until the response begins, in milliseconds. Default: no limit. After that time, `ctx.signal`
   * aborts, and error handlers receive an `HttpError` with status 503 and a new context. A result that the handler
   * returns later is discarded.
   */
  readonly timeoutMs?: number
  /**
   * Protocols whose tunnels the handler accepts with `ctx.exchange.tunnel()`, in lower case: `['websocket']`. A GET route then
   * also receives an extended CONNECT with one of them (RFC 8441, RFC 9220), and `ctx.method` is `CONNECT`. The server announces
   * extended CONNECT on connections that open after the first such route is registered. Default: none.
   */
  readonly tunnels?: readonly string[]
  /** Validates the decoded parameters. The schema's output is `ctx.valid.params`. */
  readonly params?: StandardSchema | undefined
  /** Validates the query: a string for each name, or an array of strings for a repeated name. */
  readonly query?: StandardSchema | undefined
  /** Validates the header fields, with names in lower case. */
  readonly headers?: StandardSchema | undefined
  /** Validates the body before the handler runs. `bodyTypes` determines how the body is parsed; the default is JSON. */
  readonly body?: StandardSchema | undefined
  /**
   * Schemas of the JSON responses by status: JSON Schemas, or Standard Schemas that provide one. A single Standard
   * Schema applies to status 200. The schemas are compiled to serializers, which omit members that a schema does not
   * name.
   */
  readonly response?: Readonly<Record<number, JsonSchema | StandardSchema>> | StandardSchema
  /**
   * Replaces the server option `checkResponses` for this route: `'error'`, `'count'` or `'off'`. Default: the server's
   * option.
   */
  readonly checkResponses?: 'error' | 'count' | 'off'
  /**
   * Media types of bodies that `ctx.json()`, `ctx.request.json()` and the `body` schema accept, in lower case without
   * parameters. A body of another type, or without a `Content-Type` field, gets 415. Default: the server's `bodyTypes`,
   * `['application/json']`.
   *
   * `'application/json'` stands for every JSON format, including `text/json` and types that end in `+json`. With
   * `'application/x-www-form-urlencoded'` a `body` schema also checks forms, in the shape of a query. Bodies with any
   * other type in the list are read as JSON. `'*\/*'` accepts every body.
   *
   * A page from another site can make a browser send `text/plain`, `application/x-www-form-urlencoded` and untyped
   * bodies with the user's cookies. Only a JSON type causes a CORS preflight. A route that changes something and
   * accepts more than JSON therefore needs its own protection against cross-site requests, such as a token.
   */
  readonly bodyTypes?: readonly string[] | undefined
}

/** Route options with schemas, whose output types are the types in `ctx.valid`. */
export interface TypedRouteOptions<
  P extends Schema,
  Q extends Schema,
  H extends Schema,
  B extends Schema,
> extends RouteOptions {
  readonly params?: P
  readonly query?: Q
  readonly headers?: H
  readonly body?: B
}

type Schema = StandardSchema | undefined

type ValidatedBy<P, Q, H, B> = Validated<OutputOf<P>, OutputOf<Q>, OutputOf<H>, OutputOf<B>>

/** A registered route. */
export interface RouteInfo {
  /** The method; `*` for `all`. */
  readonly method: string
  /** The complete pattern, with the prefixes of groups: `/api/users/:id`. */
  readonly pattern: string
  /** The options of the route. */
  readonly options: RouteOptions
}

/** Registers a handler for one method. `Outer` contains the parameters of the group's prefix. */
export interface RouteMethod<Self, Outer extends object = NoParams> {
  /**
   * Registers a handler for a path.
   *
   * @param path The pattern: `/users/:id`, `/posts/:post?`, `/files/*path`
   * @throws {TypeError} if the pattern is invalid
   *
   * @example
   * router.get('/users/:id', (ctx) => ({ id: ctx.params.id }))
   */
  <const P extends string>(path: P, handler: Handler<Outer & PathParams<P>>): Self
  /** Registers a handler with options, such as schemas. The schemas' output is `ctx.valid`. */
  <
    const P extends string,
    PS extends Schema = undefined,
    Q extends Schema = undefined,
    H extends Schema = undefined,
    B extends Schema = undefined,
  >(
    path: P,
    options: TypedRouteOptions<PS, Q, H, B>,
    handler: Handler<Outer & PathParams<P>, ValidatedBy<PS, Q, H, B>>,
  ): Self
}

/** Registers handlers and middleware. */
export type Router = GroupRouter

/**
 * A router whose paths begin with a prefix. Its handlers also receive the parameters of the prefix, `Outer`.
 *
 * Middleware applies to the routes that are registered after it, in its router and the router's groups.
 */
export interface GroupRouter<Outer extends object = NoParams> extends RouterExtensions {
  /** The prefix of all paths; empty for the root router. */
  readonly prefix: string
  /** Handles GET, and HEAD if the path has no handler for HEAD. */
  readonly get: RouteMethod<this, Outer>
  /** Handles HEAD. Without a HEAD handler, the GET handler runs and its body is not sent. */
  readonly head: RouteMethod<this, Outer>
  /** Handles POST. */
  readonly post: RouteMethod<this, Outer>
  /** Handles PUT. */
  readonly put: RouteMethod<this, Outer>
  /** Handles PATCH. */
  readonly patch: RouteMethod<this, Outer>
  /** Handles DELETE. */
  readonly delete: RouteMethod<this, Outer>
  /** Handles OPTIONS. Without an OPTIONS handler, the response lists the methods of the path. */
  readonly options: RouteMethod<this, Outer>
  /** Handles every method without its own handler, except CONNECT and TRACE. */
  readonly all: RouteMethod<this, Outer>
  /** Registers a handler for any method, named in upper case. */
  route<const P extends string>(method: string, path: P, handler: Handler<Outer & PathParams<P>>): this
  /** Registers a handler for any method, with options such as schemas. The schemas' output is `ctx.valid`. */
  route<
    const P extends string,
    PS extends Schema = undefined,
    Q extends Schema = undefined,
    H extends Schema = undefined,
    B extends Schema = undefined,
  >(
    method: string,
    path: P,
    options: TypedRouteOptions<PS, Q, H, B>,
    handler: Handler<Outer & PathParams<P>, ValidatedBy<PS, Q, H, B>>,
  ): this
  /**
   * Adds middleware around the routes that are registered later, here and in groups. For one route, use its option `use`.
   */
  use(...middleware: readonly Middleware[]): this
  /**
   * Returns a router for the paths under a prefix. It has its own middleware, error handler and `notFound` handler.
   *
   * @throws {TypeError} if the prefix does not begin with `/`, ends with `/`, or has an optional part
   *
   * @example
   * const api = router.group('/api')
   * api.use(auth)
   * api.get('/users/:id', handler)   // /api/users/:id
   */
  group<const P extends string>(prefix: P): GroupRouter<Outer & PathParams<P>>
  /**
   * Iterates over the registered routes of this router and its groups, in registration order.
   *
   * @example
   * for (const { method, pattern } of router.routes()) console.log(method, pattern)   // GET /users/:id
   */
  routes(): IterableIterator<RouteInfo>
  /** Sets the error handler for these routes. It runs before the outer router's handler. */
  onError(handler: ErrorHandler): this
  /** Sets the handler for paths under the prefix that match no route. The status is already 404. */
  notFound(handler: Handler): this
}
