import type { Exchange, Refusal, Router } from '@fw/types'
import { compileTrust, type TrustProxy } from '@fw/client-address'
import { anything, checkOptions, func, type OptionKinds, options as nested } from '@fw/options'
import { rememberApp } from './app-of.ts'
import type { Step } from './compose.ts'
import type { ContextHost } from '../context/context-host.ts'
import { JSON_ONLY } from '../context/content-type.ts'
import { RequestContext } from '../context/context.ts'
import { DrainNotice } from '../context/listeners.ts'
import { MemoryExchange } from '../memory/exchange.ts'
import { handleFailure } from './failure.ts'
import { HttpError } from '../response/http-error.ts'
import { BODY_TYPES } from '../options/body-types.ts'
import { LIMIT_KINDS, resolveLimits, type Limits } from '../options/limits.ts'
import { memoryRequest } from '../memory/request.ts'
import { parseRequestTarget } from '../engine/semantics/request-target.ts'
import { RouteGroup } from './router.ts'
import { NO_PARAMS } from '../routing/route-table.ts'
import { Routes, type RouteScope } from './routes.ts'
import { resolveRouting, ROUTING_KINDS, type RoutingOptions } from '../options/routing-options.ts'
import { sendResponse } from './send-response.ts'
import { isTraced, trace, traceError } from './tracing.ts'
import { respondNotFound } from './unrouted.ts'

/** Takes an error that nobody handled, with what was being done. */
export type ErrorReporter = (message: string, error: unknown) => void

/** Mistakes of a program are few; those made from input must not fill the memory. */
const MAX_NOTICES = 100

/** What an `App` is made with. */
export interface AppOptions {
  /** Those that hold without an engine: `maxBodyBytes` and `maxFormFields`. */
  readonly limits?: Partial<Limits>
  /** Media types of bodies that `ctx.json()` and schemas accept, unless the route names others: JSON formats unless given. */
  readonly bodyTypes?: readonly string[] | undefined
  /** Which proxies are believed about the address of a client; none unless given. */
  readonly trustProxy?: TrustProxy | undefined
  /** How paths are compared with the patterns of routes. */
  readonly routing?: RoutingOptions
  /** Takes what nobody caught; it goes to standard error unless given. */
  readonly onError?: ErrorReporter
  /** Takes what is without effect in the program, such as a field that is set after the head was sent; each once. */
  readonly onNotice?: (message: string) => void
}

const APP_KINDS: OptionKinds<AppOptions> = {
  limits: nested<Partial<Limits>>(LIMIT_KINDS),
  bodyTypes: BODY_TYPES,
  // `compileTrust` checks it.
  trustProxy: anything,
  routing: nested<RoutingOptions>(ROUTING_KINDS),
  onError: func,
  onNotice: func,
}

/** The application above the protocol engines: routes, and what becomes of an exchange. */
export class App {
  readonly router: Router
  readonly #root: RouteGroup
  readonly #routes: Routes
  readonly #drainNotice = new DrainNotice()
  readonly #host: ContextHost<RequestContext>

  /**
   * @throws {TypeError} if an option does not exist or a value has the wrong type
   * @throws {RangeError} if a limit or the number of proxies is out of range
   */
  constructor(options: AppOptions = {}) {
    checkOptions('App', options, APP_KINDS)
    const { routing, trustProxy, bodyTypes = JSON_ONLY, onError = console.error, onNotice = () => {} } = options
    const limits = resolveLimits(options.limits)
    const notices = new Set<string>()
    this.#routes = new Routes(resolveRouting(routing))
    this.#root = new RouteGroup(this.#routes)
    this.router = this.#root
    rememberApp(this.router, this)
    this.#host = {
      limits,
      bodyTypes,
      trust: trustProxy === undefined ? undefined : compileTrust(trustProxy, 'App'),
      report: (message, error) => {
        try {
          onError(message, error)
        } catch {
          // A reporter that fails has nobody to tell, and the requests go on.
        }
      },
      notice: (message) => {
        if (notices.size >= MAX_NOTICES || notices.has(message)) return
        notices.add(message)
        try {
          onNotice(message)
        } catch {
          // As above.
        }
      },
      drainNotice: this.#drainNotice,
      notFound: (context) => respondNotFound(context, this.#groupOf(context.path).notFoundHandler),
    }
  }

  /** Answers an exchange. Never throws; what goes wrong becomes a response or ends the exchange. */
  handle(exchange: Exchange): void {
    const { method } = exchange
    const target = parseRequestTarget(method, exchange.target)
    const found = this.#routes.find(method, target)
    if (found.kind === 'match') {
      const { info, group, step, serialize } = found.value
      const context = new RequestContext(exchange, target, info, found.params, this.#host, serialize)
      if (info.options.timeoutMs !== undefined) this.#startTimeout(context, group, info.options.timeoutMs)
      this.#start(context, group, step)
      return
    }
    const group = this.#groupOf(target.path)
    this.#start(new RequestContext(exchange, target, undefined, NO_PARAMS, this.#host), group, group.missStep(found))
  }

  /**
   * Whether the routes are to answer a request, be it by a redirect, a list of methods or the refusal of its path. They are
   * not where nothing is registered for the path, or only for other methods.
   */
  takes(method: string, target: string): boolean {
    const { kind } = this.#routes.find(method, parseRequestTarget(method, target))
    return kind !== 'not-found' && kind !== 'other-methods'
  }

  /** Tells the middleware of the root router about a request that an engine refused. */
  refused(refusal: Refusal): void {
    for (const middleware of this.#root.middlewareChain) {
      try {
        middleware.refused?.(refusal)
      } catch (error) {
        this.#host.report('A middleware threw in refused()', error)
      }
    }
  }

  /** Tells running requests that the server begins to close (`ctx.onDrain`). */
  drain(): void {
    this.#drainNotice.give()
  }

  /**
   * Answers a request without a network, as a server would. A relative address is one of `http://localhost`.
   *
   * @throws {TypeError} if the application ended the exchange without a response; the signal's reason if it was aborted
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    let exchange: MemoryExchange
    try {
      exchange = new MemoryExchange(memoryRequest(input, init))
    } catch (error) {
      return Promise.reject(error)
    }
    this.handle(exchange)
    return exchange.response
  }

  #groupOf(path: string): RouteScope {
    return this.#routes.groupOf(path) ?? this.#root
  }

  #start(context: RequestContext, group: RouteScope, step: Step<RequestContext>): void {
    if (isTraced()) trace(context, () => this.#run(context, group, step))
    else this.#run(context, group, step)
  }

  /** The one place where a throw becomes a response. */
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

  /** Sends what was prepared, but for what comes too late. Never throws. */
  #send(context: RequestContext, group: RouteScope): void {
    if (context.isTimedOut) return
    try {
      sendResponse(context)?.catch((error: unknown) => this.#fail(error, context, group))
    } catch (error) {
      this.#fail(error, context, group)
    }
  }

  #fail(error: unknown, context: RequestContext, group: RouteScope): void {
    // What was too late has its response.
    if (context.isTimedOut) return
    traceError(context, error)
    void handleFailure(error, context, group.errorHandlers, this.#host)
  }

  /** Responses in place of a handler that has not begun its response in time. */
  #startTimeout(context: RequestContext, group: RouteScope, timeoutMs: number): void {
    const timer = setTimeout(() => {
      if (context.headSent) return
      const error = new HttpError(503, 'The response took too long')
      traceError(context, error)
      void handleFailure(error, context.handOver(error), group.errorHandlers, this.#host)
    }, timeoutMs)
    context.onFinish(() => clearTimeout(timer))
  }
}
