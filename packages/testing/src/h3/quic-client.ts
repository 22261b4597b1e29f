import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import quiche from '@matrixai/quic/native/quiche.js'
import { RawStream } from './raw-stream.ts'

/** How a connection ended: the code of a CONNECTION_CLOSE and who sent it, or that nothing was heard any more. */
export interface QuicClose {
  readonly by: 'server' | 'client' | 'timeout'
  /** Whether the code is one of HTTP/3 and not one of QUIC. */
  readonly isApplication: boolean
  readonly code: number
}

/** How to connect; the window says how much of one response the server may send before the test reads it. */
export interface QuicOptions {
  readonly port: number
  readonly host?: string
  readonly streamWindow?: number
  /** Unidirectional streams that the server may open; HTTP/3 needs three (RFC 9114 §6.2). */
  readonly serverStreams?: number
  readonly idleTimeoutMs?: number
  /** What an earlier connection got to resume it; requests may then be sent before the handshake, if the server allows. */
  readonly session?: Uint8Array | undefined
  /** How long to wait for the handshake. */
  readonly connectTimeoutMs?: number
}

type QuicheConnection = ReturnType<typeof quiche.Connection.connect>

const MAX_PACKET_BYTES = 1350
const CONNECT_TIMEOUT_MS = 15_000

/** A QUIC connection to a server under test. It does what it is told, valid or not. */
export class QuicClient {
  /** Resolves when the connection is over. */
  readonly closed: Promise<QuicClose>
  /** Whether something could be sent before the handshake was done (0-RTT). */
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

  /** @throws {Error} if the handshake fails or nobody answers */
  static async connect(options: QuicOptions): Promise<QuicClient> {
    // Nothing has to be looked up, so what is sent is sent before the socket is closed.
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

  /** The server's certificate, DER. */
  get certificate(): Uint8Array | undefined {
    return this.#quiche.peerCertChain()?.[0]
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** What resumes this connection, once the server has given it. */
  get session(): Uint8Array | undefined {
    return this.#quiche.session() ?? undefined
  }

  /** Whether the handshake resumed an earlier connection. */
  get isResumed(): boolean {
    return this.#quiche.isResumed()
  }

  /** Request streams that the server lets us open right now. */
  get streamsLeft(): number {
    return this.#quiche.peerStreamsLeftBidi()
  }

  /** Opens a stream for both directions, waiting until the server allows one more. */
  async openStream(): Promise<RawStream> {
    while (this.streamsLeft === 0 && !this.#isOver) await this.#onChange.promise
    const stream = this.#stream(this.#nextBidirectional)
    this.#nextBidirectional += 4
    // The stream exists for QUIC, and is counted, once something was said on it.
    this.#quiche.streamSend(stream.id, new Uint8Array(), false)
    return stream
  }

  openUnidirectional(): RawStream {
    const stream = this.#stream(this.#nextUnidirectional)
    this.#nextUnidirectional += 4
    return stream
  }

  /** Closes the connection in order and frees the socket. */
  close(code = 0x100): void {
    if (this.#isOver) return
    this.#quiche.close(true, code, new Uint8Array())
    this.#advance()
    this.#finish()
  }

  /** Is gone without a word. */
  vanish(): void {
    this.#finish()
  }

  /** Something was read or written: QUIC may have something to send. */
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
      // quiche closes the connection for what is wrong with a packet; `closed` tells.
    }
    // Once for all packets that have come: what follows takes longer with many streams than all of them.
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

/** A client's first packet, for a server on 127.0.0.1. Nobody is there for the response. */
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
  // The certificate of a test is known to nobody.
  const config = quiche.Config.withBoringSslCtx(false, true)
  config.setApplicationProtos(['h3'])
  config.setMaxIdleTimeout(options.idleTimeoutMs ?? 30_000)
  config.setMaxRecvUdpPayloadSize(MAX_PACKET_BYTES)
  config.setMaxSendUdpPayloadSize(MAX_PACKET_BYTES)
  // With less, one response that is not read could hold up the others: quiche gives no new window before.
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
