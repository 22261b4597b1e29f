import { HttpError, withCode } from '@fw/options'
import type { Context } from '@fw/types'
import type { WebSocketSettings } from '../options.ts'
import { metrics } from '../metrics.ts'

/** Seconds after which a refused client can retry. */
const RETRY_SECONDS = 5

type Limit = 'maxSockets' | 'maxSocketsPerAddress' | 'maxSocketsPerConnection'

/** Number of open sockets by key. */
type Counts = Map<string, number>

/** Key of all sockets of a route. Addresses never contain a slash. */
const WHOLE_ROUTE = '/'
const NO_ROUTE = {}

const byRoute = new WeakMap<object, Counts>()
/** Sockets of each connection, for all routes: they share its streams. */
const byConnection: Counts = new Map()

/**
 * Counts a socket.
 *
 * @returns A function that removes it again. Further calls have no effect
 * @throws {HttpError} 503 if the socket exceeds a limit
 */
export function admit(ctx: Context<object>, settings: WebSocketSettings): () => void {
  const route = ctx.route ?? NO_ROUTE
  let counts = byRoute.get(route)
  if (counts === undefined) byRoute.set(route, (counts = new Map()))
  const { clientAddress } = ctx
  const connection = connectionOf(ctx)
  require(counts, WHOLE_ROUTE, settings.maxSockets, 'maxSockets')
  if (clientAddress !== undefined) {
    require(counts, clientAddress, settings.maxSocketsPerAddress, 'maxSocketsPerAddress')
  }
  if (connection !== undefined) {
    require(byConnection, connection, settings.maxSocketsPerConnection, 'maxSocketsPerConnection')
  }
  const counted: readonly (readonly [Counts, string | undefined])[] = [
    [counts, WHOLE_ROUTE],
    [counts, clientAddress],
    [byConnection, connection],
  ]
  for (const [map, key] of counted) add(map, key, 1)
  let isCounted = true
  return () => {
    if (isCounted) for (const [map, key] of counted) add(map, key, -1)
    isCounted = false
  }
}

/** Returns a key for the connection of a request; `undefined` on HTTP/1.1, whose connections carry only one socket. */
function connectionOf({ protocol, exchange }: Context<object>): string | undefined {
  const { remoteAddress, remotePort } = exchange
  return protocol === 'HTTP/1.1' || remotePort === undefined ? undefined : `${protocol} ${remoteAddress} ${remotePort}`
}

function require(counts: Counts, key: string, max: number, limit: Limit): void {
  if (max === 0 || (counts.get(key) ?? 0) < max) return
  if (metrics.refuse.hasSubscribers) metrics.refuse.publish({ limit })
  throw withCode(
    'FW_TOO_MANY_SOCKETS',
    new HttpError(503, 'Too many WebSockets are open', { 'retry-after': String(RETRY_SECONDS) }),
  )
}

function add(counts: Counts, key: string | undefined, difference: number): void {
  if (key === undefined) return
  const count = (counts.get(key) ?? 0) + difference
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
