import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from '@fw/testing'
import { openHttp3, requestHttp3 } from './h3-tunnel.ts'
import { encodeFrame, type Frame, parseFrames, showFrame } from './frames.ts'

/** A protocol that carries WebSockets. */
export type Carrier = 'h1' | 'h1+tls' | 'h2c' | 'h2' | 'h3'

export const CARRIERS: readonly Carrier[] = ['h1', 'h1+tls', 'h2c', 'h2', 'h3']

/** The key of the example in RFC 6455 §1.3, and its accept value. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
export const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='

/** Request fields. `undefined` removes a field of the handshake. */
export type Fields = Readonly<Record<string, string | undefined>>

/** The response to a handshake. */
export interface RawResponse {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>
}

/** A client that sends exactly the bytes of a test. */
export class RawClient {
  readonly response: RawResponse
  /** Frames that the server has sent, as `showFrame` describes them. */
  readonly frames: string[] = []
  /** Resolves when the server has ended its direction. */
  readonly ended: Promise<void>
  /** The body of a refusal, or bytes that are not a complete frame. */
  rest: Buffer
  hasEnded = false
  readonly stream: Duplex
  readonly #connection: RawConnection | undefined

  /** @param connection Connection to close with the stream */
  constructor(response: RawResponse, stream: Duplex, first: Buffer, connection?: RawConnection) {
    this.response = response
    this.stream = stream
    this.#connection = connection
    this.rest = first
    stream.on('error', () => {})
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.hasEnded = true
        // RFC 6455 §7.1.1: the server ends the connection first.
        stream.end()
        resolve()
      }
      stream.on('end', end).on('close', end)
    })
    if (first.length > 0) this.#parse()
    stream.on('data', (bytes: Buffer) => {
      this.rest = Buffer.concat([this.rest, bytes])
      this.#parse()
    })
  }

  get isOpen(): boolean {
    return this.response.status === 101 || this.response.status === 200
  }

  /** Writes bytes. With `chopBytes`, each slice arrives in its own read. */
  async write(bytes: Buffer, chopBytes: number = bytes.length): Promise<void> {
    for (let at = 0; at < bytes.length; at += chopBytes) {
      if (this.stream.destroyed || this.stream.writableEnded) return
      this.stream.write(bytes.subarray(at, at + chopBytes))
      if (chopBytes < bytes.length) await setImmediate()
    }
  }

  send(...frames: readonly Frame[]): Promise<void> {
    return this.write(Buffer.concat(frames.map((frame) => encodeFrame(frame))))
  }

  /** Ends both directions. */
  async close(): Promise<void> {
    this.stream.end()
    await this.ended
    this.destroy()
  }

  destroy(): void {
    this.stream.destroy()
    this.#connection?.destroy()
  }

  #parse(): void {
    if (!this.isOpen) return
    const { frames, rest } = parseFrames(this.rest)
    this.frames.push(...frames.map(showFrame))
    this.rest = Buffer.from(rest)
  }
}

/** Options of `openRaw`. */
export interface RawOptions {
  readonly fields?: Fields
  readonly method?: string
  readonly version?: string
  /** Bytes in the same write as the request, on HTTP/1.1. */
  readonly following?: Buffer
  /** An HTTP/2 or HTTP/3 connection to share. */
  readonly connection?: RawConnection
}

/** Sends a handshake. Resolves when the response head has arrived. */
export async function openRaw(
  carrier: Carrier,
  port: number,
  path: string,
  options: RawOptions = {},
): Promise<RawClient> {
  return carrier === 'h1' || carrier === 'h1+tls'
    ? openHttp1(carrier, port, path, options)
    : openStream(carrier, port, path, options)
}

async function openHttp1(carrier: Carrier, port: number, path: string, options: RawOptions): Promise<RawClient> {
  const { fields = {}, method = 'GET', version = '1.1', following = Buffer.alloc(0) } = options
  const address = { port, host: '127.0.0.1', allowHalfOpen: true }
  const { cert } = await testCertificate()
  const stream: Duplex =
    carrier === 'h1' ? connectTcp({ ...address, noDelay: true }) : connectTls({ ...address, ca: cert })
  await once(stream, carrier === 'h1' ? 'connect' : 'secureConnect')
  const all: Fields = {
    host: `127.0.0.1:${port}`,
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': KEY,
    'sec-websocket-version': '13',
    ...fields,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
  const head = `${method} ${path} HTTP/${version}\r\n${lines.join('')}\r\n`
  stream.write(Buffer.concat([Buffer.from(head, 'latin1'), following]))
  let received = Buffer.alloc(0)
  while (!received.includes('\r\n\r\n')) {
    const [bytes] = (await once(stream, 'data')) as [Buffer]
    received = Buffer.concat([received, bytes])
  }
  const end = received.indexOf('\r\n\r\n')
  const [status = '', ...rest] = received.toString('latin1', 0, end).split('\r\n')
  const responseFields = Object.fromEntries(rest.map((line) => line.split(/: ?(.*)/s).slice(0, 2)))
  const response = { status: Number(status.split(' ')[1]), fields: lowerCase(responseFields) }
  return new RawClient(response, stream, received.subarray(end + 4))
}

async function openStream(carrier: Carrier, port: number, path: string, options: RawOptions): Promise<RawClient> {
  const { fields = {}, method = 'CONNECT' } = options
  const connection = options.connection ?? (await openConnection(carrier, port))
  const request: Fields = {
    ':method': method,
    ':protocol': 'websocket',
    ':scheme': carrier === 'h2c' ? 'http' : 'https',
    ':authority': `127.0.0.1:${port}`,
    ':path': path,
    'sec-websocket-version': '13',
    ...fields,
  }
  const present = Object.entries(request).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const { fields: received, stream } = await connection.request(present)
  const { ':status': status, ...others } = received
  const own = options.connection === undefined ? connection : undefined
  return new RawClient({ status: Number(status), fields: others }, stream, Buffer.alloc(0), own)
}

/** A connection on which a test opens several streams. */
export interface RawConnection {
  /** Sends a request head. Resolves when the response head has arrived. */
  request(
    fields: readonly (readonly [string, string])[],
  ): Promise<{ readonly fields: Readonly<Record<string, string>>; readonly stream: Duplex }>
  destroy(): void
}

/** Opens an HTTP/2 or HTTP/3 connection, and waits for the server's settings. */
export async function openConnection(carrier: Carrier, port: number): Promise<RawConnection> {
  if (carrier === 'h3') {
    const client = await openHttp3(port)
    await client.connection.settings
    return {
      async request(fields) {
        const { fields: received, stream } = await requestHttp3(client, fields)
        return { fields: Object.fromEntries(received), stream }
      },
      destroy: () => void client.close(),
    }
  }
  const scheme = carrier === 'h2' ? 'https' : 'http'
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { ca: (await testCertificate()).cert })
  session.on('error', () => {})
  await once(session, 'remoteSettings')
  return {
    async request(fields) {
      const stream = session.request(Object.fromEntries(fields), { endStream: false })
      const [headers] = (await once(stream, 'response')) as [Record<string, string>]
      return { fields: headers, stream }
    },
    destroy: () => session.destroy(),
  }
}

function lowerCase(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]))
}
