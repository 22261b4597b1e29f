/** Protocol and transport; `h2c` is cleartext HTTP/2 with prior knowledge. */
export type TestProtocol = 'h1' | 'h1+tls' | 'h2' | 'h2c' | 'h3'

/** Name and value of a field as sent. Each character of the value is one byte (latin1). */
export type TestField = readonly [name: string, value: string]

/**
 * Request in a protocol-independent form.
 *
 * Without a `host` field, the client sends the address to which it is connected. HTTP/2 and HTTP/3 send `host` as `:authority`.
 * A string body is sent as UTF-8. A body of known size gets a `content-length` field. With `expect: 100-continue`, the client
 * sends the body after the 100 response.
 */
export interface ClientRequest {
  /** Default: `POST` with a body, otherwise `GET`. */
  method?: string
  /** Request target, sent unchanged. */
  path: string
  headers?: readonly TestField[]
  body?: Uint8Array | string | AsyncIterable<Uint8Array>
  trailers?: readonly TestField[]
  /** Cancels the request, like `ClientResponse.abort()`. */
  signal?: AbortSignal
}

/** Response whose header section has arrived. */
export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  /** All fields in the order received, without pseudo-header fields. */
  readonly rawHeaders: readonly TestField[]
  /** Status codes of the preceding 1xx responses. */
  readonly informational: readonly number[]
  /**
   * Yields body slices as they arrive. Can be iterated only once. Until the iteration starts, the client receives at most the
   * transport's window. Leaving the iteration early cancels the request. Throws if the response is truncated or reset.
   */
  readonly body: AsyncIterable<Uint8Array>
  text(): Promise<string>
  bytes(): Promise<Uint8Array>
  json(): Promise<unknown>
  /** Settles when the body has been read to its end. */
  readonly trailers: Promise<readonly TestField[]>
  /** Cancels the request: closes the socket, or sends RST_STREAM, or STOP_SENDING and RESET_STREAM. */
  abort(): void
}

/** Client of one server over one protocol. */
export interface ProtocolClient {
  readonly protocol: TestProtocol
  /** Resolves when the header section arrives. @throws if no response arrives, or if it breaks the protocol */
  request(request: ClientRequest): Promise<ClientResponse>
  /** Closes every connection. @throws if the server sent bytes after a complete response */
  close(): Promise<void>
}

/** The server's address. The default `host` is `127.0.0.1`. */
export type ConnectOptions = {
  port: number
  host?: string
  /** Certificate to trust for TLS over TCP, in PEM. Default: `testCertificate()`. */
  ca?: string
}
