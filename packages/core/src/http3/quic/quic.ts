import type { Logger } from '@fw/log'
import type { ConnectionTrace, TlsTrace } from '@fw/types'

/** Bytes read from a stream. */
export interface QuicRead {
  /** Bytes that are valid until the next read. Can be empty when `isEnd` is true. */
  readonly chunk: Uint8Array
  /** Whether the stream ends after these bytes. */
  readonly isEnd: boolean
}

/**
 * Represents one QUIC connection after its handshake. Streams are identified by their stream IDs (RFC 9000 §2.1). A
 * call for a stream that has ended, or on a closed connection, has no effect.
 */
export interface QuicConnection {
  readonly remoteAddress: string
  readonly remotePort: number
  /** Time of the first packet. */
  readonly openedAt: number
  readonly tls: TlsTrace
  trace: ConnectionTrace | undefined
  /** Negotiated idle timeout, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Bytes that `write` has accepted so far, on all streams. */
  readonly writtenBytes: number
  /**
   * Opens a unidirectional stream.
   *
   * @returns The stream ID
   */
  openUnidirectional(): number
  /**
   * Reads up to `maxBytes` received bytes, and extends the flow-control window.
   *
   * @returns `undefined` if no bytes have arrived
   */
  read(streamId: number, maxBytes: number): QuicRead | undefined
  /** Stops `onReadable` for this stream. Further bytes fill the flow-control window, after which the peer must wait. */
  pauseReading(streamId: number): void
  /** Resumes `onReadable`. `onReadable` is called soon if bytes have already arrived. */
  resumeReading(streamId: number): void
  /**
   * Writes bytes to the stream. An empty chunk with `isEnd` is always accepted.
   *
   * @returns The number of bytes accepted. If some were not accepted, `isEnd` has had no effect, and `onWritable`
   * follows. -1 if the stream has ended, which `onStopped` reports before or after this call
   */
  write(streamId: number, chunk: Uint8Array, isEnd: boolean): number
  /** Sends RESET_STREAM, so that the peer treats the data sent so far as incomplete. */
  reset(streamId: number, code: number): void
  /** Sends STOP_SENDING and discards the bytes that have arrived. */
  stopSending(streamId: number, code: number): void
  /** Sends a PING, which the peer acknowledges, so that an idle connection stays open. */
  ping(): void
  /** Closes the connection immediately with an application error code. */
  close(code: number, reason: string): void
  /** Closes the connection when the peer has acknowledged all written bytes, or after a few seconds. */
  closeWhenDelivered(code: number): void
}

/** Receives events from one connection. Handlers must not throw. */
export interface QuicConnectionEvents {
  /** The peer's stream has bytes or an end to read. This is the first event for a stream. */
  onReadable(streamId: number): void
  /** The peer sent RESET_STREAM. */
  onReset(streamId: number, code: number): void
  /** The peer sent STOP_SENDING. */
  onStopped(streamId: number, code: number): void
  /** A stream has room again after an incomplete write. */
  onWritable(streamId: number): void
  /** The peer exceeds the budget for frames outside streams, which indicates an attack. */
  onFlooded(): void
  /**
   * The transport cannot keep the connection open much longer, so the client should open a new one. Called at most
   * once.
   */
  onExhausted(): void
  /** The connection has closed, for any reason. This is the last event. */
  onClosed(reason: string): void
}

/** The server's certificate chain and private key. */
export interface QuicCredentials {
  /** Private key in PEM. The caller checks that it matches the certificate. */
  readonly key: string
  /** Certificate chain in PEM. */
  readonly cert: string
}

export interface QuicListenOptions extends QuicCredentials {
  readonly port: number
  readonly host: string
  /** Whether other processes can bind the same port. */
  readonly reusePort: boolean
  /** File descriptor of a bound UDP socket in the address family of `host`. Replaces a new socket. */
  readonly fd?: number | undefined
  /** Logs the socket options at Debug and each packet at Trace. Default: no logging. */
  readonly logger?: Logger | undefined
  /** Application protocol to negotiate (ALPN). */
  readonly protocol: string
  /**
   * Closes the connection after this many milliseconds without a packet from the peer. The peer can announce a shorter
   * timeout.
   */
  readonly idleTimeoutMs: number
  /** Limits the milliseconds from the client's first packet to the end of the handshake. 0 disables the limit. */
  readonly handshakeTimeoutMs: number
  /** Maximum number of concurrent streams per connection. */
  readonly maxConcurrentStreams: number
  /** Maximum number of concurrent connections. Packets from further clients are ignored. */
  readonly maxConnections: number
}

export interface QuicListener {
  readonly address: { readonly address: string; readonly family: string; readonly port: number }
  /** Sets the certificate for future handshakes. Open connections keep their certificate. */
  setCredentials(credentials: QuicCredentials): void
  /** Ignores new connections. */
  refuse(): void
  /** Closes the socket when the last connection has closed (`when-idle`), or immediately (`now`). */
  close(how: 'when-idle' | 'now'): Promise<void>
}

/** Provides the QUIC transport for HTTP/3. The interface is small so that the implementation can be replaced. */
export interface Quic {
  /**
   * Binds a UDP socket.
   *
   * @param accept Called with each connection after its handshake
   * @throws {Error} if the address cannot be bound
   */
  listen(
    options: QuicListenOptions,
    accept: (connection: QuicConnection) => QuicConnectionEvents,
  ): Promise<QuicListener>
}
