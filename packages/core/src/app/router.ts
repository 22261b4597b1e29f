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
import { asContext, type RequestContext } from '../context/context.ts'
import { isToken } from '../engine/fields/field-rules.ts'
import { missingExtension } from '../context/missing-extension.ts'
import type { RouteScope, Routes } from './routes.ts'
import { ANY_METHOD } from '../routing/route-leaf.ts'
import { checkRouteOptions } from '../options/route-options.ts'
import { serializerOf } from './serializers.ts'
import { runHandler, runValidated } from './run-handler.ts'
import { respondToMiss, type RouteMiss } from './unrouted.ts'
import { validationOf } from './validation.ts'

/** Methods that people write in lower case by mistake; they are compared with case. */
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

const CONCLUSION: Conclusion<RequestContext> = {
  conclude(context, result) {
    if (context.isTimedOut) return
    if (result !== undefined) context.setResult(result)
    else if (!context.hasResponse) throw new Error('A middleware neither answered nor called next()')
  },
  hasResponse: (context) => context.hasResponse,
}

/** The `Router` of an application and each of its groups. */
export class RouteGroup implements RouteScope {
  readonly prefix: string
  readonly #routes: Routes
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

  constructor(routes: Routes, prefix: string = '', parent?: RouteGroup) {
    this.#routes = routes
    this.prefix = prefix
    this.#parent = parent
  }

  route<const P extends string>(method: string, path: P, handler: Handler<PathParams<P>>): this
  route<const P extends string>(method: string, path: P, options: RouteOptions, handler: Handler<PathParams<P>>): this
  route(method: string, path: string, ...rest: readonly unknown[]): this {
    if (typeof method !== 'string')
      throw new TypeError(`Cannot route: write route('GET', '/path', { …options }, handler)`)
    if (!isToken(method)) throw new TypeError(`Cannot route ${JSON.stringify(method)}: a method is a token`)
    const upper = method.toUpperCase()
    if (method !== upper && WELL_KNOWN.has(upper)) {
      throw new TypeError(`Cannot route '${method}': methods are compared with case, write '${upper}'`)
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
      throw new TypeError(
        `Cannot group '${own}': it takes the prefix and returns the group, const api = router.group('/api')`,
      )
    }
    if (typeof own !== 'string' || (own !== '' && !own.startsWith('/'))) {
      throw new TypeError(`Cannot group ${JSON.stringify(own)}: a prefix starts with '/'`)
    }
    const group = new RouteGroup(this.#routes, this.prefix + own, this)
    // Without a prefix of its own it has the paths of its parent, which speaks for those that no route takes.
    if (own !== '') this.#routes.addGroup(group)
    return group
  }

  onError(handler: ErrorHandler): this {
    if (typeof handler !== 'function') throw new TypeError('Cannot set onError: the handler is no function')
    this.#errorHandler = handler
    return this
  }

  notFound(handler: Handler): this {
    if (typeof handler !== 'function') throw new TypeError('Cannot set notFound: the handler is no function')
    this.#notFoundHandler = handler
    return this
  }

  /** Stands in for the method that the register entry of `@fw/static` installs. */
  staticFiles(): never {
    throw missingExtension('router', 'staticFiles')
  }

  /**
   * The middleware around what is registered here now, outermost first.
   *
   * @internal
   */
  get middlewareChain(): readonly Middleware[] {
    return this.#parent === undefined ? this.#middleware : [...this.#parent.middlewareChain, ...this.#middleware]
  }

  /**
   * The error handlers, nearest first.
   *
   * @internal
   */
  get errorHandlers(): readonly ErrorHandler[] {
    const outer = this.#parent?.errorHandlers ?? []
    return this.#errorHandler === undefined ? outer : [this.#errorHandler, ...outer]
  }

  /**
   * The nearest handler of paths without a route.
   *
   * @internal
   */
  get notFoundHandler(): Handler | undefined {
    return this.#notFoundHandler ?? this.#parent?.notFoundHandler
  }

  /**
   * What answers a request under this prefix that no route takes.
   *
   * @internal
   */
  missStep(miss: RouteMiss): Step<RequestContext> {
    return this.#wrap((context) => respondToMiss(context, miss, this.notFoundHandler))
  }

  #method(method: string | typeof ANY_METHOD): RouteMethod<this> {
    return (path: string, ...rest: readonly unknown[]) => this.#add(method, path, rest)
  }

  #add(method: string | typeof ANY_METHOD, path: string, rest: readonly unknown[]): this {
    const [options, handler] = rest.length > 1 ? rest : [{}, rest[0]]
    const pattern = this.#patternOf(path)
    const name = method === ANY_METHOD ? '*' : method
    if (rest.length > 2 || typeof options === 'function' || Array.isArray(options)) {
      throw new TypeError(
        `Cannot route ${name} '${pattern}': it takes options, then one handler; middleware goes to use(), or for one route into its options: { use: … }`,
      )
    }
    if (!isHandler(handler)) throw new TypeError(`Cannot route ${name} '${pattern}': the handler is no function`)
    if (typeof options !== 'object' || options === null) {
      throw new TypeError(`Cannot route ${name} '${pattern}': the options are no object`)
    }
    const info: RouteInfo = { method: name, pattern, options }
    checkRouteOptions(info)
    const what = `${name} '${pattern}'`
    const serialize = serializerOf(info.options.response, what)
    const validation = validationOf(info.options, what)
    const step = this.#wrap(
      validation === undefined
        ? (context) => runHandler(handler, context)
        : (context) => runValidated(validation, handler, context),
      checkMiddleware([info.options.use ?? []].flat()),
    )
    this.#routes.add(method, pattern, { info, group: this, serialize, step })
    return this
  }

  #patternOf(path: string): string {
    if (typeof path !== 'string') throw new TypeError(`Cannot route ${String(path)}: a path pattern is a string`)
    const isPrefix = path === '' && this.prefix !== ''
    if (!isPrefix && !path.startsWith('/')) {
      const meant = path === '*' ? '/*path' : `/${path}`
      throw new TypeError(`Cannot route '${path}': it does not start with '/', write '${meant}'`)
    }
    return this.prefix + path
  }

  /** @param own Middleware that is further in than that of the router */
  #wrap(innermost: Step<RequestContext>, own: readonly Middleware[] = []): Step<RequestContext> {
    const chain = [...this.middlewareChain, ...own].map(
      (middleware): Around<RequestContext> =>
        (context, next) =>
          middleware(asContext(context), next),
    )
    return compose(chain, innermost, CONCLUSION)
  }
}

function checkMiddleware(given: readonly Middleware[]): readonly Middleware[] {
  for (const each of given) {
    if (typeof each === 'function') continue
    let hint = ''
    if (typeof each === 'string') hint = `; for some paths only, use group('${String(each)}')`
    else if (isRouter(each)) hint = `; routes of their own are registered on router.group('/prefix')`
    throw new TypeError(`Cannot use a value of type ${typeof each}: middleware is a function${hint}`)
  }
  return given
}

function isRouter(value: unknown): boolean {
  return value instanceof RouteGroup
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}
