import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connectH3, H3Frame, h3Frame, type H3Client, type RawStream } from '@fw/testing/h3'
import { vi } from 'vitest'
import { data, Flag, rstStream } from './http2/frames.ts'
import { block, headers, type Field } from './http2/hpack.ts'
import { RawClient } from './http2/raw-client.ts'
import { headWith } from './http3/raw-acts.ts'
import { ReceivedFrames } from './http3/received-frames.ts'

export const TUNNEL_PROTOCOLS = ['h1', 'h2', 'h3'] as const
export type TunnelProtocol = (typeof TUNNEL_PROTOCOLS)[number]

/** A connection that can open tunnels. HTTP/1.1 needs one connection for each. */
export interface TunnelConnection {
  open(path: string, token?: string, ...fields: readonly Field[]): Promise<TunnelClient>
  /** Closes the connection without an end of its streams. */
  destroy(): void
}

/** The client side of a tunnel. */
export interface TunnelClient {
  /** Status and fields of the response; `undefined` until it has arrived. */
  readonly response: { readonly status: number; readonly fields: ReadonlyMap<string, string> } | undefined
  /** Bytes received after the head, as Latin-1 text. */
  readonly text: string
  /** How the server ended its direction. */
  readonly ended: 'end' | 'reset' | undefined
  send(text: string): void
  /** Ends the direction of the client. */
  end(): void
  /** Aborts both directions. */
  abort(): void
}

const WAIT = { timeout: 30_000, interval: 2 }

/**
 * Connects to a server on 127.0.0.1 without TLS (`h1`, `h2`) or over QUIC.
 *
 * @param reads `false` for a client that does not read the bytes of its tunnels
 */
export async function connectTunnels(
  protocol: TunnelProtocol,
  port: number,
  { reads = true }: { readonly reads?: boolean } = {},
): Promise<TunnelConnection> {
  if (protocol === 'h1') return new Http1Tunnels(port, reads)
  if (protocol === 'h2') return new Http2Tunnels(await RawClient.connect(port))
  return new Http3Tunnels(await connectH3({ port }), reads)
}

/** Waits for the response head. */
export async function responseOf(client: TunnelClient): Promise<NonNullable<TunnelClient['response']>> {
  await vi.waitUntil(() => client.response !== undefined || client.ended !== undefined, WAIT)
  if (client.response === undefined) throw new Error('The server ended the tunnel without a response')
  return client.response
}

class Http1Tunnels implements TunnelConnection {
  readonly #port: number
  readonly #reads: boolean
  readonly #sockets: Socket[] = []

  constructor(port: number, reads: boolean) {
    this.#port = port
    this.#reads = reads
  }

  async open(path: string, token = 'own', ...fields: readonly Field[]): Promise<TunnelClient> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    this.#sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    const client = new Http1TunnelClient(socket, this.#reads)
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: ${token}\r\n${lines}\r\n`)
    return client
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }
}

class Http1TunnelClient implements TunnelClient {
  ended: TunnelClient['ended'] = undefined
  readonly #socket: Socket
  #received = ''

  constructor(socket: Socket, reads: boolean) {
    this.#socket = socket
    if (reads) socket.on('data', (chunk: Buffer) => (this.#received += chunk.toString('latin1')))
    socket.on('end', () => (this.ended ??= 'end'))
    socket.on('close', () => (this.ended ??= 'reset'))
  }

  get response(): TunnelClient['response'] {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const [line = '', ...lines] = this.#received.slice(0, end).split('\r\n')
    const fields = new Map(lines.map((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 2)]))
    return { status: Number(line.split(' ')[1]), fields }
  }
  get text(): string {
    const end = this.#received.indexOf('\r\n\r\n')
    return end === -1 ? '' : this.#received.slice(end + 4)
  }
  send(text: string): void {
    if (this.#socket.writable) this.#socket.write(text, 'latin1')
  }
  end(): void {
    this.#socket.end()
  }
  abort(): void {
    this.#socket.resetAndDestroy()
  }
}

class Http2Tunnels implements TunnelConnection {
  readonly #client: RawClient
  #nextId = 1

  constructor(client: RawClient) {
    this.#client = client
  }

  open(path: string, token = 'own', ...fields: readonly Field[]): Promise<TunnelClient> {
    const id = this.#nextId
    this.#nextId += 2
    const pseudo: Field[] = [
      [':method', 'CONNECT'],
      [':protocol', token],
      [':scheme', 'http'],
      [':authority', 'a'],
      [':path', path],
    ]
    this.#client.send(headers(id, block(...pseudo, ...fields), 0))
    return Promise.resolve(new Http2TunnelClient(this.#client, id))
  }

  destroy(): void {
    this.#client.socket.resetAndDestroy()
  }
}

class Http2TunnelClient implements TunnelClient {
  readonly #client: RawClient
  readonly #id: number

  constructor(client: RawClient, id: number) {
    this.#client = client
    this.#id = id
  }

  get response(): TunnelClient['response'] {
    const fields = this.#client.sections(this.#id)[0]
    if (fields === undefined) return undefined
    return { status: Number(fields[0]?.[1]), fields: new Map(fields) }
  }
  get text(): string {
    return this.#client.body(this.#id)
  }
  get ended(): TunnelClient['ended'] {
    if (this.#client.hasEnded(this.#id)) return 'end'
    return this.#client.isClosed || this.#client.reset(this.#id) !== undefined ? 'reset' : undefined
  }
  send(text: string): void {
    this.#client.send(data(this.#id, Buffer.from(text, 'latin1')))
  }
  end(): void {
    this.#client.send(data(this.#id, '', Flag.END_STREAM))
  }
  abort(): void {
    this.#client.send(rstStream(this.#id))
  }
}

class Http3Tunnels implements TunnelConnection {
  readonly #client: H3Client
  readonly #reads: boolean

  constructor(client: H3Client, reads: boolean) {
    this.#client = client
    this.#reads = reads
  }

  async open(path: string, token = 'own', ...fields: readonly Field[]): Promise<TunnelClient> {
    const stream = await this.#client.connection.openStream()
    const pseudo = { ':method': 'CONNECT', ':protocol': token, ':authority': 'a', ':path': path }
    await stream.send(headWith({ ...pseudo, ...Object.fromEntries(fields) }))
    return new Http3TunnelClient(stream, this.#reads)
  }

  destroy(): void {
    void this.#client.close()
  }
}

class Http3TunnelClient implements TunnelClient {
  readonly #stream: RawStream
  readonly #received: ReceivedFrames | undefined
  /** The last send, because a stream accepts one at a time. */
  #sending: Promise<unknown> = Promise.resolve()

  constructor(stream: RawStream, reads: boolean) {
    this.#stream = stream
    this.#received = reads ? new ReceivedFrames(stream) : undefined
  }

  get response(): TunnelClient['response'] {
    const fields = new Map(this.#received?.fields)
    return fields.size === 0 ? undefined : { status: Number(fields.get(':status')), fields }
  }
  get text(): string {
    return this.#received?.text ?? ''
  }
  get ended(): TunnelClient['ended'] {
    return this.#received?.ended
  }
  send(text: string): void {
    this.#sending = this.#sending.then(() => this.#stream.send(h3Frame(H3Frame.DATA, Buffer.from(text, 'latin1'))))
  }
  end(): void {
    this.#sending = this.#sending.then(() => this.#stream.send('', { end: true }))
  }
  abort(): void {
    this.#stream.reset(0x10c)
  }
}
