import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import quiche from '@matrixai/quic/native/quiche.js'
import { RawStream } from './raw-stream.ts'

/** Reason why a connection closed: a CONNECTION_CLOSE frame or a timeout. */
export interface QuicClose {
  /** Sender of CONNECTION_CLOSE, or `timeout`. */
  readonly by: 'server' | 'client' | 'timeout'
  /** Whether `code` is an HTTP/3 error code instead of a QUIC one. */
  readonly isApplication: boolean
  readonly code: number
}

/** Options of `QuicClient.connect`. */
export interface QuicOptions {
  readonly port: number
  readonly host?: string
  /** Number of bytes of one response that the server may send before the test reads them. Default 65,536. */
  readonly streamWindow?: number
  /** Number of unidirectional streams that the server may open; HTTP/3 needs three (RFC 9114 §6.2). Default 8. */
  readonly serverStreams?: number
  /** Default 30,000. */
  readonly idleTimeoutMs?: number
  /** Session to resume. If the server allows 0-RTT, requests need not wait for the handshake. */
  readonly session?: Uint8Array | undefined
  /** Time in which the handshake must be complete, in milliseconds. Default 15,000. */
  readonly connectTimeoutMs?: number
}

type QuicheConnection = ReturnType<typeof quiche.Connection.connect>

const MAX_PACKET_BYTES = 1350
const CONNECT_TIMEOUT_MS = 15_000

/** QUIC connection to a server under test. It does not prevent protocol violations. */
export class QuicClient {
  /** Resolves when the connection closes. */
  readonly closed: Promise<QuicClose>
  /** Whether the client could send requests before the end of the handshake (0-RTT). */
  readonly couldSendEarly: boolean
  /** Called for each stream that the server opens. */
  onStream: (stream: RawStream) => void = () => {}
  readonly #socket: Socket
  readonly #local: { host: string; port: number }
  readonly #remote: { host: string; port: number }
  readonly #quiche: QuicheConnection
  readonly #streams = new Map<number, RawStream>()
  readonly #closed = Promise.withResolvers<QuicClose>()
  readonly #packet = Buffer.alloc(MAX_PACKET_BYTES)
  #timer: NodeJS.Timeout | undefined
  #isAdvancing = false
  #onChange = Promise.withResolvers<void>()
  #isOver = false
  #nextBidirectional = 0
  #nextUnidirectional = 2

