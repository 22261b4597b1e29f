import { once } from 'node:events'
import { type Socket, connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from './certificate.ts'
import type { ClientRequest, ClientResponse, ConnectOptions, ProtocolClient } from './client.ts'
import { Connection } from './h1/connection.ts'

/** How to connect over HTTP/1.1. */
export type ConnectH1Options = ConnectOptions & {
  /** Over TLS, to a server with the certificate of `testCertificate()`. */
  tls?: boolean
}

/**
 * An HTTP/1.1 client that accepts only what RFC 9112 lets a server send, so that every test checks the answers' form too.
 *
 * Connections are kept for the next request once their answer was read to its end; requests at the same time get
 * connections of their own. Nothing is ever sent twice.
 */
export async function connectH1(options: ConnectH1Options): Promise<ProtocolClient> {
  const client = new H1Client(options)
  await client.warmUp()
  return client
}

class H1Client implements ProtocolClient {
  readonly protocol: 'h1' | 'h1+tls'
  readonly #options: ConnectH1Options
  readonly #authority: string
  readonly #all = new Set<Connection>()
  #idle: Connection[] = []
  #fault: Error | undefined

  constructor(options: ConnectH1Options) {
    this.#options = options
    this.#authority = `${options.host ?? '127.0.0.1'}:${options.port}`
    this.protocol = options.tls === true ? 'h1+tls' : 'h1'
  }

  /** Opens the first connection, so that a server that is not there is noticed at once. */
  async warmUp(): Promise<void> {
    this.#idle.push(await this.#open())
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    this.#throwFault()
    this.#idle = this.#idle.filter((connection) => connection.isOpen)
    const connection = this.#idle.pop() ?? (await this.#open())
    return connection.exchange(request)
  }

  close(): Promise<void> {
    for (const connection of this.#all) connection.destroy()
    this.#throwFault()
    return Promise.resolve()
  }

  async #open(): Promise<Connection> {
    const socket = await openSocket(this.#options)
    const connection = new Connection(socket, this.#authority, {
      onIdle: (free) => this.#idle.push(free),
      onFault: (error) => (this.#fault = error),
    })
    this.#all.add(connection)
    socket.once('close', () => this.#all.delete(connection))
    return connection
  }

  #throwFault(): void {
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
  }
}

/** A connected socket that stays half-open, so that the server's end of the connection is seen apart from ours. */
export async function openSocket({ port, host = '127.0.0.1', tls = false }: ConnectH1Options): Promise<Socket> {
  const address = { port, host, allowHalfOpen: true }
  if (!tls) {
    const socket = connectTcp({ ...address, noDelay: true })
    await once(socket, 'connect')
    return socket
  }
  const { cert } = await testCertificate()
  const socket = connectTls({ ...address, ca: cert, ALPNProtocols: ['http/1.1'] })
  await once(socket, 'secureConnect')
  socket.setNoDelay(true)
  return socket
}
