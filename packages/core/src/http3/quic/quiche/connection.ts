import type { ConnectionTrace, TlsTrace } from '@fw/types'
import type { HostPort, QuicheConnection as Quiche } from './binding.ts'
import { closeReason } from './errors.ts'
import { DeliveredClose } from './delivered-close.ts'
import { QuicheTimer } from './timer.ts'
import { OverheadBudget } from './overhead-budget.ts'
import { keepPacket, packetMemory } from './packet-memory.ts'
import { PeerAddress, type IssuedIds } from './peer-address.ts'
import type { QuicConnection, QuicConnectionEvents, QuicRead, QuicListenOptions } from '../quic.ts'
import { ReceivingStreams } from './receiving-streams.ts'
import { MAX_PACKET_BYTES } from './send-room.ts'
import { SendingStreams } from './sending-streams.ts'
import type { StreamSides } from './stream-sides.ts'
import { StuckStreams } from './stuck-streams.ts'

/**
 * Maximum number of packets that one connection sends per event-loop turn. After that, it is the turn of other
 * connections.
 */
const MAX_PACKETS_PER_TURN = 256

/**
 * Milliseconds after which packets that contain a stream reset are sent again. quiche 0.18 forgets a reset stream when
 * the peer has acknowledged the bytes before the reset. If the reset itself was lost, the peer would wait forever.
 */
const REPEAT_AFTER_MS = 25
/**
 * Maximum number of packets to repeat. quiche sends resets before all content, and one packet has room for a hundred
 * of them.
 */
const MAX_REPEATED_PACKETS = 2

/**
 * Runs one quiche connection. quiche has no callbacks, so `service` polls it after packets arrive, reports changes as
 * events, and sends the pending packets.
 */