  private constructor(socket: Socket, options: QuicOptions) {
    this.#socket = socket
    const { address, port } = socket.address()
    this.#local = { host: address, port }
    this.#remote = { host: options.host ?? '127.0.0.1', port: options.port }
    const config = makeConfig(options)
    this.#quiche = quiche.Connection.connect('localhost', randomBytes(20), this.#local, this.#remote, config)
    if (options.session !== undefined) this.#quiche.setSession(options.session)
    this.closed = this.#closed.promise
    this.#advance()
    this.couldSendEarly = this.#quiche.isInEarlyData()
    socket.on('message', (packet) => this.#onPacket(packet))
  }

  /** Connects to a server. @throws {Error} if the handshake fails or times out */
  static async connect(options: QuicOptions): Promise<QuicClient> {
    // Skip the DNS lookup, so that `send` is synchronous and packets are sent before the socket closes.
    const socket = createSocket({ type: 'udp4', lookup: (address, _options, callback) => callback(null, address, 4) })
    const listening = once(socket, 'listening')
    socket.bind(0, '127.0.0.1')
    await listening
    const client = new QuicClient(socket, options)
    const giveUp = setTimeout(() => client.#finish(), options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS)
    while (!client.#quiche.isEstablished() && !client.#isOver) await client.#onChange.promise
    clearTimeout(giveUp)
    if (client.#isOver) throw new Error(`No QUIC connection: ${JSON.stringify(await client.closed)}`)
    return client
  }

  /** Returns the server's certificate in DER. */
  get certificate(): Uint8Array | undefined {
    return this.#quiche.peerCertChain()?.[0]
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Returns the session that a later connection can resume, once the server has issued a ticket. */
  get session(): Uint8Array | undefined {
    return this.#quiche.session() ?? undefined
  }

  /** Reports whether the handshake resumed an earlier session. */
  get isResumed(): boolean {
    return this.#quiche.isResumed()
  }

  /** Returns the number of request streams that the server's limit still allows. */
  get streamsLeft(): number {
    return this.#quiche.peerStreamsLeftBidi()
  }

  /** Opens a bidirectional stream. Waits until the server's stream limit allows it. */
  async openStream(): Promise<RawStream> {
    while (this.streamsLeft === 0 && !this.#isOver) await this.#onChange.promise
    const stream = this.#stream(this.#nextBidirectional)
    this.#nextBidirectional += 4
    // quiche creates the stream, and counts it against the limit, on the first send.
    this.#quiche.streamSend(stream.id, new Uint8Array(), false)
    return stream
  }

  openUnidirectional(): RawStream {
    const stream = this.#stream(this.#nextUnidirectional)
    this.#nextUnidirectional += 4
    return stream
  }

  /** Sends CONNECTION_CLOSE and closes the socket. */
  close(code = 0x100): void {
    if (this.#isOver) return
    this.#quiche.close(true, code, new Uint8Array())
    this.#advance()
    this.#finish()
  }

  /** Closes the socket without CONNECTION_CLOSE. */
  vanish(): void {
    this.#finish()
  }

  /** Sends pending packets. Streams call this method after each read and write. */
  touch(): void {
    if (this.#isOver) return
    this.#transmit()
    this.#armTimer()
  }

  #stream(streamId: number): RawStream {
    const stream = new RawStream(streamId, this.#quiche, this)
    this.#streams.set(streamId, stream)
    return stream
  }

  #onPacket(packet: Buffer): void {
    if (this.#isOver) return
    try {
      this.#quiche.recv(packet, { from: this.#remote, to: this.#local })
    } catch {
      // quiche closes the connection after an invalid packet; `closed` reports it.
    }
    // Run `#advance` once for all packets in this event-loop turn, because with many streams it costs more than the packets.
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    setImmediate(() => {
      this.#isAdvancing = false
      if (!this.#isOver) this.#advance()
    })
  }

  #advance(): void {
    for (const streamId of this.#quiche.readable()) {
      if ((streamId & 1) === 1 && !this.#streams.has(streamId)) this.onStream(this.#stream(streamId))
    }
    for (const stream of this.#streams.values()) {
      if (stream.isOver) this.#streams.delete(stream.id)
      else stream.onChange()
    }
    this.#transmit()
    if (this.#quiche.isDraining() || this.#quiche.isClosed()) this.#finish()
    else this.#armTimer()
    const changed = this.#onChange
    this.#onChange = Promise.withResolvers()
    changed.resolve()
  }

  #transmit(): void {
    for (;;) {
      const sent = this.#quiche.send(this.#packet)
      if (sent === null) return
      this.#socket.send(Buffer.from(this.#packet.subarray(0, sent[0])), this.#remote.port, this.#remote.host)
    }
  }

  #armTimer(): void {
    clearTimeout(this.#timer)
    const timeoutMs = this.#quiche.timeout()
    if (timeoutMs === null) return
    this.#timer = setTimeout(() => {
      this.#quiche.onTimeout()
      this.#advance()
    }, timeoutMs + 1)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#socket.close()
    const byServer = this.#quiche.peerError()
    const byClient = this.#quiche.localError()
    const error = byServer ?? byClient
    this.#closed.resolve({
      by: byServer !== null ? 'server' : byClient !== null ? 'client' : 'timeout',
      isApplication: error?.isApp ?? false,
      code: error?.errorCode ?? 0,
    })
    for (const stream of this.#streams.values()) stream.onConnectionOver()
    this.#onChange.resolve()
  }
}

/** Returns the first packet that a client sends to a server on 127.0.0.1. No socket receives the reply. */
export function clientInitial(port: number): Buffer {
  const [local, remote] = [
    { host: '127.0.0.1', port: 1 },
    { host: '127.0.0.1', port },
  ]
  const packet = Buffer.alloc(MAX_PACKET_BYTES)
  const connection = quiche.Connection.connect('localhost', randomBytes(20), local, remote, makeConfig({ port }))
  return packet.subarray(0, connection.send(packet)?.[0])
}

function makeConfig(options: QuicOptions): InstanceType<typeof quiche.Config> {
  // Do not verify the certificate, because it is self-signed.
  const config = quiche.Config.withBoringSslCtx(false, true)
  config.setApplicationProtos(['h3'])
  config.setMaxIdleTimeout(options.idleTimeoutMs ?? 30_000)
  config.setMaxRecvUdpPayloadSize(MAX_PACKET_BYTES)
  config.setMaxSendUdpPayloadSize(MAX_PACKET_BYTES)
  // A smaller connection window would let one unread response block the others.
  config.setInitialMaxData(2 ** 50)
  config.setInitialMaxStreamDataBidiLocal(options.streamWindow ?? 64 * 1024)
  config.setInitialMaxStreamDataBidiRemote(0)
  config.setMaxStreamWindow(options.streamWindow ?? 64 * 1024)
  config.setInitialMaxStreamDataUni(64 * 1024)
  config.setInitialMaxStreamsBidi(0)
  config.setInitialMaxStreamsUni(options.serverStreams ?? 8)
  config.enablePacing(false)
  config.enableEarlyData()
  return config
}
