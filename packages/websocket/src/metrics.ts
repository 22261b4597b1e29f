import { channel, type Channel } from 'node:diagnostics_channel'

/** Messages on `node:diagnostics_channel`. */
export interface WebSocketMetrics {
  /** `fw.websocket.open`: a connection opened. */
  readonly open: {
    /** Protocol version that carries the connection, such as `HTTP/2.0`. */
    readonly protocol: string
    /** Number of open connections. */
    readonly open: number
  }
  /** `fw.websocket.close`: a connection closed. */
  readonly close: {
    /** Status code of the close, as in the `close` handler. */
    readonly code: number
    /** Whether both sides sent a Close frame. */
    readonly clean: boolean
    /** Number of messages from the client. */
    readonly received: number
    /** Number of messages to the client. */
    readonly sent: number
    /** Milliseconds for which the connection was open. */
    readonly durationMs: number
    /** Number of connections that are still open. */
    readonly open: number
  }
  /** `fw.websocket.refuse`: a handshake exceeded a limit. */
  readonly refuse: {
    /** Name of the option that limits the sockets, such as `maxSockets`. */
    readonly limit: string
  }
  /** `fw.websocket.drop`: a message was discarded, because the client reads too slowly. */
  readonly drop: {
    /** Bytes that the client has not read yet. */
    readonly bufferedBytes: number
  }
}

type Channels = { readonly [Name in keyof WebSocketMetrics]: Channel<unknown, WebSocketMetrics[Name]> }

const names = ['open', 'close', 'refuse', 'drop'] as const

/** The diagnostics channels. Create a message only if `hasSubscribers` is true. */
export const metrics: Channels = Object.fromEntries(
  names.map((name) => [name, channel(`fw.websocket.${name}`)]),
) as unknown as Channels
