import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import { testCertificate } from './certificate.ts'
import type { ClientRequest, ClientResponse, ConnectOptions, ProtocolClient } from './client.ts'
import { exchange } from './h2/exchange.ts'

/** How to connect over HTTP/2. */
export type ConnectH2Options = ConnectOptions & {
  /** Over TLS, to a server with the certificate of `testCertificate()`; otherwise with prior knowledge. */
  tls?: boolean
}

/** For streams to end by themselves when the client closes. */
const CLOSE_GRACE_MS = 500

/** An HTTP/2 client over `node:http2`. One connection carries everything; it is opened again when the server ended it. */
export async function connectH2(options: ConnectH2Options): Promise<ProtocolClient> {
  const client = new H2Client(options)
  await client.session()
  return client
}

class H2Client implements ProtocolClient {
  readonly protocol: 'h2' | 'h2c'
  readonly #options: ConnectH2Options
  #session: ClientHttp2Session | undefined

  constructor(options: ConnectH2Options) {
    this.#options = options
    this.protocol = options.tls === true ? 'h2' : 'h2c'
  }

  /** The connection, a new one if there is none that takes requests. */
  async session(): Promise<ClientHttp2Session> {
    const current = this.#session
    if (current !== undefined && !current.closed && !current.destroyed) return current
    this.#session = await openSession(this.#options)
    return this.#session
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    const session = await this.session()
    return exchange(session, `${this.#options.host ?? '127.0.0.1'}:${this.#options.port}`, request)
  }

  async close(): Promise<void> {
    const session = this.#session
    if (session === undefined || session.destroyed) return
    const closed = once(session, 'close')
    session.close()
    const grace = new AbortController()
    await Promise.race([closed, setTimeout(CLOSE_GRACE_MS, undefined, { signal: grace.signal })])
    grace.abort()
    session.destroy()
  }
}

async function openSession({ port, host = '127.0.0.1', tls = false }: ConnectH2Options): Promise<ClientHttp2Session> {
  const settings = { enablePush: false }
  const session = tls
    ? connect(`https://${host}:${port}`, { ca: (await testCertificate()).cert, ALPNProtocols: ['h2'], settings })
    : connect(`http://${host}:${port}`, { settings })
  await once(session, 'connect')
  // What ends the session ends its streams, and the tests hear of it there.
  session.on('error', () => {})
  return session
}
