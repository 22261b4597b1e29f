import type { ProtocolText } from './exchange.ts'

/**
 * Times of a request, in milliseconds, measured with `performance.now()`. A time is `undefined` until it is reached. The times
 * increase in the order of the members.
 */
export interface RequestTiming {
  /**
   * Time at which the engine received the first bytes of the request. On HTTP/2, this is the time of the read that
   * completed the first frame. A later wait, for a previous pipelined request or for memory, does not change it.
   */
  readonly received: number
  /** Time at which the engine had parsed the whole head. */
  readonly parsed: number
  /** Time at which the application found the route or determined that no route matches. */
  routed: number | undefined
  /** Time at which the application passed the response head to the engine. */
  answered: number | undefined
  /**
   * Time at which the operating system accepted the last byte of the response. On HTTP/3, the time at which QUIC
   * accepted it, to send it as soon as congestion control permits. Remains `undefined` if the exchange was aborted or
   * upgraded.
   */
  flushed: number | undefined
}

/** The TLS handshake of a connection. */
export interface TlsTrace {
  /** The protocol version, such as `TLSv1.3`. */
  readonly version: string
  /** Whether the client resumed an earlier session. */
  readonly resumed: boolean
  /**
   * Milliseconds from accepting the connection, or from the end of its PROXY header, to the end of the handshake. On HTTP/3, from
   * the first packet.
   */
  readonly handshakeMs: number
}

/** A client connection. Each connection has exactly one object, which can serve as a key. */
export interface ConnectionTrace {
  /** Number of the connection, from 1. It is unique in the process. */
  readonly id: number
  /** The protocol. A connection without TLS is `HTTP/1.1` until the HTTP/2 preface has arrived. */
  readonly protocol: ProtocolText
  /**
   * Time at which the connection was accepted, or at which its PROXY header was complete, before any TLS handshake. Measured
   * with `performance.now()`.
   */
  readonly openedAt: number
  /** Time at which the connection closed; `undefined` before that. */
  readonly closedAt: number | undefined
  /** The peer's IP address; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  /** The peer's port; `undefined` on a Unix socket. */
  readonly remotePort: number | undefined
  /** The TLS handshake; `undefined` without TLS. */
  readonly tls: TlsTrace | undefined
}

/** The times and the connection of an exchange. */
export interface ExchangeTrace {
  /** Times of the request. Each is set when it is reached. */
  readonly timing: RequestTiming
  /**
   * The connection; `undefined` if the request did not arrive through one of this library's engines, as with
   * `server.fetch` and adapters.
   */
  readonly connection: ConnectionTrace | undefined
  /** The stream ID; `undefined` on HTTP/1.1. */
  readonly stream: number | undefined
  /** Number of the request on its connection, from 1; `undefined` without a connection. */
  readonly nth: number | undefined
  /** Called when `timing.flushed` is set. */
  onFlushed: (() => void) | undefined
}
