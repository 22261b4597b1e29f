import { showValue, withCode } from '@fw/options'
import type {
  ErrorHandler,
  Handler,
  Middleware,
  PathParams,
  GroupRouter,
  RouteInfo,
  RouteMethod,
  RouteOptions,
  Router,
} from '@fw/types'
import { compose, type Around, type Conclusion, type Step } from './compose.ts'
import { asContext } from '../context/as-context.ts'
import type { RequestContext } from '../context/context.ts'
import { isToken } from '../engine/fields/field-rules.ts'
import { missingExtension } from '../context/missing-extension.ts'
import type { Route, RouteScope, Routes } from './routes.ts'
import { discardResult } from '../response/handler-result.ts'
import { ANY_METHOD } from '../routing/route-leaf.ts'
import { checkRouteOptions, fixForMiddleware, nameOfRoute } from '../options/route-options.ts'
import type { ResponseChecks } from './response-checks.ts'
import { responseSchemas } from './response-schemas.ts'
import { serializerOf } from './serializers.ts'
import { isMiddlewareTraced, traceMiddleware } from './middleware-tracing.ts'
import { runHandler, runValidated } from './run-handler.ts'
import { respondToMiss, type RouteMiss } from './unrouted.ts'
import { validationOf } from './validation.ts'

/** Methods that must not be registered in lower case. Methods are case-sensitive, so `get` would never match. */
const WELL_KNOWN: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
  'CONNECT',
  'TRACE',
])

const USE_INSTEAD = 'Pass middleware to router.use(), or for one route in its option use.'

const CONCLUSION: Conclusion<RequestContext> = {
  conclude(context, result) {
    if (result !== undefined) context.setResult(result)
    else if (!context.hasResponse && !context.isTimedOut) {
      throw withCode(
        'FW_NO_RESPONSE',
        new Error(
          'router.use: middleware must respond or call next(), but did neither. Return a response or the result of next().',
        ),
      )
    }
  },
  hasResponse: (context) => context.hasResponse,
  discard: discardResult,
}

/** Implements the `Router` of an application and each of its groups. */
export class RouteGroup implements RouteScope {
  readonly prefix: string
  readonly #routes: Routes
  readonly #responseChecks: ResponseChecks
  readonly #parent: RouteGroup | undefined
  readonly #middleware: Middleware[] = []
  #errorHandler: ErrorHandler | undefined = undefined
  #notFoundHandler: Handler | undefined = undefined

  readonly get: RouteMethod<this> = this.#method('GET')
  readonly head: RouteMethod<this> = this.#method('HEAD')
  readonly post: RouteMethod<this> = this.#method('POST')
  readonly put: RouteMethod<this> = this.#method('PUT')
  readonly patch: RouteMethod<this> = this.#method('PATCH')
  readonly delete: RouteMethod<this> = this.#method('DELETE')
  readonly options: RouteMethod<this> = this.#method('OPTIONS')
  readonly all: RouteMethod<this> = this.#method(ANY_METHOD)

  constructor(routes: Routes, responseChecks: ResponseChecks, prefix: string = '', parent?: RouteGroup) {
    this.#routes = routes
    this.#responseChecks = responseChecks
    this.prefix = prefix
    this.#parent = parent
  }

  route<const P extends string>(method: string, path: P, handler: Handler<PathParams<P>>): this
  route<const P extends string>(method: string, path: P, options: RouteOptions, handler: Handler<PathParams<P>>): this
  route(method: string, path: string, ...rest: readonly unknown[]): this {
    if (typeof method !== 'string') {
      const fix = `Write router.route('GET', '/path', { …options }, handler).`
      throw withCode(
        'FW_INVALID_METHOD',
        new TypeError(`router.route: method must be a string, got ${showValue(method)}. ${fix}`),
      )
    }
    if (!isToken(method)) {
      throw withCode(
        'FW_INVALID_METHOD',
        new TypeError(`router.route: method must be a token, got ${showValue(method)}. Write, for example, 'GET'.`),
      )
    }
    const upper = method.toUpperCase()
    if (method !== upper && WELL_KNOWN.has(upper)) {
      throw withCode(
        'FW_INVALID_METHOD',
        new TypeError(`router.route: method must be in upper case, got ${showValue(method)}. Write '${upper}'.`),
      )
    }
    return this.#add(method, path, rest)
  }

  use(...middleware: readonly Middleware[]): this {
    this.#middleware.push(...checkMiddleware(middleware))
    return this
  }

