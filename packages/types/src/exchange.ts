import type { Duplex } from 'node:stream'
import type { FieldList, RequestHeaders } from './fields.ts'
import type { RequestBody } from './request-body.ts'

/** The protocol as access logs write it. HTTP/1.0 requests are served, and named, by the HTTP/1.1 engine. */
export type ProtocolText = 'HTTP/1.1' | 'HTTP/2.0' | 'HTTP/3.0'

/** How an exchange ended. */
export interface Outcome {
  /** Status of the response; 0 if none was sent. */
  readonly status: number
  /** Bytes of the response's body given to the protocol engine, without framing. */
  readonly bodyBytes: number
  /** Whether the exchange ended before the whole response was given to the transport. */
  readonly aborted: boolean
}

/** Bytes that many bodies send: what a protocol makes of them is made once. */
export interface SharedChunk {
  readonly bytes: Uint8Array
  /** The bytes in the chunked coding, left here by the first body that needs them so. */
  chunked: Uint8Array | undefined
}

/** The body of a response whose head has been sent. */
export interface ResponseBody {
  /** False once the response is complete or nobody is there to receive it; writes are then without effect. */
  readonly isOpen: boolean
  /** Bytes of the body so far, without framing. */
  readonly bodyBytes: number
  /** Bytes written that the transport has not taken yet. */
  readonly bufferedBytes: number
  /**
   * Sends bytes at once. They are not copied: leave them alone until `bufferedBytes` is 0 again.
   *
   * @returns False if more is buffered than the transport takes: wait for `drained()` before writing on
   * @throws {RangeError} if this exceeds the `content-length` that was announced
   */
  write(chunk: Uint8Array): boolean
  /** As `write`, for bytes that many bodies send. The bodies of engines have it. */
  writeShared?(chunk: SharedChunk): boolean
  /** Resolves when the transport has taken everything written, or the exchange is over; never rejects. */
  drained(): Promise<void>
  /** Completes the response. A response shorter than its `content-length` is aborted instead. */
  end(trailers?: FieldList): void
  /** Ends the exchange so that the peer can tell that the response is incomplete. */
  abort(error?: Error): void
}

/** A connection that has been taken out of HTTP. */
export interface UpgradedConnection {
  /** The connection; whoever took it answers 101 on it, uses it and closes it. */
  readonly socket: Duplex
  /** Bytes that came right behind the request, in memory that nothing else is in. */
  readonly head: Uint8Array
}

/**
 * One request and its response, whatever the protocol. Every engine makes these, and everything above the
 * engines needs nothing else.
 *
 * The engine owns framing: `connection`, `transfer-encoding` and their like are not the application's to send
 * (`connection: close` is understood as a wish on HTTP/1.1 and dropped elsewhere), and no body follows a response to
 * HEAD, a 204 or a 304, whatever is written.
 */
export interface Exchange extends ResponseBody {
  readonly protocol: ProtocolText
  readonly scheme: 'http' | 'https'
  /** As received; case matters. */
  readonly method: string
  /** The request target as received, in any of its four forms (RFC 9112 §3.2); on HTTP/2 and HTTP/3 the `:path`. */
  readonly target: string
  /** `Host` or `:authority`; empty when an HTTP/1.0 request names none. */
  readonly authority: string
  readonly headers: RequestHeaders
  readonly body: RequestBody
  /** IP address of the peer; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  /** Whether the peer connected over a Unix socket. Otherwise a `remoteAddress` of `undefined` means an unknown peer. */
  readonly isUnixSocket?: boolean
  /** Status of the response once its head was sent, before that 0. */
  readonly status: number
  /** Called once when the exchange is over. There is one listener; assigning replaces it. */
  onClose: ((outcome: Outcome) => void) | undefined
  /**
   * Takes the connection over, for WebSocket and its like; nothing has been sent. There only where the request offers
   * it: HTTP/1.1, without a body or with `content-length: 0`, with `upgrade` and `connection: upgrade` (RFC 9110 §7.8).
   */
  readonly upgrade: (() => UpgradedConnection) | undefined
  /** Sends an informational response (1xx, except 100 and 101) where the protocol has them. */
  inform(status: number, headers: FieldList): void
  /**
   * Sends a whole response in as few writes as the protocol allows. Text is encoded as UTF-8.
   * Supplies `content-length` and `date`.
   *
   * @throws {Error} if a response was sent already
   * @throws {TypeError} if the status or a field cannot be sent
   */
  respond(status: number, headers: FieldList, body: Uint8Array | string | null): void
  /**
   * Sends the head of a response whose body follows by `write` and `end`. Supplies `date`. A `content-length` among
   * the fields is held to; without one the body is delimited as the protocol allows.
   *
   * @throws {Error} if a response was sent already
   * @throws {TypeError} if the status or a field cannot be sent
   */
  start(status: number, headers: FieldList): void
}
