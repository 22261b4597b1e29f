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

/** Packets of one connection in one turn of the event loop; then the others have theirs. */
const MAX_PACKETS_PER_TURN = 256

/**
 * When packets that reset a stream are sent again. quiche 0.18 forgets a stream that was reset as soon as what was sent on
 * it before has arrived; if the reset was lost, the peer would wait for ever.
 */
const REPEAT_AFTER_MS = 25
/** Resets stand before all content, and a packet has room for a hundred. */
const MAX_REPEATED_PACKETS = 2

/**
 * A connection on quiche, which is asked rather than told: after packets came in, `service` looks at what has changed
 * and sends what there is to send.
 */
export class QuicheConnection implements QuicConnection {
  readonly #peer: PeerAddress
  readonly #quiche: Quiche
  readonly #endpoint: QuicheEndpoint
  readonly #overhead = new OverheadBudget(performance.now())
  #events: QuicConnectionEvents | undefined = undefined
  readonly #receiving: ReceivingStreams
  readonly #sending: SendingStreams
  /** Streams one side of which was reset or stopped, until the other is over too. */
  readonly #givenUp = new Set<number>()
  readonly #stuck: StuckStreams
  #hasUnsent = false
  /** Whether the next packets say that a stream was reset. */
  #hasReset = false
  /** Whether there is nothing more to say than that it is closed: nothing is read, written or told of streams. */
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
    // With a quarter of them stuck the peer has enough left to go on with until it has a new connection.
    const maxStuck = Math.max(1, Math.floor(maxConcurrentStreams / 4))
    this.#stuck = new StuckStreams(quiche, maxStuck, () => this.#events?.onWornOut())
    const sides = this.#makeSides()
    this.#receiving = new ReceivingStreams(sides)
    this.#sending = new SendingStreams(sides)
    if (handshakeTimeoutMs > 0) this.#handshakeTimer = setTimeout(() => this.destroy(), handshakeTimeoutMs)
  }

  /** Whether the handshake is done. */
  get isAccepted(): boolean {
    return this.#events !== undefined
  }

  get remoteAddress(): string {
    return this.#peer.proved.host
  }

  get remotePort(): number {
    return this.#peer.proved.port
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
   * @param key The connection ID that it was sent to
   * @returns Whether the packet was valid; a client's first one has to be
   */
  receive(packet: Uint8Array, key: string, from: HostPort, to: HostPort): boolean {
    // A STOP_SENDING must not find bytes that were not sent: see `StuckStreams`.
    if (this.#hasUnsent) this.#transmit()
    this.#endpoint.schedule(this)
    this.#sending.onReceived()
    const isNews = this.#peer.isNews(from)
    const before = isNews ? this.#quiche.stats().recv : 0
    try {
      this.#quiche.recv(packet, { from: this.#peer.original, to })
      if (this.#overhead.onReceived(packet.byteLength, this.#receiving.size, this.#countPackets))
        this.#events?.onFlooded()
      if (isNews && this.#quiche.stats().recv > before) this.#follow(packet.byteLength, key, from)
      return true
    } catch {
      // Not for us, a repetition, or damaged on the way; of an error of the peer quiche tells the peer by itself.
      return false
    }
  }

  /** Tells what has happened and sends what there is to send. */
  service(): void {
    if (this.#isGone) return
    if (this.#events === undefined && this.#quiche.isEstablished()) {
      clearTimeout(this.#handshakeTimer)
      this.#sending.onEstablished()
      this.#events = this.#endpoint.accept(this)
    }
    if (this.#events !== undefined && !this.#isClosing) this.#notify()
    this.#transmit()
    if (this.#quiche.isDraining() || this.#quiche.isClosed()) this.#onClosed()
    if (this.#quiche.isClosed()) this.#onGone()
    else this.#timer.arm()
  }

  /** Ends without waiting for anything. */
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

  /** A packet of the peer came from an address that is not known to be its own. */
  #follow(bytes: number, key: string, from: HostPort): void {
    // RFC 9000 §9: not before the handshake is confirmed.
    if (this.#events === undefined || this.#isClosing) return
    for (let id; (id = this.#quiche.retiredScidNext()) !== null;) this.#endpoint.removeId(this, id)
    const ids: IssuedIds = {
      limit: this.#quiche.stats().peerActiveConnIdLimit,
      active: () => this.#quiche.activeSourceCids(),
      issue: () => this.#issueId(),
    }
    this.#peer.onPacket(from, bytes, key, ids, performance.now())
    if (this.#peer.isWornOut) this.#events.onWornOut()
  }

  readonly #countPackets = (): number => this.#quiche.stats().recv

  #issueId(): { sequence: number; key: string } {
    const { id, resetToken, key } = this.#endpoint.addId(this)
    return { sequence: this.#quiche.newSourceCid(id, resetToken, true), key }
  }

  #closeDelivered(code: number): void {
    // Nothing is sent behind a close, not even what was written before it.
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
      onGivenUp: (streamId) => this.#givenUp.add(streamId),
      onReceivingOver: (streamId) => {
        if (!this.#sending.has(streamId)) this.#onBothOver(streamId)
      },
      onSendingOver: (streamId) => {
        if (!this.#receiving.has(streamId)) this.#onBothOver(streamId)
      },
    }
  }

  #onBothOver(streamId: number): void {
    if (this.#givenUp.delete(streamId)) this.#stuck.onGivenUp(streamId)
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
      // An address that has not proved itself gets no more than it may.
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
      // quiche closes the connection for whatever made this fail; `service` sees that.
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

/** What a connection needs of the listener it came from. */
export interface QuicheEndpoint {
  readonly options: Pick<QuicListenOptions, 'idleTimeoutMs' | 'handshakeTimeoutMs' | 'maxConcurrentStreams'>
  transmit(packet: Uint8Array, to: HostPort): void
  /** A connection ID that packets for this connection may be sent to, with its stateless reset token. */
  addId(connection: QuicheConnection): { readonly id: Uint8Array; readonly resetToken: bigint; readonly key: string }
  /** The peer uses that connection ID no more. */
  removeId(connection: QuicheConnection, id: Uint8Array): void
  /** Has `service` called in this turn of the event loop. */
  schedule(connection: QuicheConnection): void
  /** The handshake is done. */
  accept(connection: QuicConnection): QuicConnectionEvents
  /** Nobody will hear from it again, except that it may still have to be silent for a while. */
  onClosed(connection: QuicheConnection): void
  /** Its connection IDs are free. */
  onGone(connection: QuicheConnection): void
}
