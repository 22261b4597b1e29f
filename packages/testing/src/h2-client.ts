import { once } from 'node:events'
import { connect } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import type { ClientRequest, ClientResponse, ConnectOptions, ProtocolClient } from './client.ts'
import { type Connection, exchange } from './h2/exchange.ts'
import { WatchedSocket } from './h2/watched-socket.ts'
import { openSocket } from './open-socket.ts'

/** Options of `connectH2`. */
export type ConnectH2Options = ConnectOptions & {
  /**
   * Connects over TLS to a server with the certificate from `testCertificate()`. Default: false, cleartext with prior
   * knowledge.
   */
  tls?: boolean
}

/** Time for open streams to end when the client closes, in milliseconds. */
const CLOSE_GRACE_MS = 500

/**
 * Opens an HTTP/2 client over `node:http2`. All requests share one connection; the client opens another one after the
 * server has closed it.
 */
export async function connectH2(options: ConnectH2Options): Promise<ProtocolClient> {
  const client = new H2Client(options)
  await client.connection()
  return client
}

class H2Client implements ProtocolClient {
  readonly protocol: 'h2' | 'h2c'
  readonly #options: ConnectH2Options
  #connection: Connection | undefined

  constructor(options: ConnectH2Options) {
    this.#options = options
    this.protocol = options.tls === true ? 'h2' : 'h2c'
  }

  /** Returns the current connection, or opens another one if the current one accepts no more requests. */
  async connection(): Promise<Connection> {
    const session = this.#connection?.session
    if (this.#connection === undefined || session?.closed === true || session?.destroyed === true) {
      this.#connection = await openConnection(this.#options)
    }
    return this.#connection
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    return exchange(await this.connection(), request)
  }

  async close(): Promise<void> {
    const session = this.#connection?.session
    if (session === undefined || session.destroyed) return
    // `once` would reject if the server resets the connection.
    const closed = new Promise<void>((resolve) => session.once('close', () => resolve()))
    session.close()
    const grace = new AbortController()
    await Promise.race([closed, setTimeout(CLOSE_GRACE_MS, undefined, { signal: grace.signal })])
    grace.abort()
    session.destroy()
  }
}

async function openConnection({
  port,
  host = '127.0.0.1',
  tls = false,
  ...trust
}: ConnectH2Options): Promise<Connection> {
  const socket = new WatchedSocket(await openSocket({ ...trust, port, host, tls: tls && 'h2' }))
  const scheme = tls ? 'https' : 'http'
  const authority = `${host}:${port}`
  const session = connect(`${scheme}://${authority}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
  })
  // Ignore the error, because it also ends the streams, which report it to the test.
  session.on('error', () => {})
  const over = new AbortController()
  session.once('close', () => over.abort())
  await once(session, 'remoteSettings', { signal: over.signal })
  return { session, scheme, authority, hasEnded: (streamId) => socket.endedStreams.has(streamId) }
}
