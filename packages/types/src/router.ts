import type { RouterExtensions } from './extensions.ts'
import type { ErrorHandler, Handler, Middleware } from './handler.ts'
import type { NoParams, PathParams } from './path-params.ts'
import type { JsonSchema, OutputOf, StandardSchema, Validated } from './standard-schema.ts'

/** What may be said about a route beside its handler. */
export interface RouteOptions {
  /** Middleware of this route alone, further in than that of its router; it runs before the request is checked. */
  readonly use?: Middleware | readonly Middleware[]
  /** Limits of this route, in place of those of the server. */
  readonly limits?: {
    /** Largest request body in bytes; over it the response is 413. */
    readonly maxBodyBytes?: number
    /** Most fields of a form (`application/x-www-form-urlencoded`); over it the response is 413. */
    readonly maxFormFields?: number
  }
  /**
   * Milliseconds until a response must begin. No limit by default. Then `ctx.signal` aborts, and error handlers get an
   * `HttpError` of status 503 and their own context, so that they answer instead of the handler. A result that the
   * handler returns later is not sent, and a stream is cancelled.
   */
  readonly timeoutMs?: number
  /** Checks the decoded parameters; what it makes of them is `ctx.valid.params`. */
  readonly params?: StandardSchema | undefined
  /** Checks the query: a string for each name, an array of them for a name that is repeated. */
  readonly query?: StandardSchema | undefined
  /** Checks the header fields by name in lower case. */
  readonly headers?: StandardSchema | undefined
  /** Checks the body, which `bodyTypes` says how to read. It is read before the handler runs. */
  readonly body?: StandardSchema | undefined
  /**
   * JSON Schemas of what is answered, by status, compiled to serializers: members that a schema does not name are left
   * out. A Standard Schema that can tell its JSON Schema stands for status 200.
   */
  readonly response?: Readonly<Record<number, JsonSchema>> | StandardSchema
  /**
   * Media types of bodies that `ctx.json()` and the `body` schema accept, in lower case without parameters. Any other body
   * gets 415, and so does one without a `Content-Type` field. Default: those of the server, `['application/json']`.
   *
   * `'application/json'` stands for every JSON format: `text/json` and types that end in `+json` too. With
   * `'application/x-www-form-urlencoded'` a `body` schema also checks forms, in the shape of a query. Bodies of any other
   * type in the list are read as JSON. `'*\/*'` accepts every body.
   *
   * A page of another site can have a browser send `text/plain`, `application/x-www-form-urlencoded` and untyped bodies,
   * with the cookies of its user and without asking first (CORS). A JSON type makes the browser ask. So a route that
   * changes something and accepts more than JSON needs its own protection against cross-site requests, such as a token.
   */
  readonly bodyTypes?: readonly string[] | undefined
}

/** Route options whose schemas tell the types of `ctx.valid`. */
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

/** A route as it was registered. */
export interface RouteInfo {
  /** As registered; `*` for `all`. */
  readonly method: string
  /** The whole pattern, prefixes of groups included: `/api/users/:id`. */
  readonly pattern: string
  readonly options: RouteOptions
}

/** Registers a handler for one method. `Outer` are the parameters of the prefix. */
export interface RouteMethod<Self, Outer extends object = NoParams> {
  <const P extends string>(path: P, handler: Handler<Outer & PathParams<P>>): Self
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

/** Where handlers and middleware are registered. */
export type Router = GroupRouter

/**
 * A router whose paths start with a prefix; its handlers are given the parameters of that, `Outer`, too.
 *
 * Middleware affects the routes registered after it, in its router and that router's groups.
 */
export interface GroupRouter<Outer extends object = NoParams> extends RouterExtensions {
  /** Prefix of every path registered here; empty at the root. */
  readonly prefix: string
  /** Answers GET, and HEAD where that has no handler of its own. */
  readonly get: RouteMethod<this, Outer>
  readonly head: RouteMethod<this, Outer>
  readonly post: RouteMethod<this, Outer>
  readonly put: RouteMethod<this, Outer>
  readonly patch: RouteMethod<this, Outer>
  readonly delete: RouteMethod<this, Outer>
  /** Answers OPTIONS in place of the list of methods that is sent otherwise. */
  readonly options: RouteMethod<this, Outer>
  /** Answers every method that has no handler of its own, but for CONNECT and TRACE. */
  readonly all: RouteMethod<this, Outer>
  /** Registers a handler for any method, by its name in upper case. */
  route<const P extends string>(method: string, path: P, handler: Handler<Outer & PathParams<P>>): this
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
   * Adds middleware around the routes that are registered after this, here and in groups. That of one route stands in its
   * options, `{ use }`.
   */
  use(...middleware: readonly Middleware[]): this
  /**
   * A router of the paths that start with a prefix, with middleware, error handler and response to unknown paths of its own.
   *
   * @throws {TypeError} if the prefix does not start with `/`, ends with one, or holds what can be left out
   *
   * @example
   * const api = router.group('/api')
   * api.use(auth)
   * api.get('/users/:id', handler)   // /api/users/:id
   */
  group<const P extends string>(prefix: P): GroupRouter<Outer & PathParams<P>>
  /** Sets what is asked for a response to an error of the routes here, before that of the router outside. */
  onError(handler: ErrorHandler): this
  /** Sets what answers paths here that no route takes, with the status already 404. */
  notFound(handler: Handler): this
}
