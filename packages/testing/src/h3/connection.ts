import { setTimeout } from 'node:timers/promises'
import type { RawStream } from './raw-stream.ts'
import { FrameSource } from './frame-source.ts'
import { QuicClient, type QuicClose, type QuicOptions } from './quic-client.ts'
import { h3Frame, H3Frame, H3StreamType, readVarint, varint } from './wire.ts'

/** Options of `connectH3`. */
export type H3ConnectionOptions = QuicOptions & {
  /** Does not open a control stream, so that the test can open it. Default: false. */
  readonly withoutControlStream?: boolean
}

/** HTTP/3 connection on which a test can send valid and invalid frames. */
export class H3Connection {
  readonly authority: string
  /** Resolves with the server's SETTINGS. */
  readonly settings: Promise<ReadonlyMap<number, number>>
  /** Resolves when the server sends its first GOAWAY. */
  readonly goaway: Promise<void>
  /** Stream identifiers of the received GOAWAY frames. */
  readonly goaways: number[] = []
  /** Resolves with the server's control stream. */
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
      // Ignore the error, because `closed` reports the end of the connection to the test.
      this.#readServerStream(stream).catch(() => {})
    }
  }

  static async open(options: H3ConnectionOptions): Promise<H3Connection> {
    const quic = await QuicClient.connect(options)
    const connection = new H3Connection(quic, `${options.host ?? '127.0.0.1'}:${options.port}`)
    // SETTINGS stays empty, because the default values disable the dynamic table.
    if (options.withoutControlStream !== true) {
      await connection.openUnidirectional(H3StreamType.CONTROL, h3Frame(H3Frame.SETTINGS))
    }
    return connection
  }

  /** Reports whether the connection accepts no more requests. */
  get isOver(): boolean {
    return this.#quic.isOver || this.#isGoingAway
  }

  /** Returns the server's certificate in DER. */
  get certificate(): Uint8Array | undefined {
    return this.#quic.certificate
  }

  /** Reports whether the handshake resumed a session, and whether it allowed 0-RTT requests. */
  get resumption(): { readonly isResumed: boolean; readonly couldSendEarly: boolean } {
    return { isResumed: this.#quic.isResumed, couldSendEarly: this.#quic.couldSendEarly }
  }

  /** Returns the session that a later connection can resume, once the server has issued a ticket. */
  get session(): Uint8Array | undefined {
    return this.#quic.session
  }

  /** Resolves when the connection closes. */
  get closed(): Promise<QuicClose> {
    return this.#quic.closed
  }

  /** Waits for the connection to close. @throws {Error} if it is still open after `timeoutMs` */
  async closeWithin(timeoutMs: number): Promise<QuicClose> {
    const late = setTimeout(timeoutMs, undefined, { ref: false })
    const close = await Promise.race([this.closed, late])
    if (close === undefined) throw new Error(`The connection is still open after ${timeoutMs} ms`)
    return close
  }

  /** Returns the number of request streams that the server's limit still allows. */
  get streamsLeft(): number {
    return this.#quic.streamsLeft
  }

  /** Opens a request stream. */
  openStream(): Promise<RawStream> {
    return this.#quic.openStream()
  }

  /** Opens a unidirectional stream, and sends its type and `bytes`. */
  openUnidirectional(type: number, bytes: Uint8Array = Buffer.alloc(0)): Promise<RawStream> {
    return this.openUntyped(Buffer.concat([varint(type), bytes]))
  }

  /** Opens a unidirectional stream and sends `bytes`, which need not start with a stream type. */
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
    if (id === undefined || value === undefined) throw new Error('The server sent malformed SETTINGS')
    settings.set(id.value, value.value)
    at = value.end
  }
  return settings
}
