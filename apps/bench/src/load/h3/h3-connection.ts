import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import quiche from '@matrixai/quic/native/quiche.js'
import { CONTROL_STREAM, decodeResponse, type H3Response } from './wire.ts'

type QuicheConnection = ReturnType<typeof quiche.Connection.connect>

interface Pending {
  readonly slices: Buffer[]
  readonly resolve: (response: H3Response) => void
  readonly reject: (error: Error) => void
}

const HOST = '127.0.0.1'
const MAX_PACKET_BYTES = 1350
/** Flow-control window, which is large enough not to limit a fast server. */
const WINDOW_BYTES = 16 * 2 ** 20
const CONTROL_STREAM_ID = 2
const HANDSHAKE_TIMEOUT_MS = 10_000

/** Minimal HTTP/3 client that repeats one request with as little CPU time as possible. */
export class H3Connection {
  readonly #socket: Socket
  readonly #quiche: QuicheConnection
  readonly #addresses: { readonly from: { host: string; port: number }; readonly to: { host: string; port: number } }
  readonly #pending = new Map<number, Pending>()
  readonly #packet = Buffer.alloc(MAX_PACKET_BYTES)
  readonly #slice = Buffer.alloc(64 * 1024)
  readonly #established = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined
  #nextStream = 0
  #isTurnScheduled = false

  private constructor(socket: Socket, port: number) {
    this.#socket = socket
    const { address: host, port: ownPort } = socket.address()
    this.#addresses = { from: { host: HOST, port }, to: { host, port: ownPort } }
    const { from, to } = this.#addresses
    this.#quiche = quiche.Connection.connect('localhost', randomBytes(20), to, from, makeConfig())
    socket.on('message', (packet) => this.#onPacket(packet))
  }

  /** Connects to a server. @throws {Error} if the handshake fails or times out */
  static async open(port: number): Promise<H3Connection> {
    const socket = createSocket({ type: 'udp4', lookup: (address, _options, callback) => callback(null, address, 4) })
    // Without a DNS lookup, the socket can emit 'listening' early, so subscribe before `bind`.
    const listening = once(socket, 'listening')
    socket.bind(0, HOST)
    await listening
    socket.setRecvBufferSize(4 * 2 ** 20)
    const connection = new H3Connection(socket, port)
    const giveUp = setTimeout(
      () => connection.#fail(new Error(`The QUIC handshake took longer than ${HANDSHAKE_TIMEOUT_MS} ms`)),
      HANDSHAKE_TIMEOUT_MS,
    )
    connection.#turn()
    await connection.#established.promise
    clearTimeout(giveUp)
    connection.#quiche.streamSend(CONTROL_STREAM_ID, CONTROL_STREAM, false)
    return connection
  }

  /** Sends a request. @param request Result of `encodeRequest`. @throws {Error} if the connection closes first */
  request(request: Buffer): Promise<H3Response> {
    const id = this.#nextStream
    this.#nextStream += 4
    return new Promise((resolve, reject) => {
      const sent = this.#quiche.streamSend(id, request, true)
      if (sent !== request.byteLength) return reject(new Error('The flow-control window is too small for a request'))
      this.#pending.set(id, { slices: [], resolve, reject })
      this.#scheduleTurn()
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    if (!this.#quiche.isClosed()) this.#quiche.close(true, 0x100, new Uint8Array())
    this.#transmit()
    this.#socket.close()
  }

  #onPacket(packet: Buffer): void {
    try {
      this.#quiche.recv(packet, this.#addresses)
    } catch {
      // quiche closes the connection after an invalid packet; the next turn detects it.
    }
    this.#scheduleTurn()
  }

  /** Schedules one `#turn` for all packets in an event-loop turn. */
  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return
    this.#isTurnScheduled = true
    setImmediate(() => {
      this.#isTurnScheduled = false
      this.#turn()
    })
  }

  #turn(): void {
    for (const id of this.#quiche.readable()) this.#read(id)
    this.#transmit()
    if (this.#quiche.isEstablished()) this.#established.resolve()
    if (this.#quiche.isClosed() || this.#quiche.isDraining()) return this.#fail(new Error('The connection ended'))
    clearTimeout(this.#timer)
    const timeoutMs = this.#quiche.timeout()
    if (timeoutMs === null) return
    this.#timer = setTimeout(() => {
      this.#quiche.onTimeout()
      this.#turn()
    }, timeoutMs + 1)
  }

  #read(id: number): void {
    const pending = this.#pending.get(id)
    for (;;) {
      const read = this.#quiche.streamRecv(id, this.#slice)
      if (read === null) return
      const [length, isEnd] = read
      pending?.slices.push(Buffer.from(this.#slice.subarray(0, length)))
      if (!isEnd) continue
      this.#pending.delete(id)
      pending?.resolve(
        decodeResponse(
          pending.slices.length === 1 ? (pending.slices[0] ?? this.#slice) : Buffer.concat(pending.slices),
        ),
      )
      return
    }
  }

  #transmit(): void {
    for (;;) {
      const sent = this.#quiche.send(this.#packet)
      if (sent === null) return
      this.#socket.send(Buffer.from(this.#packet.subarray(0, sent[0])), this.#addresses.from.port, HOST)
    }
  }

  #fail(error: Error): void {
    clearTimeout(this.#timer)
    this.#established.reject(error)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

function makeConfig(): InstanceType<typeof quiche.Config> {
  // Do not verify the certificate, because it is self-signed.
  const config = quiche.Config.withBoringSslCtx(false, true)
  config.setApplicationProtos(['h3'])
  config.setMaxIdleTimeout(30_000)
  config.setMaxRecvUdpPayloadSize(MAX_PACKET_BYTES)
  config.setMaxSendUdpPayloadSize(MAX_PACKET_BYTES)
  config.setInitialMaxData(2 ** 50)
  config.setInitialMaxStreamDataBidiLocal(WINDOW_BYTES)
  config.setMaxStreamWindow(WINDOW_BYTES)
  config.setInitialMaxStreamDataUni(64 * 1024)
  config.setInitialMaxStreamsUni(8)
  config.enablePacing(false)
  return config
}
