import type { Context } from '@fw/types'
import { accept } from './handshake/accept.ts'
import { type WebSocketOptions, webSocketSettings } from './options.ts'
import type { ServerWebSocket } from './server-web-socket.ts'

/**
 * Accepts a WebSocket in a handler, for routes with the option `tunnels: ['websocket']`. `webSocket()` adds such a route.
 *
 * Middleware has run, and the fields that it has set are sent with the response. The connection stays open after the handler has
 * returned. `await using` closes it at the end of the handler.
 *
 * @throws {TypeError | RangeError} if an option is unknown or out of range
 * @throws {HttpError} 426 if the request is not a WebSocket handshake, 400 if it is malformed
 * @throws {HttpError} 403 if its origin is not allowed, 503 if a limit is exceeded or the server is closing
 *
 * @example
 * router.get('/echo', { tunnels: ['websocket'] }, async (ctx) => {
 *   await using socket = await acceptWebSocket(ctx)
 *   for await (const message of socket) await socket.send(message)
 * })
 */
export async function acceptWebSocket<C extends Context<object>>(
  ctx: C,
  options?: WebSocketOptions,
): Promise<ServerWebSocket<C>> {
  // Without the function `upgrade`, the result is a connection.
  return (await accept(ctx, webSocketSettings('acceptWebSocket', options))) as ServerWebSocket<C>
}
