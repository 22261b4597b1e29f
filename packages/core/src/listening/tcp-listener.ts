import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { CertificateSet } from '../tls/certificate-set.ts'
import { Level } from '@fw/log'
import type { Bindable, SocketAddress } from './bind.ts'
import { ChurnSet } from '../engine/collections/churn-set.ts'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { Http1Connection } from '../http1/connection.ts'
import type { Http1ConnectionOptions } from '../http1/connection-options.ts'
import { Http2Connection } from '../http2/connection.ts'
import { RECEIVE_BUFFER_BYTES } from '../engine/socket/receive-buffer.ts'
import { connectionTrace, traceOpen } from '../engine/tracing/connection-trace.ts'
import { SocketTransport } from '../engine/socket/socket-transport.ts'
import type { Transport } from '../engine/transport.ts'
import { TicketKeys, type TicketSecret } from '../tls/ticket-keys.ts'
import { TlsAcceptor } from '../tls/acceptor.ts'
import { turns } from '../engine/event-loop/turns.ts'
import { pathOfSocket } from './unix-socket.ts'

/**
 * ALPN names of the HTTP/1 engine (RFC 7301 §6). A client that offers only `http/1.0` would otherwise receive an alert.
 */
const HTTP1_PROTOCOLS = ['http/1.1', 'http/1.0'] as const

export interface TcpListenerOptions {
  readonly host: EngineHost
  /** Certificates; `undefined` without TLS. */
  readonly tls: CertificateSet | undefined
  readonly http2: boolean
  /** Secret that this process shares with the other processes that serve the port. */
  readonly ticketSecret?: TicketSecret | undefined
}

/** Accepts connections on one TCP port or Unix socket, and passes each to the engine for its protocol. */
export class TcpListener implements Bindable {
  readonly #server: Server
  readonly #options: TcpListenerOptions
  readonly #hostWithoutHttp3: EngineHost
  /** Options that all connections of a host share. Allocated once instead of for each connection. */
  readonly #http1Options = new Map<EngineHost, Http1ConnectionOptions>()
  readonly #tls: TlsAcceptor | undefined
  readonly #scheme: 'http' | 'https'
  readonly #deadlines = new Deadlines()
  readonly #connections = new ChurnSet<Drainable>('place')
  readonly #perAddress = new Map<string, number>()
  #onEmpty: (() => void) | undefined = undefined
  #drained: Promise<void> | undefined = undefined
  #fd = -1
  #isUnixSocket = false
  #hasNotifiedReceiving = false
  #certificates: CertificateSet | undefined

