import type { Duplex } from 'node:stream'
import type { FieldList, RequestHeaders } from './fields.ts'
import type { RequestBody } from './request-body.ts'
import type { ExchangeTrace } from './trace.ts'

/** The protocol name that access logs use. HTTP/1.0 requests count as HTTP/1.1. */
export type ProtocolText = 'HTTP/1.1' | 'HTTP/2.0' | 'HTTP/3.0'

/** The result of an exchange. */
export interface Outcome {
  /** The status of the response; 0 without a response. */
  readonly status: number
  /** The number of response body bytes that the protocol engine received, without framing. */
  readonly bodyBytes: number
  /** Whether the exchange ended before the transport had received the whole response. */
  readonly aborted: boolean
}

/** A chunk that many response bodies share. It is encoded once for each protocol. */
export interface SharedChunk {
  /** The bytes without framing. */
  readonly bytes: Uint8Array
  /** The bytes with chunked framing, stored by the first body that needs them. */
  chunked: Uint8Array | undefined
}

/** The body of a response whose head has been sent. */
export interface ResponseBody {
  /** False after the response is complete or the client has disconnected. Writes then have no effect. */
  readonly isOpen: boolean
  /** The number of body bytes written so far, without framing. */
  readonly bodyBytes: number
  /** The number of written bytes that the transport has not accepted yet. */
  readonly bufferedBytes: number
  /**
   * Sends bytes. They are not copied: do not change them until `bufferedBytes` is 0 again.
   *
   * @returns False if the buffer is full: wait for `drained()` before the next write
   * @throws {RangeError} if the body exceeds the announced `content-length`
   */
  write(chunk: Uint8Array): boolean
  /** Like `write`, but for bytes that many bodies share. Only the response bodies of protocol engines implement it. */
  writeShared?(chunk: SharedChunk): boolean
  /** Resolves when the transport has accepted all bytes, or the exchange is over. Never rejects. */
  drained(): Promise<void>
  /** Completes the response. Aborts the response instead if it is shorter than its `content-length`. */
  end(trailers?: FieldList): void
  /** Ends the exchange so that the client can detect the incomplete response. */
  abort(error?: Error): void
}

/** A connection after an upgrade from HTTP. */
export interface UpgradedConnection {
  /** The connection. The new owner must send the 101 response and close it. */
  readonly socket: Duplex
  /** Received bytes that follow the request. Their buffer contains no other data. */
  readonly head: Uint8Array
}

/**
 * A request and its response, independent of the protocol. Each engine creates exchanges, and the application uses no other
 * part of an engine.
 *
 * The engine owns framing. It drops `connection`, `transfer-encoding` and similar fields that the application sets, but honors
 * `connection: close` on HTTP/1.1. It does not send a body for a response to HEAD, a 204 or a 304.
 */
export interface Exchange extends ResponseBody {
  /** The protocol version of the request. */
  readonly protocol: ProtocolText
  /** `'https'` on a TLS connection. */
  readonly scheme: 'http' | 'https'
  /** The method as received. Methods are case-sensitive. */
  readonly method: string
  /** The request target as received, in any of its four forms (RFC 9112 §3.2); on HTTP/2 and HTTP/3 the `:path`. */
  readonly target: string
  /** `Host` or `:authority`; empty for an HTTP/1.0 request without `Host`. */
  readonly authority: string
  /** The header fields of the request. */
  readonly headers: RequestHeaders
  /** The body of the request, not yet read. */
  readonly body: RequestBody
  /** The peer's IP address; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  /** The peer's port; `undefined` on a Unix socket. */
  readonly remotePort: number | undefined
  /** Whether the peer connected over a Unix socket. Otherwise, a `remoteAddress` of `undefined` indicates an unknown peer. */
  readonly isUnixSocket?: boolean
  /** Whether `remoteAddress` and `remotePort` are those of a PROXY header, instead of those of the socket. */
  readonly hasProxySource?: boolean
  /** The status of the response; 0 until the head is sent. */
  readonly status: number
  /** Called once when the exchange is over. An assignment replaces the listener. */
  onClose: ((outcome: Outcome) => void) | undefined
  /** Times and connection of the request. Set while requests are traced, by the engine or the application. */
  trace?: ExchangeTrace | undefined
  /**
   * Takes over the connection, for protocols such as WebSocket, before anything is sent. `undefined` unless the
   * request is an HTTP/1.1 request without content that has `upgrade` and `connection: upgrade` (RFC 9110 §7.8).
   */
  readonly upgrade: (() => UpgradedConnection) | undefined
  /**
   * The protocol that the client requests for a tunnel, in lower case, such as `websocket`; `undefined` for any other request.
   *
   * On HTTP/1.1, the first protocol in the `Upgrade` field, if `upgrade()` is available (RFC 9110 §7.8). On HTTP/2 and HTTP/3, the
   * `:protocol` of an extended CONNECT (RFC 8441 §4, RFC 9220 §3). Only a route whose option `tunnels` names the protocol
   * receives an extended CONNECT.
   */
  readonly upgradeProtocol: string | undefined
  /** Sends an informational response (1xx, except 100 and 101) if the protocol supports it. */
  inform(status: number, headers: FieldList): void
  /**
   * Sends a complete response in as few writes as possible. Encodes text as UTF-8 and adds `content-length` and `date`.
   *
   * @throws {Error} if a response was already sent
   * @throws {TypeError} if the status or a field cannot be sent
   */
  respond(status: number, headers: FieldList, body: Uint8Array | string | null): void
  /**
   * Sends the head of a response whose body follows with `write` and `end`. Adds `date`, and enforces a `content-length`
   * among the fields. Without one, the protocol delimits the body.
   *
   * @throws {Error} if a response was already sent
   * @throws {TypeError} if the status or a field cannot be sent
   */
  start(status: number, headers: FieldList): void
  /**
   * Accepts the tunnel that `upgradeProtocol` names. Sends 101 on HTTP/1.1, with `connection` and `upgrade`, and 200 on HTTP/2
   * and HTTP/3. To refuse the tunnel, send any other response instead.
   *
   * The caller owns the returned stream and must close it. `end()` ends this direction, and the client can still send.
   * `destroy()` aborts both directions: RST_STREAM with CANCEL on HTTP/2, H3_REQUEST_CANCELLED on HTTP/3, and a closed
   * connection on HTTP/1.1. If the client aborts, the stream is destroyed, and emits `error` with code `FW_ABORTED` if it has
   * a listener. The writes of an event-loop turn are sent together. `writableLength` counts the bytes that the engine has
   * not sent. `onClose` is called after the tunnel has closed, and never reports it as aborted.
   *
   * @param headers Fields of the response, such as those that middleware has set
   * @throws {TypeError} if the request does not ask for a tunnel, or a field cannot be sent
   * @throws {Error} if a response was already sent, or the client has disconnected
   */
  tunnel(headers: FieldList): Duplex
}
