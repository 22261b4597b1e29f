import { anything, checkOptions, declaredRouteOptions, flag, func, type OptionKinds } from '@fw/options'
import type {
  Context,
  GroupRouter,
  OutputOf,
  PathParams,
  RouteOptions,
  StandardSchema,
  TypedRouteOptions,
  Validated,
} from '@fw/types'
import { runHandlers } from './connection/run-handlers.ts'
import { accept } from './handshake/accept.ts'
import { WEB_SOCKET_KINDS, WEB_SOCKET_MEANT, type WebSocketOptions, webSocketSettings } from './options.ts'
import type { WebSocketHandlers } from './handlers.ts'

type Schema = StandardSchema | undefined

/** Options of `webSocket`: those of `acceptWebSocket`, and those of a route without a body. */
export interface WebSocketRouteOptions<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  H extends Schema = undefined,
>
  extends
    WebSocketOptions,
    Omit<
      TypedRouteOptions<P, Q, H, undefined>,
      'body' | 'bodyTypes' | 'response' | 'checkResponses' | 'limits' | 'tunnels'
    > {
  /**
   * Calls `message` for the next message before the promise from the previous call has resolved. Off by default, so that messages
   * are handled in order and a slow handler makes the client wait.
   */
  readonly concurrent?: boolean | undefined
}

type AnyHandlers = WebSocketHandlers<Context<object>>

/**
 * Adds a route for WebSockets on HTTP/1.1, HTTP/2 and HTTP/3.
 *
 * Middleware runs before the handshake, and can refuse it like any request. A request that is not a handshake gets 426, or 400 on
 * HTTP/2 and HTTP/3. Pages from other origins get 403 unless `origins` allows them.
 *
 * @param path The pattern, as for `router.get`
 * @throws {TypeError | RangeError} if an option or a handler is unknown or invalid
 *
 * @example
 * webSocket(router, '/echo', { message: (socket, data) => socket.send(data) })
 */
export function webSocket<const P extends string, Outer extends object>(
  router: GroupRouter<Outer>,
  path: P,
  handlers: WebSocketHandlers<Context<Outer & PathParams<P>>>,
): void
/** Adds a route with options, such as middleware, schemas and limits. */
export function webSocket<
  const P extends string,
  Outer extends object,
  PS extends Schema = undefined,
  Q extends Schema = undefined,
  H extends Schema = undefined,
>(
  router: GroupRouter<Outer>,
  path: P,
  options: WebSocketRouteOptions<PS, Q, H>,
  handlers: WebSocketHandlers<
    Context<Outer & PathParams<P>, Validated<OutputOf<PS>, OutputOf<Q>, OutputOf<H>, undefined>>
  >,
): void
export function webSocket(router: GroupRouter<object>, path: string, ...rest: readonly object[]): void {
  const [options, handlers] = (rest.length > 1 ? rest : [{}, rest[0]]) as [WebSocketRouteOptions, AnyHandlers]
  checkHandlers(handlers)
  const { own, route, concurrent } = splitOptions(options)
  const settings = webSocketSettings('webSocket', own)
  router.get(path, { ...route, tunnels: ['websocket'] }, async (ctx: Context<object>) => {
    const result = await accept(ctx, settings, handlers.upgrade)
    if (result instanceof Response) return result
    runHandlers(result, handlers, concurrent)
    return undefined
  })
}

const HANDLERS: OptionKinds<WebSocketHandlers> = {
  upgrade: func,
  open: func,
  message: func,
  close: func,
  error: func,
}

function checkHandlers(handlers: object | undefined): void {
  checkOptions('webSocket handlers', handlers ?? {}, HANDLERS)
}

/** Options of a route that are useful without a body. `router.get` checks their values. */
const ROUTE_OPTIONS = { use: anything, timeoutMs: anything, params: anything, query: anything, headers: anything }

/**
 * Separates the options of the connection from those of the route.
 *
 * @throws {TypeError} if an option is unknown, or belongs to a route with a body
 */
function splitOptions(options: WebSocketRouteOptions): {
  readonly own: WebSocketOptions
  readonly route: RouteOptions
  readonly concurrent: boolean
} {
  const kinds = { ...declaredRouteOptions(), ...ROUTE_OPTIONS, ...WEB_SOCKET_KINDS, concurrent: flag }
  checkOptions<object>('webSocket', options, kinds, WEB_SOCKET_MEANT)
  const { concurrent = false, ...others } = options
  const entries = Object.entries(others)
  return {
    own: Object.fromEntries(entries.filter(isOwn)),
    route: Object.fromEntries(entries.filter((entry) => !isOwn(entry))),
    concurrent,
  }
}

function isOwn([name]: readonly [string, unknown]): boolean {
  return Object.hasOwn(WEB_SOCKET_KINDS, name)
}