  constructor(options: TcpListenerOptions) {
    this.#options = options
    this.#certificates = options.tls
    this.#hostWithoutHttp3 = { ...options.host, altSvc: options.host.altSvc === 'clear' ? 'clear' : '' }
    this.#scheme = options.tls === undefined ? 'http' : 'https'
    // Keep half-open sockets, because a client can end its side before it reads the response. The engine decides how to
    // proceed.
    const socketOptions = { allowHalfOpen: true, noDelay: true }
    if (options.tls === undefined) {
      this.#tls = undefined
      this.#server = createTcpServer(socketOptions, (socket) => this.#serveCleartext(socket))
    } else {
      this.#tls = new TlsAcceptor({
        certificates: options.tls,
        protocols: options.http2 ? ['h2', ...HTTP1_PROTOCOLS] : HTTP1_PROTOCOLS,
        handshakeTimeoutMs: options.host.limits.tlsHandshakeTimeoutMs,
        socket: socketOptions,
        ticketKeys: new TicketKeys(options.ticketSecret),
        logger: options.host.logger,
        onSecure: (socket, openedAt) => this.#serveSecure(socket, openedAt),
        onFailed: () => this.#settle(),
      })
      this.#server = this.#tls.server
    }
    this.#server.on('connection', () => turns.onAccepted())
    this.#limitConnections()
  }

  /** Returns the address to which the listener is bound, or the path of a Unix socket. */
  address(): AddressInfo | string {
    return this.#server.address() ?? pathOfSocket(this.#fd)
  }

  /** @throws {Error} the operating system's error, such as EADDRINUSE */
  listen(address: SocketAddress): Promise<void> {
    // `net.Server` cannot report the path of a Unix socket that was passed as a descriptor.
    this.#fd = address.fd ?? -1
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ ...address, backlog: this.#options.host.limits.maxPendingConnections }, () => {
        this.#server.off('error', reject)
        // Ignore EMFILE, which would otherwise end the process. The server accepts connections again as soon as
        // descriptors are free.
        this.#server.on('error', () => {})
        this.#isUnixSocket = typeof this.address() === 'string'
        resolve()
      })
    })
  }

  /** Uses these certificates for new connections. */
  useCertificates(certificates: CertificateSet): void {
    this.#certificates = certificates
    this.#tls?.use(certificates)
  }

  /** Stops accepting connections, and drains the open ones. Resolves when all are closed. */
  drain(): Promise<void> {
    return (this.#drained ??= this.#drain())
  }

  /** Destroys every connection immediately. */
  destroy(): void {
    this.#server.close()
    this.#tls?.close()
    this.#connections.forEach((connection) => connection.destroy())
  }

  /** Calls `visit` for each open connection. */
  eachConnection(visit: (connection: Drainable) => void): void {
    this.#connections.forEach(visit)
  }

  #drain(): Promise<void> {
    this.#server.close()
    this.#connections.forEach((connection) => connection.drain())
    // A client in a TLS handshake is about to send a request. Give it a short time for both.
    const { drainIdleMs } = this.#options.host.limits
    const timer = drainIdleMs === 0 ? undefined : setTimeout(() => this.#tls?.close(), drainIdleMs)
    return new Promise((resolve) => {
      this.#onEmpty = () => {
        clearTimeout(timer)
        this.#tls?.close()
        resolve()
      }
      this.#settle()
    })
  }

  #limitConnections(): void {
    const { maxConnections, maxConnectionsPerAddress } = this.#options.host.limits
    if (maxConnections > 0) this.#server.maxConnections = maxConnections
    if (maxConnectionsPerAddress === 0) return
    const open = this.#perAddress
    this.#server.on('connection', (socket: Socket) => {
      const { remoteAddress } = socket
      if (remoteAddress === undefined) return
      const count = (open.get(remoteAddress) ?? 0) + 1
      open.set(remoteAddress, count)
      socket.once('close', () => {
        const left = (open.get(remoteAddress) ?? 1) - 1
        if (left === 0) open.delete(remoteAddress)
        else open.set(remoteAddress, left)
      })
      if (count > maxConnectionsPerAddress) socket.destroy()
    })
  }

  #serveCleartext(socket: Socket): void {
    if (this.#hasLeft(socket)) socket.destroy()
    else this.#serveHttp1(new SocketTransport(socket, false), this.#options.host)
  }

  /**
   * Reports whether the client has already closed the TCP connection, which clears the socket's address. Without an
   * address, the request would look like one over a Unix socket, whose peer `trustProxy` trusts.
   */
  #hasLeft(socket: Socket): boolean {
    return socket.remoteAddress === undefined && !this.#isUnixSocket
  }

  #serveSecure(socket: TLSSocket, openedAt: number): void {
    if (this.#hasLeft(socket)) {
      socket.destroy()
      this.#settle()
      return
    }
    const { servername, alpnProtocol } = socket
    // HTTP/3 uses only the first certificate. Do not announce it to clients that use another one (docs/decisions/0071).
    const isFirst =
      typeof servername !== 'string' || this.#certificates?.choose(servername) === this.#certificates?.first
    const host = isFirst ? this.#options.host : this.#hostWithoutHttp3
    const transport = new SocketTransport(socket, true, openedAt)
    if (alpnProtocol === 'h2') {
      traceOpen(transport, 'HTTP/2.0')
      this.#serveHttp2(transport, host)
    } else this.#serveHttp1(transport, host)
  }

  #serveHttp1(transport: Transport, host: EngineHost): void {
    this.#notify(transport, 'HTTP/1.1')
    traceOpen(transport, 'HTTP/1.1')
    let options = this.#http1Options.get(host)
    if (options === undefined) {
      options = {
        host,
        deadlines: this.#deadlines,
        // Prior knowledge (RFC 9113 §3.3). Over TLS, ALPN negotiates the protocol instead.
        onHttp2:
          this.#options.http2 && this.#scheme === 'http' ? (taken) => this.#switchToHttp2(taken, host) : undefined,
        onReceiving: (isShared) => this.#notifyReceiving(isShared),
        onClose: (closed) => this.#forget(closed),
      }
      this.#http1Options.set(host, options)
    }
    this.#add(new Http1Connection(transport, options))
  }

  #serveHttp2(transport: Transport, host: EngineHost): void {
    this.#notify(transport, 'HTTP/2.0')
    const connection = new Http2Connection(transport, {
      host,
      deadlines: this.#deadlines,
      onClose: (closed) => this.#forget(closed),
    })
    this.#add(connection)
  }

  #switchToHttp2(transport: Transport, host: EngineHost): void {
    // Subscribers to `fw.connection.open` already have the connection's trace.
    if (transport.trace !== undefined) connectionTrace(transport, 'HTTP/2.0')
    this.#serveHttp2(transport, host)
  }

  #add(connection: Drainable): void {
    this.#connections.add(connection)
    if (this.#drained !== undefined) connection.drain()
  }

  #notify({ remoteAddress, remotePort }: Transport, protocol: string): void {
    const { logger } = this.#options.host
    if (logger?.isEnabled(Level.Debug) !== true) return
    logger.debug(
      'Connection from {} port {} ({}, {})',
      remoteAddress ?? 'a Unix socket',
      remotePort ?? '-',
      this.#scheme,
      protocol,
    )
  }

  #notifyReceiving(isShared: boolean): void {
    if (this.#hasNotifiedReceiving) return
    this.#hasNotifiedReceiving = true
    const { logger } = this.#options.host
    if (isShared) logger?.debug('Receive buffer: one of {} bytes, shared by all connections', RECEIVE_BUFFER_BYTES)
    else logger?.debug('Receive buffer: one per read, because this Node.js version cannot share one')
  }

  #forget(connection: Drainable): void {
    this.#connections.delete(connection)
    // Settle later, because a connection that turns out to be HTTP/2 is replaced by another connection object.
    if (this.#drained !== undefined) queueMicrotask(() => this.#settle())
  }

  #settle(): void {
    if (this.#connections.size === 0 && (this.#tls?.pending ?? 0) === 0) this.#onEmpty?.()
  }
}
