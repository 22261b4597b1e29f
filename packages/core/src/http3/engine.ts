import { X509Certificate } from 'node:crypto'
import { ChurnSet } from '../engine/collections/churn-set.ts'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import { StartupError } from '../options/startup-error.ts'
import { Http3Connection } from './connection.ts'
import { loadQuiche, type LoadQuiche } from './quic/quiche/binding.ts'
import { quicheQuic } from './quic/quiche/quiche.ts'
import type { QuicCredentials, QuicListener } from './quic/quic.ts'

/** What HTTP/3 is called when a protocol is agreed on (RFC 9114 §3.1). */
const ALPN = 'h3'
/** QUIC's own limit of silence lies above that of HTTP/3, so that an idle connection ends with a GOAWAY. */
const IDLE_MARGIN_MS = 5000
/** QUIC's limit of silence where HTTP/3 has none. */
const MAX_SILENCE_MS = 60_000

export interface ListenHttp3Options extends QuicCredentials {
  /** UDP port; 0 for any that is free. */
  readonly port: number
  /** IP address to bind; `0.0.0.0` or `::` for all. */
  readonly host: string
  readonly engineHost: EngineHost
  /** Whether other processes may share the port. */
  readonly reusePort?: boolean | undefined
  /** Descriptor of a bound UDP socket, instead of `port` and `host`, whose family `host` has to be of. */
  readonly fd?: number | undefined
  /** Loads the native QUIC. */
  readonly load?: LoadQuiche | undefined
}

/**
 * Opens a UDP port for HTTP/3.
 *
 * @throws {StartupError} if the optional package `@matrixai/quic` is missing or does not run here, or if it cannot use
 *   the certificate
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
      // As for TLS on TCP.
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

/** A UDP port on which HTTP/3 is served. */
export class Http3Listener {
  readonly #quic: QuicListener
  readonly #connections: ChurnSet<Http3Connection>

  constructor(quic: QuicListener, connections: ChurnSet<Http3Connection>) {
    this.#quic = quic
    this.#connections = connections
  }

  /** Where the listener is bound. */
  get address(): QuicListener['address'] {
    return this.#quic.address
  }

  /** @throws {StartupError} if QUIC cannot use the certificate */
  checkCredentials(credentials: QuicCredentials): void {
    checkUsable(credentials)
  }

  /**
   * Handshakes that begin from now on use these, which the caller has checked to fit each other; connections that stand
   * go on.
   *
   * @throws {StartupError} if QUIC cannot use the certificate; the old one stays
   */
  setCredentials(credentials: QuicCredentials): void {
    checkUsable(credentials)
    this.#quic.setCredentials(credentials)
  }

  /** Lets no new connection in and every request finish; resolves when all connections are closed, and the port. */
  drain(): Promise<void> {
    this.#quic.refuse()
    this.#connections.forEach((connection) => connection.drain())
    return this.#quic.close('when-idle')
  }

  /** Ends every connection now; resolves when the port is closed. */
  destroy(): Promise<void> {
    this.#connections.forEach((connection) => connection.destroy())
    return this.#quic.close('now')
  }
}

/** No client of the native QUIC's TLS agrees on such a signature, and it would not say so. */
function checkUsable({ cert }: QuicCredentials): void {
  if (new X509Certificate(cert).publicKey.asymmetricKeyType !== 'ed25519') return
  throw new StartupError('HTTP/3 cannot use an Ed25519 certificate here: use one with an ECDSA or RSA key')
}
