import { setTimeout } from 'node:timers/promises'
import type { RawStream } from './raw-stream.ts'
import { FrameSource } from './frame-source.ts'
import { QuicClient, type QuicClose, type QuicOptions } from './quic-client.ts'
import { h3Frame, H3Frame, H3StreamType, readVarint, varint } from './wire.ts'

/** How to connect over HTTP/3. */
export type H3ConnectionOptions = QuicOptions & {
  /** Leaves the control stream for the test to open. */
  readonly withoutControlStream?: boolean
}

/** An HTTP/3 connection on which a test can do what it likes. */
export class H3Connection {
  readonly authority: string
  /** The server's settings, when they have arrived. */
  readonly settings: Promise<ReadonlyMap<number, number>>
  /** Resolves when the server has begun to say goodbye. */
  readonly goaway: Promise<void>
  /** The stream numbers of the server's GOAWAYs. */
  readonly goaways: number[] = []
  /** The stream that the server says all this on. */
  readonly controlStream: Promise<RawStream>
  readonly #quic: QuicClient
  readonly #settings = Promise.withResolvers<ReadonlyMap<number, number>>()
  readonly #goaway = Promise.withResolvers<void>()
  readonly #controlStream = Promise.withResolvers<RawStream>()
  #isGoingAway = false

  private constructor(quic: QuicClient, authority: string) {
    this.#quic = quic
    this.authority = authority
    this.settings = this.#settings.promise
    this.goaway = this.#goaway.promise
    this.controlStream = this.#controlStream.promise
    quic.onStream = (stream) => {
      // What ends the connection ends its streams; tests hear of it through `closed`.
      this.#readServerStream(stream).catch(() => {})
    }
  }

  static async open(options: H3ConnectionOptions): Promise<H3Connection> {
    const quic = await QuicClient.connect(options)
    const connection = new H3Connection(quic, `${options.host ?? '127.0.0.1'}:${options.port}`)
    // Without settings of our own: the defaults allow no dynamic table.
    if (options.withoutControlStream !== true) {
      await connection.openUnidirectional(H3StreamType.CONTROL, h3Frame(H3Frame.SETTINGS))
    }
    return connection
  }

  /** Whether no new request can be sent. */
  get isOver(): boolean {
    return this.#quic.isOver || this.#isGoingAway
  }

  /** The server's certificate, DER. */
  get certificate(): Uint8Array | undefined {
    return this.#quic.certificate
  }

  /** Whether it resumed an earlier connection, and whether requests could have gone ahead of the handshake. */
  get resumption(): { readonly isResumed: boolean; readonly couldSendEarly: boolean } {
    return { isResumed: this.#quic.isResumed, couldSendEarly: this.#quic.couldSendEarly }
  }

  /** What resumes this connection, once the server has given it. */
  get session(): Uint8Array | undefined {
    return this.#quic.session
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<QuicClose> {
    return this.#quic.closed
  }

  /** How the connection ends. @throws {Error} if it still stands after `timeoutMs` */
  async closeWithin(timeoutMs: number): Promise<QuicClose> {
    const late = setTimeout(timeoutMs, undefined, { ref: false })
    const close = await Promise.race([this.closed, late])
    if (close === undefined) throw new Error('The connection was not closed')
    return close
  }

  /** Request streams that the server lets us open right now. */
  get streamsLeft(): number {
    return this.#quic.streamsLeft
  }

  /** Opens a request stream. */
  openStream(): Promise<RawStream> {
    return this.#quic.openStream()
  }

  /** Opens a unidirectional stream and sends its type and what else is given. */
  openUnidirectional(type: number, bytes: Uint8Array = Buffer.alloc(0)): Promise<RawStream> {
    return this.openUntyped(Buffer.concat([varint(type), bytes]))
  }

  /** Opens a unidirectional stream and sends what is given, which need not begin with a type. */
  async openUntyped(bytes: Uint8Array): Promise<RawStream> {
    const stream = this.#quic.openUnidirectional()
    await stream.send(bytes)
    return stream
  }

  close(): void {
    this.#quic.close()
  }

  vanish(): void {
    this.#quic.vanish()
  }

  async #readServerStream(stream: RawStream): Promise<void> {
    const frames = new FrameSource(stream)
    const type = await frames.number()
    if (type !== H3StreamType.CONTROL) {
      await stream.readAll()
      return
    }
    this.#controlStream.resolve(stream)
    for (let frame; (frame = await frames.next()) !== undefined;) {
      const payload = await frames.payload(frame.length)
      if (frame.type === H3Frame.SETTINGS) this.#settings.resolve(readSettings(payload))
      if (frame.type !== H3Frame.GOAWAY) continue
      this.#isGoingAway = true
      this.goaways.push(readVarint(payload, 0)?.value ?? -1)
      this.#goaway.resolve()
    }
  }
}

function readSettings(payload: Uint8Array): Map<number, number> {
  const settings = new Map<number, number>()
  for (let at = 0; at < payload.byteLength;) {
    const id = readVarint(payload, at)
    const value = readVarint(payload, id?.end ?? payload.byteLength)
    if (id === undefined || value === undefined) throw new Error('The server sent broken SETTINGS')
    settings.set(id.value, value.value)
    at = value.end
  }
  return settings
}
