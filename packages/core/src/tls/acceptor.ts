import { constants } from 'node:crypto'
import type { ServerOpts, Socket } from 'node:net'
import { createServer, createSecureContext, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import type { Logger } from '@fw/log'
import type { CertificateSet } from './certificate-set.ts'
import { ChurnSet } from '../engine/collections/churn-set.ts'
import { TicketKeys } from './ticket-keys.ts'
import type { TlsCredentials } from './credentials.ts'

export interface TlsAcceptorOptions {
  readonly certificates: CertificateSet
  /** Protocols to agree on, the best one first (RFC 7301). */
  readonly protocols: readonly string[]
  /** For the whole handshake; 0 for no limit. */
  readonly handshakeTimeoutMs: number
  readonly socket: ServerOpts
  readonly ticketKeys: TicketKeys
  readonly logger: Logger | undefined
  /** Takes over each connection whose handshake is done. */
  readonly onSecure: (socket: TLSSocket) => void
  /** A handshake has come to nothing. */
  readonly onFailed: () => void
}

/** RFC 9325 §3.1.1: what is older is not to be negotiated. */
const MIN_VERSION = 'TLSv1.2'
/** Sessions are resumed by the ticket alone, whichever certificate the connection is for. */
const SESSION_ID_CONTEXT = 'fw'
/** `node:tls` takes 0 for its own default. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/** The TLS of one port: handshakes with the certificate for the name that the client asks for. */
export class TlsAcceptor {
  readonly server: Server
  readonly #logger: Logger | undefined
  /** Connections whose handshake is not done. */
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
        this.#handshakes.delete(rawOf(secure))
        // Its socket was destroyed, but the event was on its way.
        if (this.#isClosed) secure.destroy()
        else onSecure(secure)
      },
    )
    this.server.on('connection', (raw: Socket) => {
      this.#handshakes.add(raw)
      raw.once('close', () => {
        if (this.#handshakes.delete(raw)) onFailed()
      })
    })
    // A failed handshake is the client's affair; its socket is destroyed.
    this.server.on('tlsClientError', (error: Error, failed: TLSSocket) => {
      this.#logger?.debug('TLS handshake with {} failed: {}', failed.remoteAddress ?? 'a client', error.message)
      failed.destroy()
    })
    this.#rotation = this.#renewTicketKeysLater()
  }

  /** For handshakes that begin from now on. Sessions from before are resumed all the same. */
  use(certificates: CertificateSet): void {
    this.#certificates = certificates
    this.#contexts = new Map()
    this.server.setSecureContext(this.#contextOptions(certificates.first))
  }

  /** Handshakes that are under way. */
  get pending(): number {
    return this.#handshakes.size
  }

  /** Ends what has not come to a connection, and will not let it come to one. */
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
      // RFC 9113 §9.2.1, and of no use with HTTP/1.1: a client may ask for handshakes again and again.
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
 * The socket that a TLS socket was made of. Nothing documented leads there: addresses tell peers apart on TCP only, for on
 * a Unix socket they have none.
 */
function rawOf(secure: TLSSocket): Socket {
  return Reflect.get(secure, '_parent') as Socket
}
