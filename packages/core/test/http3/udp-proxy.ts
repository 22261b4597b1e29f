import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** Relays datagrams between one client and a server on 127.0.0.1, like a NAT router. */
export class UdpProxy implements AsyncDisposable {
  /** Port to which the client sends. */
  readonly port: number
  /** The server's port. It can be changed later. */
  serverPort: number
  readonly #inner: Socket
  #outer: Socket
  #clientPort = 0
  /** Called for each datagram; returns false to drop it. */
  onDatagram: (direction: 'to-server' | 'to-client', datagram: Buffer) => boolean = () => true

  private constructor(serverPort: number, inner: Socket, outer: Socket) {
    this.serverPort = serverPort
    this.#inner = inner
    this.#outer = outer
    this.port = inner.address().port
    inner.on('message', (datagram, { port }) => {
      this.#clientPort = port
      if (this.onDatagram('to-server', datagram)) this.#outer.send(datagram, this.serverPort, '127.0.0.1')
    })
    this.#forwardBack(outer)
  }

  static async open(serverPort: number): Promise<UdpProxy> {
    return new UdpProxy(serverPort, await openSocket(), await openSocket())
  }

  /** Source port of the datagrams that the server receives. */
  get sourcePort(): number {
    return this.#outer.address().port
  }

  /** Changes the source port, like a NAT router that has dropped its mapping. Datagrams to the old port are lost. */
  async rebind(): Promise<void> {
    const old = this.#outer
    const outer = await openSocket()
    this.#forwardBack(outer)
    this.#outer = outer
    old.close()
  }

  /** Sends a datagram to the client from the server's address. */
  inject(datagram: Uint8Array): void {
    this.#inner.send(datagram, this.#clientPort, '127.0.0.1')
  }

  /** Sends a held datagram from the client to the server. */
  forward(datagram: Uint8Array): void {
    this.#outer.send(datagram, this.serverPort, '127.0.0.1')
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#inner.close()
    this.#outer.close()
    return Promise.resolve()
  }

  #forwardBack(outer: Socket): void {
    outer.on('message', (datagram) => {
      if (this.onDatagram('to-client', datagram)) this.#inner.send(datagram, this.#clientPort, '127.0.0.1')
    })
  }
}

async function openSocket(): Promise<Socket> {
  const socket = createSocket('udp4')
  const listening = once(socket, 'listening')
  socket.bind(0, '127.0.0.1')
  await listening
  return socket
}
