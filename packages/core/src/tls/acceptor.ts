import { constants } from 'node:crypto'
import type { ServerOpts, Socket } from 'node:net'
import { createServer, createSecureContext, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import type { ProxySource } from '@fw/client-address'
import type { Logger } from '@fw/log'
import type { CertificateSet } from './certificate-set.ts'
import { ChurnSet } from '../engine/collections/churn-set.ts'
import { TicketKeys } from './ticket-keys.ts'
import type { TlsCredentials } from './credentials.ts'

export interface TlsAcceptorOptions {
  readonly certificates: CertificateSet
  /** Protocols to negotiate, most preferred first (RFC 7301). */
  readonly protocols: readonly string[]
  /** Time limit for the whole handshake, in milliseconds. 0 disables it. */
  readonly handshakeTimeoutMs: number
  readonly socket: ServerOpts
  readonly ticketKeys: TicketKeys
  readonly logger: Logger | undefined
  /**
   * Takes over each connection after its handshake. `openedAt` is the time before the handshake and after any PROXY header,
   * measured with `performance.now()`. `source` is the peer's address according to a PROXY header.
   */
  readonly onSecure: (socket: TLSSocket, openedAt: number, source: ProxySource | undefined) => void
  /** Called when a handshake fails. */
  readonly onFailed: () => void
}

/** Socket property that stores the time at which the socket was accepted, or at which its PROXY header was complete. */
const ACCEPTED_AT = Symbol('accepted at')
/** Property of a socket: the peer's address according to a PROXY header. */
const SOURCE = Symbol('source')

interface AcceptedSocket extends Socket {
  [ACCEPTED_AT]?: number
  [SOURCE]?: ProxySource | undefined
}

/** Minimum TLS version. RFC 9325 §3.1.1: do not negotiate TLS 1.1 or older. */
const MIN_VERSION = 'TLSv1.2'
/** Session ID context. It is the same for all certificates, so that a ticket is valid for each of them. */
const SESSION_ID_CONTEXT = 'fw'
/** Timeout that stands for no limit, because `node:tls` replaces 0 with its own default. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/** Accepts TLS connections on one port. Chooses the certificate by the name that the client requests. */
export class TlsAcceptor {
  readonly server: Server
  readonly #logger: Logger | undefined
  /** Connections whose handshake is in progress. */
  readonly #handshakes = new ChurnSet<Socket>()
  readonly #ticketKeys: TicketKeys
  #rotation: NodeJS.Timeout
  #certificates: CertificateSet
  #contexts = new Map<TlsCredentials, SecureContext>()
  #isClosed = false

  constructor({
    certificates,
    protocols,
    handshakeTimeoutMs,
    socket,
    ticketKeys,
    logger,
    onSecure,
    onFailed,
  }: TlsAcceptorOptions) {
    this.#ticketKeys = ticketKeys
    this.#certificates = certificates
    this.#logger = logger
    this.server = createServer(
      {
        ...socket,
        ...this.#contextOptions(certificates.first),
        ALPNProtocols: [...protocols],
        handshakeTimeout: handshakeTimeoutMs === 0 ? NO_TIMEOUT_MS : handshakeTimeoutMs,
        SNICallback: (name, response) => response(null, this.#contextFor(name)),
      },
      (secure) => {
        const raw: AcceptedSocket = rawOf(secure)
        this.#handshakes.delete(raw)
        // The acceptor has destroyed the socket while this event was pending.
        if (this.#isClosed) secure.destroy()
        else onSecure(secure, raw[ACCEPTED_AT] ?? performance.now(), raw[SOURCE])
      },
    )
    this.server.on('connection', (raw: AcceptedSocket) => {
      raw[ACCEPTED_AT] = performance.now()
      this.#handshakes.add(raw)
      raw.once('close', () => {
        if (this.#handshakes.delete(raw)) onFailed()
      })
    })
    // Clients cause failed handshakes, so log them only at Debug.
    this.server.on('tlsClientError', (error: Error, failed: TLSSocket) => {
      const { [SOURCE]: source }: AcceptedSocket = rawOf(failed)
      const address = source?.address ?? failed.remoteAddress ?? 'a client'
      this.#logger?.debug('TLS handshake with {} failed: {}', address, error.message)
      failed.destroy()
    })
    this.#rotation = this.#renewTicketKeysLater()
  }

  /**
   * Starts the handshake of a connection that another server has accepted.
   *
   * @param source The peer's address according to a PROXY header
   */
  accept(raw: Socket, source: ProxySource | undefined): void {
    const accepted: AcceptedSocket = raw
    accepted[SOURCE] = source
    // Node.js documents this way to pass a connection to a TLS server.
    this.server.emit('connection', accepted)
  }

  /** Uses these certificates for new handshakes. Earlier sessions can still be resumed. */
  use(certificates: CertificateSet): void {
    this.#certificates = certificates
    this.#contexts = new Map()
    this.server.setSecureContext(this.#contextOptions(certificates.first))
  }

  /** Number of handshakes in progress. */
  get pending(): number {
    return this.#handshakes.size
  }

  /** Destroys connections in a handshake, and those whose handshake completes later. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#rotation)
    this.#handshakes.forEach((socket) => socket.destroy())
  }

  #contextFor(name: string): SecureContext {
    const credentials = this.#certificates.choose(name)
    let context = this.#contexts.get(credentials)
    if (context === undefined) {
      context = createSecureContext(this.#contextOptions(credentials))
      this.#contexts.set(credentials, context)
    }
    return context
  }

  #contextOptions({ key, cert }: TlsCredentials): {
    key: string
    cert: string
    minVersion: typeof MIN_VERSION
    secureOptions: number
    sessionIdContext: string
    ticketKeys: Buffer
  } {
    return {
      key,
      cert,
      minVersion: MIN_VERSION,
      // RFC 9113 §9.2.1 forbids renegotiation. On HTTP/1.1, renegotiation would allow a client to repeat expensive
      // handshakes.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      sessionIdContext: SESSION_ID_CONTEXT,
      ticketKeys: this.#ticketKeys.current(),
    }
  }

  #renewTicketKeysLater(): NodeJS.Timeout {
    return setTimeout(() => {
      this.use(this.#certificates)
      this.#rotation = this.#renewTicketKeysLater()
    }, TicketKeys.remainingMs()).unref()
  }
}

/**
 * Returns the socket below a TLS socket, from an undocumented Node.js property. Addresses would identify the socket
 * only on TCP, because Unix sockets have none.
 */
function rawOf(secure: TLSSocket): Socket {
  return Reflect.get(secure, '_parent') as Socket
}
