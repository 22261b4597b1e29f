import type { Exchange, Refusal, Router } from '@fw/types'
import { compileTrust, type TrustProxy } from '@fw/client-address'
import { anything, checkOptions, func, type OptionKinds, options as nested, withCode } from '@fw/options'
import { rememberApp } from './app-of.ts'
import type { Step } from './compose.ts'
import type { ContextHost } from '../context/context-host.ts'
import { JSON_ONLY } from '../context/content-type.ts'
import { RequestContext } from '../context/context.ts'
import { DrainNotice } from '../context/listeners.ts'
import { MemoryExchange } from '../memory/exchange.ts'
import { handleFailure } from './failure.ts'
import { HttpError } from '../response/http-error.ts'
import { ALLOWED_HOSTS, AllowedHosts } from '../options/allowed-hosts.ts'
import { BODY_TYPES } from '../options/body-types.ts'
import { CHECK_RESPONSES, defaultCheck } from '../options/check-responses.ts'
import { LIMIT_KINDS, resolveLimits, type Limits } from '../options/limits.ts'
import { memoryFault } from '../memory/memory-fault.ts'
import { memoryRequest, type MemoryRequest } from '../memory/request.ts'
import { wholeResponse } from '../memory/response.ts'
import { parseRequestTarget } from '../engine/semantics/request-target.ts'
import { isTraced } from '../engine/tracing/request-trace.ts'
import { rejectionStatus } from '../engine/semantics/verdict.ts'
import { type CheckedResponses, ResponseChecks } from './response-checks.ts'
import { RouteGroup } from './router.ts'
import { NO_PARAMS } from '../routing/route-table.ts'
import { Routes, type RouteScope } from './routes.ts'
import { resolveRouting, ROUTING_KINDS, type RoutingOptions } from '../options/routing-options.ts'
import { sendResponse } from './send-response.ts'
import { trace, traceError, traceRefusal } from './tracing.ts'
import { respondNotFound } from './unrouted.ts'

/** Receives an error that no handler handled. `message` names the request or the callback that failed. */
export type ErrorReporter = (message: string, error: unknown) => void

/** Maximum number of distinct notices. Without it, field names that come from requests would fill memory. */
const MAX_NOTICES = 100

/** Options of an `App`. */
export interface AppOptions {
  /** Limits that apply without a protocol engine: `maxBodyBytes`, `maxFormFields` and `maxFileBytes`. */
  readonly limits?: Partial<Limits>
  /**
   * Media types of bodies that `ctx.json()`, `ctx.request.json()` and schemas accept; a route can override this option.
   * Default: JSON formats.
   */
  readonly bodyTypes?: readonly string[] | undefined
  /** Checks JSON results against the `response` schemas; see `ServerOptions`. */
  readonly checkResponses?: 'error' | 'count' | 'off' | undefined
  /** Proxies whose forwarding fields are trusted for the client's address. Default: none. */
  readonly trustProxy?: TrustProxy | undefined
  /** Hosts that requests can name; requests for other hosts get 421. Default: every host. See `ServerOptions`. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Rules for trailing slashes and letter case in paths. */
  readonly routing?: RoutingOptions
  /** Receives errors that no error handler has handled. Default: `console.error`. */
  readonly onError?: ErrorReporter
  /** Receives at most one message per route and kind of result that does not match the schemas. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  /**
   * Receives messages about changes that have no effect, such as a field that is set after the head was sent. Receives
   * each distinct message only once. Default: none.
   */
  readonly onNotice?: (message: string) => void
}

const APP_KINDS: OptionKinds<AppOptions> = {
  limits: nested<Partial<Limits>>(LIMIT_KINDS),
  bodyTypes: BODY_TYPES,
  checkResponses: CHECK_RESPONSES,
  // `compileTrust` checks this option.
  trustProxy: anything,
  allowedHosts: ALLOWED_HOSTS,
  routing: nested<RoutingOptions>(ROUTING_KINDS),
  onError: func,
  onWarning: func,
  onNotice: func,
}

