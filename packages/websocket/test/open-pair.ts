import {
  type ServerWebSocket,
  webSocket,
  type WebSocketClose,
  type WebSocketHandlers,
  type WebSocketRouteOptions,
} from '../src/index.ts'
import { type Frame, TEXT } from './frames.ts'
import { type Carrier, type Fields, openRaw, type RawClient } from './raw-client.ts'
import { serve, type Served } from './serve.ts'

/** Returns a text frame. */
export const text = (payload: string, more: Partial<Frame> = {}): Frame => ({
  opcode: TEXT,
  payload: Buffer.from(payload),
  ...more,
})
/** Intervals of `expect.poll`, for conditions that hold soon. */
export const WAIT = { interval: 2 }

/** A client, and the other end of its connection. */
export interface Opened extends AsyncDisposable {
  readonly served: Served
  readonly client: RawClient
  readonly socket: ServerWebSocket
  readonly closes: readonly WebSocketClose[]
  readonly errors: readonly unknown[]
}

/** Starts a server with one route, and opens a connection to it. */
export async function openPair(
  carrier: Carrier,
  options: WebSocketRouteOptions,
  handlers: WebSocketHandlers = {},
  fields: Fields = {},
): Promise<Opened> {
  const opened = Promise.withResolvers<ServerWebSocket>()
  const closes: WebSocketClose[] = []
  const errors: unknown[] = []
  const served = await serve(carrier, (router) =>
    webSocket(router, '/', options, {
      ...handlers,
      open(socket) {
        opened.resolve(socket)
        return handlers.open?.(socket)
      },
      close(socket, close) {
        closes.push(close)
        return handlers.close?.(socket, close)
      },
      error(socket, error) {
        errors.push(error)
        return handlers.error?.(socket, error)
      },
    }),
  )
  const client = await openRaw(carrier, served.port, '/', { fields })
  const socket = await opened.promise
  return {
    served,
    client,
    socket,
    closes,
    errors,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await served[Symbol.asyncDispose]()
    },
  }
}
