import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Bindable, SocketAddress } from './binding.ts'
import { Deadlines } from './deadlines.ts'
import type { Drainable, EngineHost } from './engine.ts'
import { Http1Connection } from './http1/connection.ts'
import { Http2Session } from './http2/session.ts'
import type { TlsCredentials } from './tls-credentials.ts'
import { pathOfSocket } from './unix-socket.ts'

export interface TcpListenerOptions {
  readonly host: EngineHost
  /** Absent for clear text. */
  readonly tls: TlsCredentials | undefined
  readonly http2: boolean
}

/** One TCP port or Unix socket: accepts connections and gives each to the engine it asks for. */
export class TcpListener implements Bindable {
  readonly #server: Server
  readonly #options: TcpListenerOptions
  readonly #scheme: 'http' | 'https'
  readonly #deadlines = new Deadlines()
  readonly #connections = new Set<Drainable>()
  /** TLS connections that have not agreed on a protocol yet, by the address and port of the peer. */
  readonly #handshakes = new Map<string, Socket>()
  readonly #perAddress = new Map<string, number>()
  #onEmpty: (() => void) | undefined = undefined
  #drained: Promise<void> | undefined = undefined
  #fd = -1

  constructor(options: TcpListenerOptions) {
    this.#options = options
    this.#scheme = options.tls === undefined ? 'http' : 'https'
    // A request may end before its connection does: half-open sockets are for the engine to judge.
    const socketOptions = { allowHalfOpen: true, noDelay: true }
    if (options.tls === undefined) {
      this.#server = createTcpServer(socketOptions, (socket) => this.#serveHttp1(socket))
      this.#limitConnections()
      return
    }
    const ALPNProtocols = options.http2 ? ['h2', 'http/1.1'] : ['http/1.1']
    this.#server = createTlsServer(
      { ...socketOptions, ...options.tls, ALPNProtocols, handshakeTimeout: options.host.limits.headTimeoutMs },
      (socket: TLSSocket) => {
        this.#handshakes.delete(peerOf(socket))
        if (socket.alpnProtocol === 'h2') this.#serveHttp2(socket)
        else this.#serveHttp1(socket)
      },
    )
    this.#server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket)
      this.#handshakes.set(peer, socket)
      socket.once('close', () => this.#handshakes.delete(peer))
    })
    this.#limitConnections()
    // A failed handshake is the client's affair; its socket is destroyed.
    this.#server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy())
  }

  /** Where the listener is bound; a path for a Unix socket. */
  address(): AddressInfo | string {
    return this.#server.address() ?? pathOfSocket(this.#fd)
  }

  /** @throws the error of the operating system */
  listen(address: SocketAddress): Promise<void> {
    // Of a Unix socket that was passed the server knows no more.
    this.#fd = address.fd ?? -1
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(address, () => {
        this.#server.off('error', reject)
        // Running out of descriptors must not end the process; accepting goes on when there are some again.
        this.#server.on('error', () => {})
        resolve()
      })
    })
  }

  /** Accepts nothing more and lets every connection finish; resolves when all are closed. */
  drain(): Promise<void> {
    return (this.#drained ??= this.#drain())
  }

  /** Ends every connection now. */
  destroy(): void {
    this.#server.close()
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const connection of this.#connections) connection.destroy()
  }

  #drain(): Promise<void> {
    this.#server.close()
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const connection of this.#connections) connection.drain()
    if (this.#connections.size === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onEmpty = resolve))
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

  #serveHttp1(socket: Socket): void {
    const connection = new Http1Connection(socket, {
      scheme: this.#scheme,
      host: this.#options.host,
      deadlines: this.#deadlines,
      // Prior knowledge (RFC 9113 §3.3); over TLS the protocol is negotiated instead.
      onHttp2: this.#options.http2 && this.#scheme === 'http' ? (taken) => this.#serveHttp2(taken) : undefined,
      onClose: (closed) => this.#forget(closed),
    })
    this.#connections.add(connection)
  }

  #serveHttp2(socket: Socket): void {
    const session = new Http2Session(socket, {
      scheme: this.#scheme,
      host: this.#options.host,
      deadlines: this.#deadlines,
      onClose: (closed) => this.#forget(closed),
    })
    this.#connections.add(session)
  }

  #forget(connection: Drainable): void {
    this.#connections.delete(connection)
    if (this.#connections.size === 0) this.#onEmpty?.()
  }
}

/** Tells the connections of one port apart, the same before and after a TLS handshake. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