/** Routes exchanges to handlers and sends their responses. Does not depend on a protocol engine. */
export class App {
  /** The root router, on which handlers and middleware are registered. */
  readonly router: Router
  readonly #root: RouteGroup
  readonly #routes: Routes
  readonly #responseChecks: ResponseChecks
  readonly #drainNotice = new DrainNotice()
  readonly #allowedHosts: AllowedHosts | undefined
  readonly #host: ContextHost<RequestContext>

  /**
   * Creates an application without routes.
   *
   * @throws {TypeError} if an option is unknown or has the wrong type
   * @throws {RangeError} if a limit or the number of proxies is out of range
   */
  constructor(options: AppOptions = {}) {
    checkOptions('App', options, APP_KINDS)
    const { routing, trustProxy, bodyTypes = JSON_ONLY, checkResponses = defaultCheck() } = options
    const { onError = console.error, onWarning = console.warn, onNotice = () => {} } = options
    const limits = resolveLimits(options.limits)
    const notices = new Set<string>()
    this.#allowedHosts = options.allowedHosts && new AllowedHosts(options.allowedHosts)
    this.#routes = new Routes(resolveRouting(routing))
    this.#responseChecks = new ResponseChecks(checkResponses, (message) => {
      try {
        onWarning(message)
      } catch {
        // Ignore the error: requests must continue.
      }
    })
    this.#root = new RouteGroup(this.#routes, this.#responseChecks)
    this.router = this.#root
    rememberApp(this.router, this)
    this.#host = {
      limits,
      bodyTypes,
      trust: trustProxy === undefined ? undefined : compileTrust(trustProxy, 'App'),
      trustsProxy: trustProxy === undefined ? undefined : trustProxy !== false,
      allowsHost: this.#allowedHosts && ((authority) => this.#allowedHosts?.allows(authority) === true),
      report: (message, error) => {
        try {
          onError(message, error)
        } catch {
          // Ignore the error: there is no other reporter, and requests must continue.
        }
      },
      notice: (message) => {
        if (notices.size >= MAX_NOTICES || notices.has(message)) return
        notices.add(message)
        try {
          onNotice(message)
        } catch {
          // Ignore the error: requests must continue.
        }
      },
      drainNotice: this.#drainNotice,
      notFound: (context) => respondNotFound(context, this.#groupOf(context.path).notFoundHandler),
    }
  }

  /** Counts of the responses that have been checked against schemas so far. */
  get checkedResponses(): CheckedResponses {
    return this.#responseChecks.counts
  }

  /** Whether any route accepts tunnels, so that engines announce extended CONNECT. */
  get hasTunnels(): boolean {
    return this.#routes.hasTunnels
  }

  /** Responds to an exchange. Never throws: an error becomes a response or aborts the exchange. */
  handle(exchange: Exchange): void {
    if (this.#allowedHosts?.allows(exchange.authority) === false) {
      this.#refuseHost(exchange)
      return
    }
    const { method } = exchange
    const target = parseRequestTarget(method, exchange.target)
    const protocol = method === 'CONNECT' ? exchange.upgradeProtocol : undefined
    const found = this.#routes.find(method, target, protocol)
    if (found.kind === 'match') {
      const { info, group, step, serialize } = found.value
      const context = new RequestContext(exchange, target, info, found.params, this.#host, serialize)
      // A route for every method also handles OPTIONS, but a preflight concerns the route for another method.
      if (method === 'OPTIONS') context.routesOfPath = this.#routes.ofPath(target.path)
      if (info.options.timeoutMs !== undefined) this.#startTimeout(context, group, info.options.timeoutMs)
      this.#start(context, group, step)
      return
    }
    const group = this.#groupOf(target.path)
    const context = new RequestContext(exchange, target, undefined, NO_PARAMS, this.#host)
    if ('routes' in found) context.routesOfPath = found.routes
    this.#start(context, group, group.missStep(found))
  }

  /**
   * Reports whether the routes respond to a request, including with a redirect, an `Allow` list or an error. Returns `false`
   * if the path has no route, or only routes for other methods.
   */
  takes(method: string, target: string): boolean {
    const { kind } = this.#routes.find(method, parseRequestTarget(method, target))
    return kind !== 'not-found' && kind !== 'other-methods'
  }

  /** Publishes a request that an engine rejected, and notifies the middleware of the root router. */
  refused(refusal: Refusal): void {
    traceRefusal(refusal)
    for (const middleware of this.#root.middlewareChain) {
      try {
        middleware.refused?.(refusal)
      } catch (error) {
        this.#host.report('A refused() method of middleware threw', error)
      }
    }
  }

  /** Notifies in-flight requests that the server is starting to close (`ctx.onDrain`). */
  drain(): void {
    this.#drainNotice.give()
  }

  /**
   * Responds to a request as a server would, but without a socket. Resolves a relative URL against `http://localhost`.
   *
   * @throws {TypeError} if the application aborted the exchange
   * @throws the reason from `signal`, if it aborts
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    try {
      return this.respond(memoryRequest(input, init), undefined)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Responds to a request without a socket. Rejects the requests that an engine would reject before routing. */
  respond(request: MemoryRequest, remoteAddress: string | undefined): Promise<Response> {
    const rejected = memoryFault(request)
    if (rejected !== undefined) {
      const { method, target } = request
      const [status, { reason }] = [rejectionStatus(rejected), rejected]
      this.refused({ status, reason, protocol: 'HTTP/1.1', remoteAddress, method, target, bodyBytes: 0, durationMs: 0 })
      return Promise.resolve(wholeResponse(status, [], null))
    }
    const exchange = new MemoryExchange(request, remoteAddress)
    this.handle(exchange)
    return exchange.response
  }

  /** Responds with 421 before any middleware runs. The connection can still serve requests for other hosts. */
  #refuseHost(exchange: Exchange): void {
    const { protocol, remoteAddress, method, target } = exchange
    exchange.respond(421, [], null)
    const reason = 'The host is not one of allowedHosts'
    this.refused({ status: 421, reason, protocol, remoteAddress, method, target, bodyBytes: 0, durationMs: 0 })
  }

  #groupOf(path: string): RouteScope {
    return this.#routes.groupOf(path) ?? this.#root
  }

  #start(context: RequestContext, group: RouteScope, step: Step<RequestContext>): void {
    if (isTraced()) trace(context, () => this.#run(context, group, step))
    else this.#run(context, group, step)
  }

  /** Runs a step, and responds to any error that it throws. */
  #run(context: RequestContext, group: RouteScope, step: Step<RequestContext>): void {
    try {
      const running = step(context)
      if (running === undefined) this.#send(context, group)
      else {
        running.then(
          () => this.#send(context, group),
          (error: unknown) => this.#fail(error, context, group),
        )
      }
    } catch (error) {
      this.#fail(error, context, group)
    }
  }

  /** Sends the prepared response, unless the timeout has expired. Never throws. */
  #send(context: RequestContext, group: RouteScope): void {
    if (context.isTimedOut) return
    try {
      sendResponse(context)?.catch((error: unknown) => this.#fail(error, context, group))
    } catch (error) {
      this.#fail(error, context, group)
    }
  }

  #fail(error: unknown, context: RequestContext, group: RouteScope): void {
    // Another context responds after the timeout.
    if (context.isTimedOut) return
    traceError(context, error)
    void handleFailure(error, context, group.errorHandlers)
  }

  /** Responds with 503 if the response has not begun after `timeoutMs`. */
  #startTimeout(context: RequestContext, group: RouteScope, timeoutMs: number): void {
    const timer = setTimeout(() => {
      if (context.headSent) return
      const error = withCode('FW_ROUTE_TIMEOUT', new HttpError(503, 'The response took too long'))
      traceError(context, error)
      void handleFailure(error, context.handOver(error), group.errorHandlers)
    }, timeoutMs)
    context.onFinish(() => clearTimeout(timer))
  }
}
