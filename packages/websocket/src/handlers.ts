import type { Context } from '@fw/types'
import type { ServerWebSocket, WebSocketClose, WebSocketMessage } from './server-web-socket.ts'

/**
 * The handlers of a WebSocket route. All are optional.
 *
 * An error that a handler throws is logged, passed to `error`, and closes the connection with 1011.
 */
export interface WebSocketHandlers<C extends Context<object> = Context> {
  /**
   * Called after the checks of the handshake, and before the response. Set response fields here. To refuse the client, throw an
   * `HttpError` or return a `Response`.
   */
  readonly upgrade?: (ctx: C) => unknown
  /** Called when the connection is open. Messages wait for the promise that it returns. */
  readonly open?: (socket: ServerWebSocket<C>) => unknown
  /** Called for each message. The next one waits for the promise that it returns, unless the route is `concurrent`. */
  readonly message?: (socket: ServerWebSocket<C>, data: WebSocketMessage) => unknown
  /** Called once when the connection has closed, for any reason. */
  readonly close?: (socket: ServerWebSocket<C>, close: WebSocketClose) => unknown
  /** Called for an error that another handler has thrown, and for an invalid frame. The connection is closing. */
  readonly error?: (socket: ServerWebSocket<C>, error: unknown) => unknown
}