export class QuicheConnection implements QuicConnection {
  readonly openedAt: number = performance.now()
  trace: ConnectionTrace | undefined = undefined
  #handshakeMs = 0
  readonly #peer: PeerAddress
  readonly #quiche: Quiche
  readonly #endpoint: QuicheEndpoint
  readonly #overhead = new OverheadBudget(performance.now())
  #events: QuicConnectionEvents | undefined = undefined
  readonly #receiving: ReceivingStreams
  readonly #sending: SendingStreams
  /** Streams of which one side was reset or stopped and the other side is still open. */
  readonly #aborted = new Set<number>()
  readonly #stuck: StuckStreams
  #hasUnsent = false
  /** Whether the next packets contain a stream reset. */
  #hasReset = false
  /** Whether the connection is closing. Streams are then not read, written or reported. */
  #isClosing = false
  #isClosed = false
  #isGone = false
  readonly #deliveredClose = new DeliveredClose(
    () => this.#stuck.isEmpty,
    (code) => this.#closeDelivered(code),
  )
  readonly #handshakeTimer: NodeJS.Timeout | undefined = undefined
  readonly #timer: QuicheTimer

  constructor(quiche: Quiche, endpoint: QuicheEndpoint, remote: HostPort) {
    const { handshakeTimeoutMs, maxConcurrentStreams } = endpoint.options
    this.#quiche = quiche
    this.#endpoint = endpoint
    this.#timer = new QuicheTimer(quiche, () => this.service())
    this.#peer = new PeerAddress(remote)
    // If a quarter of the streams are stuck, the client can use the rest until it opens a new connection.
    const maxStuck = Math.max(1, Math.floor(maxConcurrentStreams / 4))
    this.#stuck = new StuckStreams(quiche, maxStuck, () => this.#events?.onExhausted())
    const sides = this.#makeSides()
    this.#receiving = new ReceivingStreams(sides)
    this.#sending = new SendingStreams(sides)
    if (handshakeTimeoutMs > 0) this.#handshakeTimer = setTimeout(() => this.destroy(), handshakeTimeoutMs)
  }

  /** Whether the handshake is complete. */
  get isAccepted(): boolean {
    return this.#events !== undefined
  }

  get remoteAddress(): string {
    return this.#peer.validated.host
  }

  get remotePort(): number {
    return this.#peer.validated.port
  }

  get tls(): TlsTrace {
    // RFC 9001 §4.2: QUIC requires TLS 1.3, and quiche supports no later version.
    return { version: 'TLSv1.3', resumed: this.#quiche.isResumed(), handshakeMs: this.#handshakeMs }
  }

  get idleTimeoutMs(): number {
    const own = this.#endpoint.options.idleTimeoutMs
    const peers = this.#quiche.stats().peerMaxIdleTimeout
    return peers === 0 ? own : Math.min(own, peers)
  }

  get writtenBytes(): number {
    return this.#sending.writtenBytes
  }

  /**
   * Processes a received packet.
   *
   * @param key Destination connection ID of the packet
   * @returns Whether the packet was valid; a client's first packet must be
   */
  receive(packet: Uint8Array, key: string, from: HostPort, to: HostPort): boolean {
    // Send first, so that no unsent bytes remain when a STOP_SENDING in this packet is processed (see `StuckStreams`).
    if (this.#hasUnsent) this.#transmit()
    this.#endpoint.schedule(this)
    this.#sending.onReceived()
    const isRelevant = this.#peer.isRelevant(from)
    const before = isRelevant ? this.#quiche.stats().recv : 0
    try {
      this.#quiche.recv(packet, { from: this.#peer.original, to })
      if (this.#overhead.onReceived(packet.byteLength, this.#receiving.size, this.#countPackets))
        this.#events?.onFlooded()
      if (isRelevant && this.#quiche.stats().recv > before) this.#checkPeerAddress(packet.byteLength, key, from)
      return true
    } catch {
      // The packet is damaged, a duplicate or for another connection. quiche itself reports protocol errors to the
      // peer.
      return false
    }
  }

  /** Reports events and sends pending packets. */
  service(): void {
    if (this.#isGone) return
    if (this.#events === undefined && this.#quiche.isEstablished()) {
      clearTimeout(this.#handshakeTimer)
      this.#sending.onEstablished()
      this.#handshakeMs = performance.now() - this.openedAt
      this.#events = this.#endpoint.accept(this)
    }
    if (this.#events !== undefined && !this.#isClosing) this.#notify()
    this.#transmit()
    if (this.#quiche.isDraining() || this.#quiche.isClosed()) this.#onClosed()
    if (this.#quiche.isClosed()) this.#onGone()
    else this.#timer.arm()
  }

  /** Ends the connection immediately. */
  destroy(): void {
    if (this.#isGone) return
    this.#onClosed()
    this.#onGone()
  }

  openUnidirectional(): number {
    return this.#sending.openUnidirectional()
  }

  read(streamId: number, maxBytes: number): QuicRead | undefined {
    return this.#isClosing ? undefined : this.#receiving.read(streamId, maxBytes)
  }

  pauseReading(streamId: number): void {
    this.#receiving.pause(streamId)
  }

  resumeReading(streamId: number): void {
    this.#receiving.resume(streamId)
  }

  write(streamId: number, chunk: Uint8Array, isEnd: boolean): number {
    if (this.#isClosing) return -1
    const taken = this.#sending.write(streamId, chunk, isEnd)
    if (taken >= 0) this.#hasUnsent = true
    return taken
  }

  reset(streamId: number, code: number): void {
    if (this.#isClosing || !this.#sending.has(streamId)) return
    if (this.#hasUnsent) this.#transmit()
    this.#sending.reset(streamId, code)
    this.#hasReset = true
  }

  stopSending(streamId: number, code: number): void {
    if (!this.#isClosing) this.#receiving.stop(streamId, code)
  }

  ping(): void {
    this.#quiche.sendAckEliciting()
    this.#endpoint.schedule(this)
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#quiche.close(true, code, Buffer.from(reason))
    this.#endpoint.schedule(this)
  }

  closeWhenDelivered(code: number): void {
    if (!this.#isClosing && this.#deliveredClose.begin(code)) this.#endpoint.schedule(this)
  }

  /** Handles a packet from an address that the peer has not yet validated. */
  #checkPeerAddress(bytes: number, key: string, from: HostPort): void {
    // RFC 9000 §9: do not migrate before the handshake is confirmed.
    if (this.#events === undefined || this.#isClosing) return
    for (let id; (id = this.#quiche.retiredScidNext()) !== null;) this.#endpoint.removeId(this, id)
    const ids: IssuedIds = {
      limit: this.#quiche.stats().peerActiveConnIdLimit,
      active: () => this.#quiche.activeSourceCids(),
      issue: () => this.#issueId(),
    }
    this.#peer.onPacket(from, bytes, key, ids, performance.now())
    if (this.#peer.isExhausted) this.#events.onExhausted()
  }

  readonly #countPackets = (): number => this.#quiche.stats().recv

  #issueId(): { sequence: number; key: string } {
    const { id, resetToken, key } = this.#endpoint.addId(this)
    return { sequence: this.#quiche.newSourceCid(id, resetToken, true), key }
  }

  #closeDelivered(code: number): void {
    // Flush first, because quiche sends no packets after a close.
    if (this.#hasUnsent) this.#transmit()
    this.close(code, '')
  }

  #notify(): void {
    this.#receiving.notify()
    this.#sending.notify()
    this.#deliveredClose.check()
  }

  #makeSides(): StreamSides {
    return {
      quiche: this.#quiche,
      overhead: this.#overhead,
      events: () => (this.#isClosing ? undefined : this.#events),
      schedule: () => this.#endpoint.schedule(this),
      onOpened: (streamId) => this.#sending.onOpened(streamId),
      onAborted: (streamId) => this.#aborted.add(streamId),
      onReceivingOver: (streamId) => {
        if (!this.#sending.has(streamId)) this.#onBothOver(streamId)
      },
      onSendingOver: (streamId) => {
        if (!this.#receiving.has(streamId)) this.#onBothOver(streamId)
      },
    }
  }

  #onBothOver(streamId: number): void {
    if (this.#aborted.delete(streamId)) this.#stuck.onAborted(streamId)
    else this.#stuck.onEnded(streamId)
  }

  #transmit(): void {
    this.#hasUnsent = false
    const repeated = this.#hasReset ? MAX_REPEATED_PACKETS : 0
    this.#hasReset = false
    const nowMs = performance.now()
    for (let packets = 0; packets < MAX_PACKETS_PER_TURN; packets++) {
      const { to, room } = this.#peer.target(nowMs)
      if (room <= 0) return
      const sent = this.#send(packetMemory(Math.min(MAX_PACKET_BYTES, room)))
      if (sent === null) return
      this.#peer.onSent(sent[0])
      this.#overhead.onSent(sent[0])
      const packet = keepPacket(sent[0])
      this.#endpoint.transmit(packet, to)
      // Do not repeat packets to an unvalidated address, because its byte budget is limited.
      if (packets < repeated && room === Infinity)
        setTimeout(() => this.#endpoint.transmit(packet, to), REPEAT_AFTER_MS).unref()
    }
    this.#hasUnsent = true
    this.#endpoint.schedule(this)
  }

  #send(packet: Buffer): [length: number, info: { to: HostPort }] | null {
    try {
      return this.#quiche.send(packet)
    } catch {
      // After any error here, quiche closes the connection, which `service` handles.
      return null
    }
  }

  #onClosed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isClosing = true
    this.#deliveredClose.clear()
    clearTimeout(this.#handshakeTimer)
    this.#stuck.close()
    this.#events?.onClosed(closeReason(this.#quiche))
    this.#endpoint.onClosed(this)
  }

  #onGone(): void {
    this.#isGone = true
    this.#timer.clear()
    this.#endpoint.onGone(this)
  }
}

/** Listener services that a connection uses. */
export interface QuicheEndpoint {
  readonly options: Pick<QuicListenOptions, 'idleTimeoutMs' | 'handshakeTimeoutMs' | 'maxConcurrentStreams'>
  transmit(packet: Uint8Array, to: HostPort): void
  /** Creates a connection ID for this connection, with its stateless reset token. */
  addId(connection: QuicheConnection): { readonly id: Uint8Array; readonly resetToken: bigint; readonly key: string }
  /** Removes a connection ID that the peer has retired. */
  removeId(connection: QuicheConnection, id: Uint8Array): void
  /** Schedules a call to `service` in this event-loop turn. */
  schedule(connection: QuicheConnection): void
  /** Accepts the connection after its handshake. */
  accept(connection: QuicConnection): QuicConnectionEvents
  /** The connection has closed. It can still be in the draining period, in which it sends nothing. */
  onClosed(connection: QuicheConnection): void
  /** The connection IDs are no longer in use. */
  onGone(connection: QuicheConnection): void
}
