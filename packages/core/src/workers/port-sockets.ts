import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import * as net from 'node:net'

/** What a worker can listen on although its primary opened it; only `net.Server` looks inside. */
export type SocketHandle = object

/** A free TCP port whose UDP port is taken is given back, this many times. */
const PORT_TRIES = 20

export interface PortSocketsOptions {
  readonly port: number
  readonly host: string | undefined
  /** How many sockets share the port. */
  readonly count: number
  /** Other programs may share the port too. */
  readonly reusePort: boolean
  /** Whether the UDP port of the same number has to be free. */
  readonly udp: boolean
}

/**
 * Sockets bound to one port with SO_REUSEPORT, one for each worker: the kernel spreads new connections over them. They
 * are held here and never listened on here, so that connections which wait for a worker outlive it.
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

  /** Whether the system can do this: Linux spreads connections over such sockets, and Node.js 26.4 can hold them. */
  static get isSupported(): boolean {
    return process.platform === 'linux' && typeof net.BoundSocket === 'function'
  }

  /** @throws {Error} the system's, such as EADDRINUSE */
  static async open(options: PortSocketsOptions): Promise<PortSockets> {
    const host = await addressOf(options.host)
    for (let attempt = 1; ; attempt++) {
      const sockets: net.Socket[] = []
      try {
        // The port of somebody else who shares it would be shared without a word: it has to be free first.
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
    // What `net.Server` looks for in an object that it is told to listen on.
    return socket === undefined ? undefined : (Reflect.get(socket, '_handle') as SocketHandle)
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** As `net.Server`: the first address of a name; without one all addresses, of IPv6 too where there is IPv6. */
async function addressOf(host: string | undefined): Promise<string> {
  if (host !== undefined) return net.isIP(host) === 0 ? (await lookup(host)).address : host
  try {
    new net.BoundSocket({ host: '::', port: 0 }).close()
    return '::'
  } catch {
    return '0.0.0.0'
  }
}

/** @throws {Error} if the UDP port is taken */
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
