import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { peerAddress, type ProxySource } from '@fw/client-address'
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
import type { ProxyProtocolOptions } from '../options/proxy-protocol-options.ts'
import { ProxyHeaders } from './proxy-headers.ts'
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
  /** The proxies that send a PROXY header. Default: none. */
  readonly proxyProtocol?: ProxyProtocolOptions | undefined
}

/** Accepts connections on one TCP port or Unix socket, and passes each to the engine for its protocol. */
export class TcpListener implements Bindable {
  readonly #server: Server
  readonly #options: TcpListenerOptions
  readonly #hostWithoutHttp3: EngineHost
  /** Options that all connections of a host share. Allocated once instead of for each connection. */
  readonly #http1Options = new Map<EngineHost, Http1ConnectionOptions>()
  readonly #tls: TlsAcceptor | undefined
  readonly #proxyHeaders: ProxyHeaders | undefined
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
    this.#tls =
      options.tls === undefined
        ? undefined
        : new TlsAcceptor({
            certificates: options.tls,
            protocols: options.http2 ? ['h2', ...HTTP1_PROTOCOLS] : HTTP1_PROTOCOLS,
            handshakeTimeoutMs: options.host.limits.tlsHandshakeTimeoutMs,
            socket: socketOptions,
            ticketKeys: new TicketKeys(options.ticketSecret),
            logger: options.host.logger,
            onSecure: (socket, openedAt, source) => this.#serveSecure(socket, openedAt, source),
            onFailed: () => this.#settle(),
          })
    const { proxyProtocol } = options
    if (proxyProtocol === undefined) {
      this.#proxyHeaders = undefined
      this.#server = this.#tls?.server ?? createTcpServer(socketOptions, (socket) => this.#serveCleartext(socket))
      if (options.host.limits.maxConnectionsPerAddress > 0) {
        this.#server.on('connection', (socket: Socket) => this.#countAddress(socket, socket.remoteAddress))
      }
    } else {
      const headers = new ProxyHeaders({
        proxyProtocol,
        deadlines: this.#deadlines,
        logger: options.host.logger,
        onReady: (socket, source) => this.#serveProxied(socket, source),
        onClosed: () => this.#settle(),
      })
      this.#proxyHeaders = headers
      this.#server = createTcpServer(socketOptions, (socket) => headers.accept(socket, this.#isUnixSocket))
    }
    this.#server.on('connection', () => turns.onAccepted())
    const { maxConnections } = options.host.limits
    if (maxConnections > 0) this.#server.maxConnections = maxConnections
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
    this.#closeUnready()
    this.#connections.forEach((connection) => connection.destroy())
  }

  /** Calls `visit` for each open connection. */
  eachConnection(visit: (connection: Drainable) => void): void {
    this.#connections.forEach(visit)
  }

  #drain(): Promise<void> {
    this.#server.close()
    this.#connections.forEach((connection) => connection.drain())
    // A client in a TLS handshake, or before its PROXY header, is about to send a request. Give the client a short
    // time to do so.
    const { drainIdleMs } = this.#options.host.limits
    const close = (): void => this.#closeUnready()
    const timer = drainIdleMs === 0 ? undefined : setTimeout(close, drainIdleMs)
    // Bytes can already be in the kernel. The event loop reads them in this turn or the next one.
    if (timer === undefined) setImmediate(() => setImmediate(close))
    return new Promise((resolve) => {
      this.#onEmpty = () => {
        clearTimeout(timer)
        this.#closeUnready()
        resolve()
      }
      this.#settle()
    })
  }

  /** Destroys the connections that cannot have a request yet. */
  #closeUnready(): void {
    this.#tls?.close()
    this.#proxyHeaders?.close()
  }

  /** Counts the connections of an address. Destroys one above the limit. @returns Whether the connection is kept */
  #countAddress(socket: Socket, source: string | undefined): boolean {
    const { maxConnectionsPerAddress } = this.#options.host.limits
    if (maxConnectionsPerAddress === 0) return true
    // On a dual-stack listener, a socket has an IPv4-mapped address, and a PROXY header can state the same one as IPv4.
    const address = peerAddress(source)
    if (address === undefined) return true
    const open = this.#perAddress
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
    if (count <= maxConnectionsPerAddress) return true
    socket.destroy()
    return false
  }

  /**
   * Serves a connection whose PROXY header is complete, or that sends none. Address limits apply to the client of a
   * proxy, not to the proxy.
   */
  #serveProxied(socket: Socket, source: ProxySource | undefined): void {
    if (this.#hasLeft(socket)) {
      socket.destroy()
      this.#settle()
    } else if (!this.#countAddress(socket, source === undefined ? socket.remoteAddress : source.address)) this.#settle()
    else if (this.#tls === undefined) this.#serveCleartext(socket, source)
    else this.#tls.accept(socket, source)
  }

  #serveCleartext(socket: Socket, source?: ProxySource): void {
    if (this.#hasLeft(socket)) socket.destroy()
    else this.#serveHttp1(new SocketTransport(socket, false, undefined, source), this.#options.host)
  }

  /**
   * Reports whether the client has already closed the TCP connection, which clears the socket's address. Without an
   * address, the request would look like one over a Unix socket, whose peer `trustProxy` trusts.
   */
  #hasLeft(socket: Socket): boolean {
    return socket.remoteAddress === undefined && !this.#isUnixSocket
  }

  #serveSecure(socket: TLSSocket, openedAt: number, source: ProxySource | undefined): void {
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
    const transport = new SocketTransport(socket, true, openedAt, source)
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
      const headers = this.#scheme === 'http' ? this.#proxyHeaders : undefined
      options = {
        host,
        deadlines: this.#deadlines,
        // Prior knowledge (RFC 9113 §3.3). Over TLS, ALPN negotiates the protocol instead.
        onHttp2:
          this.#options.http2 && this.#scheme === 'http' ? (taken) => this.#switchToHttp2(taken, host) : undefined,
        onReceiving: (isShared) => this.#notifyReceiving(isShared),
        onRefusedStart: headers && ((received, of) => headers.onRefusedStart(received, of)),
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
    const unready = (this.#tls?.pending ?? 0) + (this.#proxyHeaders?.pending ?? 0)
    if (this.#connections.size === 0 && unready === 0) this.#onEmpty?.()
  }
}
