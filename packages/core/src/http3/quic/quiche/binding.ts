import { withCode } from '@fw/options'
import { StartupError } from '../../../options/startup-error.ts'

/** Socket address in the binding's format; `host` is an IP address. */
export interface HostPort {
  host: string
  port: number
}

/**
 * Native quiche connection. Rounds milliseconds down. Each error is an `Error` whose message is the quiche error name.
 */
export interface QuicheConnection {
  /**
   * Processes a received packet.
   *
   * @throws {Error} for an invalid packet; quiche then closes the connection if necessary
   */
  recv(packet: Uint8Array, info: { from: HostPort; to: HostPort }): number
  /** Writes the next packet into `packet`. Returns `null` if no packet is due. */
  send(packet: Uint8Array): [length: number, info: { to: HostPort }] | null
  /**
   * Reads received bytes. Returns `null` if none have arrived.
   *
   * @throws {Error} `StreamReset(code)`, `InvalidStreamState`
   */
  streamRecv(streamId: number, target: Uint8Array): [length: number, isEnd: boolean] | null
  /**
   * Returns the number of bytes accepted; `null` if none were, or if the stream has ended.
   *
   * @throws {Error} `StreamStopped(code)`, `InvalidStreamState`
   */
  streamSend(streamId: number, data: Uint8Array, isEnd: boolean): number | null
  streamShutdown(streamId: number, direction: 0 | 1, code: number): unknown
  /**
   * Returns the number of bytes that can be written.
   *
   * @throws {Error} `StreamStopped(code)`; `InvalidStreamState` when the stream has ended and all bytes were
   *   acknowledged
   */
  streamCapacity(streamId: number): number
  /** Lists the readable streams. Costs about as much as reading 100 streams; see `ReceivingStreams`. */
  readable(): Iterable<number>
  isReadable(): boolean
  /** Returns false for an unknown stream. */
  streamReadable(streamId: number): boolean
  /**
   * Issues a connection ID. If the peer is at its limit, it must also retire its oldest ID. One retirement too many is
   * a protocol error.
   *
   * @returns The sequence number of the connection ID
   */
  newSourceCid(id: Uint8Array, resetToken: bigint, retireIfNeeded: boolean): number
  activeSourceCids(): number
  retiredScidNext(): Uint8Array | null
  timeout(): number | null
  onTimeout(): void
  close(isApplication: boolean, code: number, reason: Uint8Array): unknown
  isEstablished(): boolean
  /** Reports whether the client resumed an earlier session. */
  isResumed(): boolean
  /** Reports whether a close was sent or received. */
  isDraining(): boolean
  isClosed(): boolean
  isTimedOut(): boolean
  peerError(): QuicheError | null
  localError(): QuicheError | null
  sendAckEliciting(): void
  stats(): QuicheStats
  /** Returns one entry per path. Costs about as much as reading ten streams. */
  pathStats(): { lost: number; cwnd: number; sentBytes: number }[]
}

/** Packet counter, and the peer's transport parameters. */
export interface QuicheStats {
  /** Packets that were decrypted, without duplicates. */
  recv: number
  /** Milliseconds; 0 if the peer has no idle timeout. */
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
  /** Packet type; 0 for an Initial packet. */
  ty: number
  version: number
  dcid: Uint8Array
  scid: Uint8Array
  token?: Uint8Array
}

/** Declares the parts of the native binding that this package uses. */
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
    /**
     * Does not check that the key matches the certificate, or that clients support the certificate (they reject
     * Ed25519).
     */
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

/** Loads the binding. Tests replace it. */
export type LoadQuiche = () => Promise<{ readonly default: unknown }>

/**
 * Loads the native QUIC binding from the optional package `@matrixai/quic`.
 *
 * @throws {StartupError} if the package is not installed, or has no binary for this platform
 */
export async function loadQuiche(load: LoadQuiche = importQuiche): Promise<QuicheBinding> {
  try {
    return (await load()).default as QuicheBinding
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`
    throw withCode(
      'FW_HTTP3_UNAVAILABLE',
      new StartupError(
        isMissing(cause)
          ? 'HTTP/3 needs the package @matrixai/quic. Run "npm install @matrixai/quic".'
          : `HTTP/3 cannot start: @matrixai/quic has no binary for ${platform}. Turn option "http3" off, or serve HTTP/3 from a proxy.`,
        { cause },
      ),
    )
  }
}

function isMissing(error: unknown): boolean {
  // ERR_MODULE_NOT_FOUND means that the package is missing. A missing binary throws MODULE_NOT_FOUND or an error
  // without a code.
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

/**
 * Imports the binding. The specifier is not a literal, so that bundlers omit the native package and succeed without it.
 */
function importQuiche(): ReturnType<LoadQuiche> {
  const specifier = ['@matrixai/quic', 'native/quiche.js'].join('/')
  return import(/* webpackIgnore: true */ specifier) as ReturnType<LoadQuiche>
}
