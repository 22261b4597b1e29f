import { hkdfSync, randomBytes } from 'node:crypto'
import type { Socket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import { Level } from '@fw/log'
import { runOutsideRequests } from '../../../engine/event-loop/outside-requests.ts'
import { quicheAddress } from './peer-address.ts'
import type { HostPort, QuicheBinding, QuicheConfig, QuicheHeader } from './binding.ts'
import { QuicheConnection, type QuicheEndpoint } from './connection.ts'
import type { QuicConnection, QuicConnectionEvents, QuicCredentials, QuicListener, QuicListenOptions } from '../quic.ts'
import { StatelessResets } from './stateless-resets.ts'
import { mintRetryToken, openRetryToken } from './retry-token.ts'

/** Length of the server's connection IDs in bytes. The maximum length makes them impossible to guess. */
const ID_BYTES = 20
/** Minimum size of a client's first packet (RFC 9000 §14.1), so that the response is not an amplification. */
const MIN_INITIAL_BYTES = 1200
/** Maximum size of a Version Negotiation or Retry packet. */
const MAX_STATELESS_BYTES = 512
/**
 * Number of concurrent handshakes above which a new client must first validate its address. Validation costs a round
 * trip, so it is required only under loads that could be a flood from spoofed addresses.
 */
const RETRY_ABOVE_HANDSHAKES = 64

const INITIAL = 0
const LONG_HEADER = 0x80

/** Dependencies of a `QuicheListener`. */
export interface QuicheListenerParts {
  readonly quiche: QuicheBinding
  readonly config: QuicheConfig
  /** Returns the same configuration with a different certificate. */
  readonly configure: (credentials: QuicCredentials) => QuicheConfig
  readonly options: QuicListenOptions
  readonly accept: (connection: QuicConnection) => QuicConnectionEvents
}

/** Owns a UDP socket. Routes each packet to its connection and admits new connections. */
export class QuicheListener implements QuicListener, QuicheEndpoint {
  readonly address: AddressInfo
  readonly options: QuicListenOptions
  readonly #local: HostPort
  readonly #socket: Socket
  readonly #quiche: QuicheBinding
  readonly #configure: (credentials: QuicCredentials) => QuicheConfig
  #config: QuicheConfig
  readonly #accept: (connection: QuicConnection) => QuicConnectionEvents
  readonly #resets: StatelessResets
  readonly #tokenSecret = randomBytes(32)
  /** Connections by connection ID. A connection can have several IDs. */
  readonly #byId = new Map<string, QuicheConnection>()
  readonly #ids = new Map<QuicheConnection, Set<string>>()
  /** Connections that have not closed. */
  readonly #open = new Set<QuicheConnection>()
  #handshakes = 0
  #isRefusing = false
  readonly #closed = Promise.withResolvers<void>()
  #isClosing = false
  #isClosed = false
  #scheduled = new Set<QuicheConnection>()
  /**
   * Runs outside the async context of a request, because `schedule` can be called in a handler, and other connections
   * must not inherit that context.
   */
  readonly #service = (): void => runOutsideRequests(() => this.#serviceScheduled())

  /**
   * Listens on a socket.
   *
   * @param socket Bound socket; the listener closes it
   */
  constructor(socket: Socket, { quiche, config, configure, options, accept }: QuicheListenerParts) {
    this.#socket = socket
    this.#quiche = quiche
    this.#config = config
    this.#configure = configure
    this.options = options
    this.#accept = accept
    this.#resets = new StatelessResets(resetSecret(options), performance.now())
    this.address = socket.address()
    this.#local = quicheAddress({ host: this.address.address, port: this.address.port })
    socket.on('message', (packet, { address, port }) => {
      // Ignore packets with a spoofed source port 0. No response is expected (RFC 768), and sending one throws.
      if (port !== 0) this.#onPacket(packet, { host: address, port })
    })
    socket.on('error', () => {
      // Ignore send errors, because QUIC treats the packet as lost.
    })
  }

  setCredentials(credentials: QuicCredentials): void {
    // Open connections keep the TLS context of their handshake.
    this.#config = this.#configure(credentials)
  }

  refuse(): void {
    this.#isRefusing = true
  }

  close(how: 'when-idle' | 'now'): Promise<void> {
    this.refuse()
    this.#isClosing = true
    if (how === 'now') {
      this.#serviceScheduled()
      for (const connection of this.#ids.keys()) connection.destroy()
    }
    this.#closeIfIdle()
    return this.#closed.promise
  }

  transmit(packet: Uint8Array, to: HostPort): void {
    if (this.#isClosed) return
    this.#trace('sent to', packet, to)
    this.#socket.send(packet, to.port, to.host)
  }

  addId(connection: QuicheConnection): { id: Uint8Array; resetToken: bigint; key: string } {
    const id = randomBytes(ID_BYTES)
    const key = idKey(id)
    this.#byId.set(key, connection)
    this.#ids.get(connection)?.add(key)
    return { id, resetToken: this.#resets.token(id), key }
  }

  removeId(connection: QuicheConnection, id: Uint8Array): void {
    const key = idKey(id)
    this.#byId.delete(key)
    this.#ids.get(connection)?.delete(key)
  }

  schedule(connection: QuicheConnection): void {
    if (this.#scheduled.size === 0) setImmediate(this.#service)
    this.#scheduled.add(connection)
  }

  accept(connection: QuicConnection): QuicConnectionEvents {
    this.#handshakes--
    return this.#accept(connection)
  }

  onClosed(connection: QuicheConnection): void {
    if (!connection.isAccepted) this.#handshakes--
    this.#open.delete(connection)
    this.#closeIfIdle()
  }

  onGone(connection: QuicheConnection): void {
    for (const id of this.#ids.get(connection) ?? []) this.#byId.delete(id)
    this.#ids.delete(connection)
    this.#scheduled.delete(connection)
  }

  #serviceScheduled(): void {
    const scheduled = this.#scheduled
    // Connections scheduled from here on run in the next turn.
    this.#scheduled = new Set()
    try {
      for (const connection of scheduled) {
        scheduled.delete(connection)
        connection.service()
      }
    } finally {
      // If the application threw an error, schedule the remaining connections again.
      for (const connection of scheduled) this.schedule(connection)
    }
  }

  #trace(what: 'sent to' | 'from', packet: Uint8Array, { host, port }: HostPort): void {
    const { logger } = this.options
    if (logger?.isEnabled(Level.Trace) !== true) return
    logger.trace('QUIC packet {} {} port {}: {} bytes', what, host, port, packet.byteLength)
  }

  #onPacket(packet: Buffer, from: HostPort): void {
    this.#trace('from', packet, from)
    const isLong = ((packet[0] ?? 0) & LONG_HEADER) !== 0
    if (!isLong) {
      const key = packet.toString('latin1', 1, 1 + ID_BYTES)
      const connection = this.#byId.get(key)
      if (connection !== undefined) connection.receive(packet, key, from, this.#local)
      else this.#onStray(packet, from)
      return
    }
    const header = this.#readHeader(packet)
    if (header === undefined) return
    const key = idKey(header.dcid)
    const known = this.#byId.get(key)
    if (known !== undefined) {
      known.receive(packet, key, from, this.#local)
      return
    }
    const made = this.#admit(packet.byteLength, header, from)
    if (made?.receive(packet, key, from, this.#local) === false) made.destroy()
  }

  /** Answers a packet for an unknown connection, such as one from a previous process, with a stateless reset. */
  #onStray(packet: Buffer, from: HostPort): void {
    const reset = this.#resets.respond(packet.subarray(1, 1 + ID_BYTES), packet.byteLength, performance.now())
    if (reset !== undefined) this.transmit(reset, from)
  }

  #readHeader(packet: Buffer): QuicheHeader | undefined {
    try {
      return this.#quiche.Header.fromSlice(packet, ID_BYTES)
    } catch {
      // Ignore datagrams that are not QUIC packets.
      return undefined
    }
  }

  /** Creates a connection for a packet that belongs to none, if the limits permit it. */
  #admit(packetBytes: number, header: QuicheHeader, from: HostPort): QuicheConnection | undefined {
    if (this.#isRefusing || packetBytes < MIN_INITIAL_BYTES) return undefined
    if (!this.#quiche.versionIsSupported(header.version)) {
      // RFC 9000 §6.1. Version 0 marks a Version Negotiation packet, which must not be answered.
      if (header.version !== 0)
        this.#respond(from, (out) => this.#quiche.negotiateVersion(header.scid, header.dcid, out))
      return undefined
    }
    if (header.ty !== INITIAL || this.#open.size >= this.options.maxConnections) return undefined

    const client = { address: from.host, port: from.port }
    if (header.token !== undefined && header.token.byteLength > 0) {
      const originalId = openRetryToken(this.#tokenSecret, client, Date.now(), header.token, header.dcid)
      if (originalId !== undefined) return this.#connect(header.dcid, originalId, header, from)
      // RFC 9000 §8.1.3: a previous process might have issued the token. Continue as if the packet had no token.
    }
    const id = randomBytes(ID_BYTES)
    if (this.#handshakes < RETRY_ABOVE_HANDSHAKES) return this.#connect(id, null, header, from)
    const token = mintRetryToken(this.#tokenSecret, client, Date.now(), header.dcid, id)
    this.#respond(from, (out) => this.#quiche.retry(header.scid, header.dcid, id, token, header.version, out))
    return undefined
  }

  #respond(to: HostPort, write: (out: Buffer) => number): void {
    const out = Buffer.alloc(MAX_STATELESS_BYTES)
    try {
      this.transmit(out.subarray(0, write(out)), to)
    } catch {
      // Ignore a packet whose connection IDs are invalid.
    }
  }

  #connect(
    id: Uint8Array,
    originalId: Uint8Array | null,
    header: QuicheHeader,
    from: HostPort,
  ): QuicheConnection | undefined {
    let connection: QuicheConnection
    try {
      // Each connection copies the token. After a Retry, the token does not fit, because quiche 0.18 has 128 bytes for
      // all transport parameters.
      this.#config.setStatelessResetToken(originalId === null ? this.#resets.token(id) : null)
      const quiche = this.#quiche.Connection.accept(id, originalId, this.#local, quicheAddress(from), this.#config)
      connection = new QuicheConnection(quiche, this, from)
    } catch {
      // Ignore a client whose connection IDs are invalid.
      return undefined
    }
    // The client uses its own initial ID until it receives the server's ID.
    const ids = new Set([idKey(id), idKey(header.dcid)])
    for (const key of ids) this.#byId.set(key, connection)
    this.#ids.set(connection, ids)
    this.#open.add(connection)
    this.#handshakes++
    return connection
  }

  #closeIfIdle(): void {
    if (!this.#isClosing || this.#isClosed || this.#open.size > 0) return
    this.#isClosed = true
    // The remaining connections are draining and send nothing.
    for (const connection of this.#ids.keys()) connection.destroy()
    this.#socket.close(() => this.#closed.resolve())
  }
}

function idKey(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1')
}

/**
 * Derives the secret for stateless reset tokens from the private key. The secret survives a restart, so clients of the
 * previous process are notified immediately that their connections no longer exist. With a shared port, the secret is
 * random. A packet routed to the wrong process would otherwise end an active connection (RFC 9000 §21.11).
 */
// docs/decisions/0086
function resetSecret({ key, reusePort }: QuicListenOptions): Uint8Array {
  if (reusePort) return randomBytes(32)
  return new Uint8Array(hkdfSync('sha256', key, '', 'stateless reset', 32))
}
