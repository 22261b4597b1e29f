import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import * as net from 'node:net'

/** Bound socket that a primary opens for a worker. Only `net.Server` uses its contents. */
export type SocketHandle = object

/** Maximum number of attempts to find a free TCP port whose UDP port is also free. */
const PORT_TRIES = 20

export interface PortSocketsOptions {
  readonly port: number
  readonly host: string | undefined
  /** Number of sockets that share the port. */
  readonly count: number
  /** Whether other programs can also share the port. */
  readonly reusePort: boolean
  /** Whether the UDP port with the same number must be free. */
  readonly udp: boolean
}

/**
 * Binds one socket per worker to a port with SO_REUSEPORT. The kernel distributes new connections among them. The
 * primary keeps them open without listening, so that waiting connections survive when a worker ends.
 */
// docs/decisions/0080
export class PortSockets {
  readonly port: number
  readonly host: string
  readonly #sockets: readonly net.Socket[]

  private constructor(host: string, port: number, sockets: readonly net.Socket[]) {
    this.host = host
    this.port = port
    this.#sockets = sockets
  }

  /**
   * Whether the system supports this class, which requires SO_REUSEPORT on Linux and `net.BoundSocket` from Node.js
   * 26.4.
   */
  static get isSupported(): boolean {
    return process.platform === 'linux' && typeof net.BoundSocket === 'function'
  }

  /** @throws {Error} the operating system's error, such as EADDRINUSE */
  static async open(options: PortSocketsOptions): Promise<PortSockets> {
    const host = await addressOf(options.host)
    for (let attempt = 1; ; attempt++) {
      const sockets: net.Socket[] = []
      try {
        // Check that the port is free. Otherwise the sockets would silently share it with another program.
        if (!options.reusePort) new net.BoundSocket({ host, port: options.port }).close()
        let { port } = options
        for (let count = 0; count < options.count; count++) {
          const bound = new net.BoundSocket({ host, port, reusePort: true })
          ;({ port } = bound.address())
          sockets.push(new net.Socket({ handle: bound }))
        }
        if (options.udp && !options.reusePort) await checkUdp(host, port)
        return new PortSockets(host, port, sockets)
      } catch (error) {
        for (const socket of sockets) socket.destroy()
        const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
        if (!isTaken || options.port !== 0 || attempt === PORT_TRIES) throw error
      }
    }
  }

  handle(slot: number): SocketHandle | undefined {
    const socket = this.#sockets[slot]
    // `net.Server` accepts any object with this property.
    return socket === undefined ? undefined : (Reflect.get(socket, '_handle') as SocketHandle)
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/**
 * Resolves a host as `net.Server` does: to the first address of a name, or without a host to all addresses, including
 * IPv6 if available.
 */
async function addressOf(host: string | undefined): Promise<string> {
  if (host !== undefined) return net.isIP(host) === 0 ? (await lookup(host)).address : host
  try {
    new net.BoundSocket({ host: '::', port: 0 }).close()
    return '::'
  } catch {
    return '0.0.0.0'
  }
}

/** @throws {Error} if the UDP port is in use */
async function checkUdp(host: string, port: number): Promise<void> {
  const socket = createSocket(net.isIPv6(host) ? 'udp6' : 'udp4')
  const listening = once(socket, 'listening')
  try {
    socket.bind({ port, address: host, exclusive: true })
    await listening
  } finally {
    socket.close()
  }
}