  group<const P extends string>(prefix: P): GroupRouter<PathParams<P>>
  group(prefix: string, ...rest: readonly unknown[]): Router {
    const own = prefix === '/' ? '' : prefix
    if (rest.length > 0) {
      const fix = `Register routes on the returned group: const api = router.group('/api').`
      throw withCode(
        'FW_INVALID_ARGUMENT',
        new TypeError(`router.group: arguments must be one prefix, got ${rest.length + 1} arguments. ${fix}`),
      )
    }
    if (typeof own !== 'string' || (own !== '' && !own.startsWith('/'))) {
      throw withCode(
        'FW_INVALID_PATH',
        new TypeError(
          `router.group: prefix must be a path that starts with '/', got ${showValue(own)}. Write, for example, '/api'.`,
        ),
      )
    }
    const group = new RouteGroup(this.#routes, this.#responseChecks, this.prefix + own, this)
    // A group without a prefix covers the same paths as its parent. The parent responds to requests without a route.
    if (own !== '') this.#routes.addGroup(group)
    return group
  }

  onError(handler: ErrorHandler): this {
    if (!isHandler(handler)) throw notAHandler('router.onError', handler)
    this.#errorHandler = handler
    return this
  }

  notFound(handler: Handler): this {
    if (!isHandler(handler)) throw notAHandler('router.notFound', handler)
    this.#notFoundHandler = handler
    return this
  }

  /** Throws until `@fw/static/register` replaces it. */
  staticFiles(): never {
    throw missingExtension('router', 'staticFiles')
  }

  *routes(): IterableIterator<RouteInfo> {
    for (const { info, group } of this.#routes.added) if (this.#covers(group)) yield info
  }

  /** The middleware for routes that are registered now, outermost first. */
  get middlewareChain(): readonly Middleware[] {
    return this.#parent === undefined ? this.#middleware : [...this.#parent.middlewareChain, ...this.#middleware]
  }

  /** The error handlers, nearest first. */
  get errorHandlers(): readonly ErrorHandler[] {
    const outer = this.#parent?.errorHandlers ?? []
    return this.#errorHandler === undefined ? outer : [this.#errorHandler, ...outer]
  }

  /** The nearest handler for paths without a route. */
  get notFoundHandler(): Handler | undefined {
    return this.#notFoundHandler ?? this.#parent?.notFoundHandler
  }

  /** Returns the step that responds to a request under this prefix that matches no route. */
  missStep(miss: RouteMiss): Step<RequestContext> {
    return this.#wrap((context) => respondToMiss(context, miss, this.notFoundHandler))
  }

  #method(method: string | typeof ANY_METHOD): RouteMethod<this> {
    return (path: string, ...rest: readonly unknown[]) => this.#add(method, path, rest)
  }

  #add(method: string | typeof ANY_METHOD, path: string, rest: readonly unknown[]): this {
    const [options, handler] = rest.length > 1 ? rest : [{}, rest[0]]
    const methodName = method === ANY_METHOD ? '*' : method
    const pattern = this.#patternOf(methodName, path)
    const api = nameOfRoute({ method: methodName, pattern })
    if (rest.length > 2 || typeof options === 'function' || Array.isArray(options)) {
      const given = rest.map(showValue).join(', ')
      throw withCode(
        'FW_INVALID_ARGUMENT',
        new TypeError(`${api}: arguments must be a path, options and one handler, got ${given}. ${USE_INSTEAD}`),
      )
    }
    if (!isHandler(handler)) throw notAHandler(api, handler)
    const info: RouteInfo = { method: methodName, pattern, options: options as RouteOptions }
    checkRouteOptions(info)
    if (info.options.tunnels !== undefined && method !== 'GET' && method !== ANY_METHOD) {
      throw withCode(
        'FW_INVALID_OPTION',
        new TypeError(
          `${api}: option "tunnels" must be set on a GET route, got ${methodName}. Register it with get().`,
        ),
      )
    }
    const schemas = responseSchemas(info.options.response, api)
    const serialize = serializerOf(schemas, api)
    const validation = validationOf(info.options)
    const step = this.#wrap(
      validation === undefined
        ? (context) => runHandler(handler, context)
        : (context) => runValidated(validation, handler, context),
      [info.options.use ?? []].flat(),
    )
    const check = this.#responseChecks.of(info, schemas)
    const route: Route = {
      info,
      group: this,
      serialize: check?.before(serialize) ?? serialize,
      step: check?.prepareFor(step) ?? step,
    }
    this.#routes.add(method, pattern, route)
    // Otherwise a wildcard, such as the fallback of a single-page application, would match the prefix itself.
    if (path === '/' && this.prefix !== '' && this.#routes.joinsGroupRoot) {
      this.#routes.addImplied(method, this.prefix, route)
    }
    return this
  }

  /** Reports whether a router is this one or one of its groups. */
  #covers(group: RouteScope): boolean {
    for (let each: unknown = group; each instanceof RouteGroup; each = each.#parent) if (each === this) return true
    return false
  }

  #patternOf(method: string, path: string): string {
    if (typeof path !== 'string') {
      throw withCode(
        'FW_INVALID_PATH',
        new TypeError(`${method}: path must be a string, got ${showValue(path)}. Write, for example, '/users/:id'.`),
      )
    }
    const isPrefix = path === '' && this.prefix !== ''
    if (!isPrefix && !path.startsWith('/')) {
      const meant = path === '*' ? '/*path' : `/${path}`
      throw withCode(
        'FW_INVALID_PATH',
        new TypeError(`${method}: path must start with '/', got ${showValue(path)}. Write '${meant}'.`),
      )
    }
    return this.prefix + path
  }

  /** @param own The route's middleware, which runs inside the router's */
  #wrap(innermost: Step<RequestContext>, own: readonly Middleware[] = []): Step<RequestContext> {
    const chain = [...this.middlewareChain, ...own].map(
      (middleware): Around<RequestContext> =>
        (context, next) =>
          isMiddlewareTraced()
            ? traceMiddleware(middleware, asContext(context), next)
            : middleware(asContext(context), next),
    )
    return compose(chain, innermost, CONCLUSION)
  }
}

function checkMiddleware(given: readonly Middleware[]): readonly Middleware[] {
  for (const each of given) {
    if (typeof each === 'function') continue
    const fix = fixForMiddleware(each)
    throw withCode(
      'FW_INVALID_HANDLER',
      new TypeError(`router.use: middleware must be a function, got ${showValue(each)}. ${fix}`),
    )
  }
  return given
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

function notAHandler(api: string, given: unknown): TypeError {
  return withCode(
    'FW_INVALID_HANDLER',
    new TypeError(`${api}: handler must be a function, got ${showValue(given)}. Pass (ctx) => { … }.`),
  )
}
