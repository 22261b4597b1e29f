import type { ClientRequest, ClientResponse, ConnectOptions, ProtocolClient } from './client.ts'
import { Connection } from './h1/connection.ts'
import { openSocket } from './open-socket.ts'

/** Options of `connectH1`. */
export type ConnectH1Options = ConnectOptions & {
  /** Connects over TLS to a server with the certificate from `testCertificate()`. Default: false. */
  tls?: boolean
}

/**
 * Opens an HTTP/1.1 client that rejects every response that RFC 9112 forbids.
 *
 * The client reuses a connection after the response has been read to its end. Concurrent requests use separate connections. The
 * client never retries a request.
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

  /** Opens the first connection, so that `connectH1` rejects if no server is listening. */
  async warmUp(): Promise<void> {
    this.#idle.push(await this.#open())
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    this.#throwFault()
    this.#idle = this.#idle.filter((connection) => connection.isOpen)
    const connection = this.#idle.pop() ?? (await this.#open())
    return connection.exchange(request)
  }

  async close(): Promise<void> {
    for (const connection of this.#all) connection.destroy()
    this.#throwFault()
  }

  async #open(): Promise<Connection> {
    const socket = await openSocket({ ...this.#options, tls: this.#options.tls === true && 'http/1.1' })
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
