/** A protocol with its transport; `h2c` is HTTP/2 in clear text with prior knowledge. */
export type TestProtocol = 'h1' | 'h1+tls' | 'h2' | 'h2c' | 'h3'

/** One name and value of the wire. Values are bytes, one character each (latin1). */
export type TestField = readonly [name: string, value: string]

/**
 * A request, the same for every protocol.
 *
 * Without a `host` field the client names the address it is connected to; on HTTP/2 and HTTP/3 `host` is sent as
 * `:authority`. Text is sent as UTF-8. A body of known size is sent with `content-length`, another one as the protocol
 * delimits it. With `expect: 100-continue` the body waits for that response.
 */
export interface ClientRequest {
  /** `GET` unless there is a body, then `POST`. */
  method?: string
  /** The request target, sent as it is. */
  path: string
  headers?: readonly TestField[]
  body?: Uint8Array | string | AsyncIterable<Uint8Array>
  trailers?: readonly TestField[]
  /** Gives the request up as `abort()` does. */
  signal?: AbortSignal
}

/** A response whose head has arrived. */
export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  /** Every field in the order of the wire, without pseudo-header fields. */
  readonly rawHeaders: readonly TestField[]
  /** Status codes of the 1xx responses that came before. */
  readonly informational: readonly number[]
  /**
   * Body slices as they arrive; can be read once. Nothing more than the transport's window is received before it is
   * iterated, and leaving the iteration early gives the request up. Throws if the response is cut off or reset.
   */
  readonly body: AsyncIterable<Uint8Array>
  text(): Promise<string>
  bytes(): Promise<Uint8Array>
  json(): Promise<unknown>
  /** Settles when the body has been read to its end. */
  readonly trailers: Promise<readonly TestField[]>
  /** Gives the request up as this protocol does: closes the socket, RST_STREAM, STOP_SENDING + RESET_STREAM. */
  abort(): void
}

/** A client that speaks one protocol with one server. */
export interface ProtocolClient {
  readonly protocol: TestProtocol
  /** Resolves with the head of the response. @throws if there is none, or the protocol does not allow it */
  request(request: ClientRequest): Promise<ClientResponse>
  /** Ends every connection. @throws if the server sent something after a complete response */
  close(): Promise<void>
}

/** The server to connect to; `host` is `127.0.0.1` unless given. */
export type ConnectOptions = { port: number; host?: string }
