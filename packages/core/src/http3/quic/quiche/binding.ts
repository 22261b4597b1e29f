import { StartupError } from '../../../options/startup-error.ts'

/** An address as the binding takes and gives it; `host` is an IP address. */
export interface HostPort {
  host: string
  port: number
}

/** A quiche connection. Numbers of milliseconds are rounded down; every error is an `Error` with quiche's own name. */
export interface QuicheConnection {
  /** @throws {Error} for a packet that is not valid; the connection then sees to itself */
  recv(packet: Uint8Array, info: { from: HostPort; to: HostPort }): number
  /** Writes the next packet into `packet`; `null` if there is none to send. */
  send(packet: Uint8Array): [length: number, info: { to: HostPort }] | null
  /** `null` if nothing has arrived. @throws {Error} `StreamReset(code)`, `InvalidStreamState` */
  streamRecv(streamId: number, target: Uint8Array): [length: number, isEnd: boolean] | null
  /** Bytes taken, `null` for none, or for a stream that is over. @throws {Error} `StreamStopped(code)`, `InvalidStreamState` */
  streamSend(streamId: number, data: Uint8Array, isEnd: boolean): number | null
  streamShutdown(streamId: number, direction: 0 | 1, code: number): unknown
  /** @throws {Error} `StreamStopped(code)`, and `InvalidStreamState` when the stream is over and all of it arrived */
  streamCapacity(streamId: number): number
  /** Costs about as much as reading a hundred streams: see `QuicheConnection`. */
  readable(): Iterable<number>
  isReadable(): boolean
  /** False for a stream that is not known. */
  streamReadable(streamId: number): boolean
  /** @returns Its sequence number. With one too many, the peer is told to retire one too many, and that is an error */
  newSourceCid(id: Uint8Array, resetToken: bigint, retireIfNeeded: boolean): number
  activeSourceCids(): number
  retiredScidNext(): Uint8Array | null
  timeout(): number | null
  onTimeout(): void
  close(isApplication: boolean, code: number, reason: Uint8Array): unknown
  isEstablished(): boolean
  /** Whether a close was sent or received. */
  isDraining(): boolean
  isClosed(): boolean
  isTimedOut(): boolean
  peerError(): QuicheError | null
  localError(): QuicheError | null
  sendAckEliciting(): void
  stats(): QuicheStats
  /** One for each path; costs as much as reading ten streams. */
  pathStats(): { lost: number; cwnd: number; sentBytes: number }[]
}

/** What is counted, and what the peer said of itself in the handshake. */
export interface QuicheStats {
  /** Packets that could be opened, repetitions not counted. */
  recv: number
  /** 0 where the peer has none. */
  peerMaxIdleTimeout: number
  peerInitialMaxData: number
  peerActiveConnIdLimit: number
  peerInitialMaxStreamDataBidiLocal: number
}

export interface QuicheError {
  isApp: boolean
  errorCode: number
}

export interface QuicheConfig {
  setApplicationProtos(protocols: string[]): void
  setMaxIdleTimeout(ms: number): void
  setMaxRecvUdpPayloadSize(bytes: number): void
  setMaxSendUdpPayloadSize(bytes: number): void
  setInitialMaxData(bytes: number): void
  setInitialMaxStreamDataBidiLocal(bytes: number): void
  setInitialMaxStreamDataBidiRemote(bytes: number): void
  setInitialMaxStreamDataUni(bytes: number): void
  setInitialMaxStreamsBidi(streams: number): void
  setInitialMaxStreamsUni(streams: number): void
  setDisableActiveMigration(disable: boolean): void
  setStatelessResetToken(token: bigint | null): void
  setMaxStreamWindow(bytes: number): void
  setMaxConnectionWindow(bytes: number): void
  enablePacing(enable: boolean): void
  grease(enable: boolean): void
}

export interface QuicheHeader {
  /** 0 for an Initial packet. */
  ty: number
  version: number
  dcid: Uint8Array
  scid: Uint8Array
  token?: Uint8Array
}

/** The calls of the native binding that are used here, and what they really do. */
export interface QuicheBinding {
  versionIsSupported(version: number): boolean
  negotiateVersion(sourceId: Uint8Array, destinationId: Uint8Array, target: Uint8Array): number
  retry(
    sourceId: Uint8Array,
    destinationId: Uint8Array,
    newSourceId: Uint8Array,
    token: Uint8Array,
    version: number,
    target: Uint8Array,
  ): number
  Config: {
    /** Checks neither whether the key fits the certificate nor whether clients can use it (Ed25519 they cannot). */
    withBoringSslCtx(
      verifyPeer: boolean,
      verifyAllowFail: boolean,
      ca: Uint8Array | null,
      keys: Uint8Array[],
      certificates: Uint8Array[],
      signatureAlgorithms: string | null,
    ): QuicheConfig
  }
  Connection: {
    accept(
      sourceId: Uint8Array,
      originalDestinationId: Uint8Array | null,
      local: HostPort,
      remote: HostPort,
      config: object,
    ): QuicheConnection
  }
  Header: {
    /** @throws {Error} if the packet has no valid header */
    fromSlice(packet: Uint8Array, idLength: number): QuicheHeader
  }
}

/** How the binding is loaded; replaced in tests. */
export type LoadQuiche = () => Promise<{ readonly default: unknown }>

/**
 * Loads the native QUIC of the optional package `@matrixai/quic`.
 *
 * @throws {StartupError} saying what to do if it is not installed or has no binary for this platform
 */
export async function loadQuiche(load: LoadQuiche = importQuiche): Promise<QuicheBinding> {
  try {
    return (await load()).default as QuicheBinding
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`
    throw new StartupError(
      isMissing(cause)
        ? 'HTTP/3 needs the package @matrixai/quic: npm install @matrixai/quic'
        : `HTTP/3 needs a QUIC binary, and @matrixai/quic has none that works on ${platform}: switch http3 off, or let a proxy speak HTTP/3`,
      { cause },
    )
  }
}

function isMissing(error: unknown): boolean {
  // The package itself; a binary that it does not find is MODULE_NOT_FOUND, or a plain error of its own.
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

/** With `catch`, bundlers accept that the optional package is not installed. */
function importQuiche(): ReturnType<LoadQuiche> {
  return import('@matrixai/quic/native/quiche.js').catch((error: unknown) => {
    throw error
  })
}
