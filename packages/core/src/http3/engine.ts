import { X509Certificate } from 'node:crypto'
import { withCode } from '@fw/options'
import { ChurnSet } from '../engine/collections/churn-set.ts'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { StartupError } from '../options/startup-error.ts'
import { Http3Connection } from './connection.ts'
import { loadQuiche, type LoadQuiche } from './quic/quiche/binding.ts'
import { quicheQuic } from './quic/quiche/quiche.ts'
import type { QuicCredentials, QuicListener } from './quic/quic.ts'

/** ALPN identifier for HTTP/3 (RFC 9114 §3.1). */
const ALPN = 'h3'
/**
 * Milliseconds by which the QUIC idle timeout exceeds the HTTP/3 idle timeout, so that an idle connection ends with a
 * GOAWAY.
 */
const IDLE_MARGIN_MS = 5000
/** QUIC idle timeout in milliseconds if the HTTP/3 limit is disabled. */
const MAX_SILENCE_MS = 60_000

export interface ListenHttp3Options extends QuicCredentials {
  /** UDP port; 0 selects a free port. */
  readonly port: number
  /** IP address to bind; `0.0.0.0` or `::` binds all interfaces. */
  readonly host: string
  readonly engineHost: EngineHost
  /** Whether other processes can bind the same port. Default false. */
  readonly reusePort?: boolean | undefined
  /** File descriptor of a bound UDP socket. Replaces `port` and `host`; its address family must match `host`. */
  readonly fd?: number | undefined
  /** Loads the native QUIC binding. Default: imports `@matrixai/quic`. */
  readonly load?: LoadQuiche | undefined
}

/**
 * Opens a UDP port for HTTP/3.
 *
 * @throws {StartupError} if the optional package `@matrixai/quic` is missing, has no binary for this platform, or
 *   cannot use the certificate
 * @throws {Error} if the address cannot be bound
 */
export async function listenHttp3(options: ListenHttp3Options): Promise<Http3Listener> {
  const { limits } = options.engineHost
  checkUsable(options)
  const quic = quicheQuic(await loadQuiche(options.load))
  const idleMs = limits.sessionIdleTimeoutMs
  const idleTimeoutMs = idleMs === 0 ? MAX_SILENCE_MS : idleMs + IDLE_MARGIN_MS
  const connections = new ChurnSet<Http3Connection>('place')
  const deadlines = new Deadlines()
  const listener = await quic.listen(
    {
      port: options.port,
      host: options.host,
      key: options.key,
      cert: options.cert,
      reusePort: options.reusePort ?? false,
      fd: options.fd,
      logger: options.engineHost.logger,
      protocol: ALPN,
      idleTimeoutMs,
      handshakeTimeoutMs: limits.tlsHandshakeTimeoutMs,
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxConnections: limits.maxHttp3Connections,
    },
    (accepted) => {
      const connection = new Http3Connection(accepted, {
        host: options.engineHost,
        deadlines,
        onClose: (closed) => connections.delete(closed),
      })
      connections.add(connection)
      return connection
    },
  )
  return new Http3Listener(listener, connections)
}

/** Serves HTTP/3 on one UDP port. */
export class Http3Listener {
  readonly #quic: QuicListener
  readonly #connections: ChurnSet<Http3Connection>

  constructor(quic: QuicListener, connections: ChurnSet<Http3Connection>) {
    this.#quic = quic
    this.#connections = connections
  }

  /** Bound address and port. */
  get address(): QuicListener['address'] {
    return this.#quic.address
  }

  /**
   * Checks that QUIC can use a certificate.
   *
   * @throws {StartupError} if the certificate cannot be used
   */
  checkCredentials(credentials: QuicCredentials): void {
    checkUsable(credentials)
  }

  /**
   * Sets the certificate for future handshakes. The caller checks that key and certificate match. Open connections keep
   * their certificate.
   *
   * @throws {StartupError} if QUIC cannot use the certificate; the previous one stays in effect
   */
  setCredentials(credentials: QuicCredentials): void {
    checkUsable(credentials)
    this.#quic.setCredentials(credentials)
  }

  /** Calls `visit` for each open connection. */
  eachConnection(visit: (connection: Drainable) => void): void {
    this.#connections.forEach(visit)
  }

  /** Refuses new connections and finishes in-flight requests. Resolves when all connections and the port are closed. */
  drain(): Promise<void> {
    this.#quic.refuse()
    this.#connections.forEach((connection) => connection.drain())
    return this.#quic.close('when-idle')
  }

  /** Closes all connections immediately. Resolves when the port is closed. */
  destroy(): Promise<void> {
    this.#connections.forEach((connection) => connection.destroy())
    return this.#quic.close('now')
  }
}

/** Rejects Ed25519 certificates. quiche's TLS library accepts them, but every handshake would fail. */
function checkUsable({ cert }: QuicCredentials): void {
  if (new X509Certificate(cert).publicKey.asymmetricKeyType !== 'ed25519') return
  throw withCode(
    'FW_HTTP3_UNAVAILABLE',
    new StartupError('HTTP/3 cannot use an Ed25519 certificate. Use one with an ECDSA or RSA key.'),
  )
}
