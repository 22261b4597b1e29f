import type { Logger } from '@fw/log'

/** Bytes read from a stream. */
export interface QuicRead {
  /** Valid until the next read; may be empty at the end. */
  readonly chunk: Uint8Array
  /** Whether these are the last. */
  readonly isEnd: boolean
}

/**
 * One QUIC connection whose handshake is done. Streams are known by their numbers (RFC 9000 §2.1); calls for a stream
 * that is over, or on a closed connection, have no effect.
 */
export interface QuicConnection {
  readonly remoteAddress: string
  readonly remotePort: number
  /** Silence after which the connection is over, as the two sides agreed. */
  readonly idleTimeoutMs: number
  /** Bytes that `write` has taken so far, on all streams. */
  readonly writtenBytes: number
  /** Opens a stream that only this side writes to. @returns Its number */
  openUnidirectional(): number
  /** Takes up to `maxBytes` of what has arrived, or `undefined` if there is nothing yet. Makes room in the window. */
  read(streamId: number, maxBytes: number): QuicRead | undefined
  /** No more `onReadable` for this stream; what arrives fills the window, and then the peer has to wait. */
  pauseReading(streamId: number): void
  /** `onReadable` again, soon, if something is there. */
  resumeReading(streamId: number): void
  /**
   * Gives bytes to the transport. An empty chunk that ends the stream is always taken.
   *
   * @returns Bytes taken; when it is fewer than all, `onWritable` follows and the end was not taken. -1 if the stream
   *   is over, which `onStopped` has told or will tell
   */
  write(streamId: number, chunk: Uint8Array, isEnd: boolean): number
  /** RESET_STREAM: the peer learns that no more will come and that it is not complete. */
  reset(streamId: number, code: number): void
  /** STOP_SENDING: nothing more is wanted. What has arrived is thrown away. */
  stopSending(streamId: number, code: number): void
  /** Makes the peer response, so that an idle connection stays open. */
  ping(): void
  /** Closes at once; `code` is one of the application's. */
  close(code: number, reason: string): void
  /** Closes when everything written has arrived, or some seconds later. */
  closeWhenDelivered(code: number): void
}

/** What happens on a connection. None of these may throw. */
export interface QuicConnectionEvents {
  /** The peer's stream has something to read, perhaps only its end. The first sight of a stream. */
  onReadable(streamId: number): void
  /** RESET_STREAM: the peer gave up what it was sending. */
  onReset(streamId: number, code: number): void
  /** STOP_SENDING: the peer wants no more of what it is sent. */
  onStopped(streamId: number, code: number): void
  /** A stream whose last write was not taken whole can be written to. */
  onWritable(streamId: number): void
  /** The peer sends much that belongs to no stream: it is up to no good. */
  onFlooded(): void
  /** The transport cannot keep this connection up for much longer: let the peer open another. Told once. */
  onWornOut(): void
  /** The connection is over, for whatever reason. The last event. */
  onClosed(reason: string): void
}

/** What a server proves its identity with. */
export interface QuicCredentials {
  /** Private key, PEM. Must fit the certificate: the caller checks that. */
  readonly key: string
  /** Certificate chain, PEM. */
  readonly cert: string
}

export interface QuicListenOptions extends QuicCredentials {
  readonly port: number
  readonly host: string
  /** Whether other processes may share the port. */
  readonly reusePort: boolean
  /** Descriptor of a bound UDP socket of the family of `host`, to be used instead of a new one. */
  readonly fd?: number | undefined
  /** Takes what is to be told of the socket and its packets; nobody does unless given. */
  readonly logger?: Logger | undefined
  /** Application protocol to agree on (ALPN). */
  readonly protocol: string
  /** Without a packet from the peer; then the connection is over. The peer may have less patience. */
  readonly idleTimeoutMs: number
  /** From a client's first packet to the end of the handshake; 0 for no limit. */
  readonly handshakeTimeoutMs: number
  /** Streams that one peer may have open at once. */
  readonly maxConcurrentStreams: number
  /** Connections at once; a further one gets no response. */
  readonly maxConnections: number
}

export interface QuicListener {
  readonly address: { readonly address: string; readonly family: string; readonly port: number }
  /** Handshakes that begin from now on use these; connections that stand go on with what they have. */
  setCredentials(credentials: QuicCredentials): void
  /** Lets no new connection in. */
  refuse(): void
  /** Closes the socket when the last connection is over, or at once. */
  close(how: 'when-idle' | 'now'): Promise<void>
}

/** The QUIC that HTTP/3 runs on: as few calls as it needs, so that it can be replaced. */
export interface Quic {
  /** @param accept Takes over each connection whose handshake is done @throws {Error} if the address cannot be bound */
  listen(
    options: QuicListenOptions,
    accept: (connection: QuicConnection) => QuicConnectionEvents,
  ): Promise<QuicListener>
}
