import type { HostPort, QuicheConnection as Quiche } from './quiche-binding.ts'
import type { QuicheEndpoint } from './quiche-endpoint.ts'
import { closeReason, codeOf } from './quiche-errors.ts'
import { DeliveredClose } from './delivered-close.ts'
import { QuicheTimer } from './quiche-timer.ts'
import { OpenedStreams } from './opened-streams.ts'
import { OverheadBudget } from './overhead-budget.ts'
import { keepPacket, packetMemory } from './packet-memory.ts'
import { PeerAddress, type IssuedIds } from './peer-address.ts'
import type { QuicConnection, QuicConnectionEvents, QuicRead } from './quic.ts'
import { MAX_PACKET_BYTES, SendRoom } from './send-room.ts'
import { StuckStreams } from './stuck-streams.ts'

/** Packets of one connection in one turn of the event loop; then the others have theirs. */
const MAX_PACKETS_PER_TURN = 256

const READ_SIDE = 0
const WRITE_SIDE = 1
const readBuffer = Buffer.alloc(64 * 1024)
/** Streams that are asked one by one whether there is something to read. */
const MAX_ASKED_STREAMS = 32
const NOTHING = readBuffer.subarray(0, 0)
const FIRST_UNIDIRECTIONAL = 3

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
  readonly #opened = new OpenedStreams()
  /** Streams that the peer may still send on, as far as we know and care. */
  readonly #receiving = new Set<number>()
  readonly #paused = new Set<number>()
  /** Paused streams of which only the end was left, and has been taken from quiche. */
  readonly #ended = new Set<number>()
  /** Streams that we may still send on, and whether the last write was not taken whole. */
  readonly #sending = new Map<number, boolean>()
  /** Streams one side of which was reset or stopped, until the other is over too. */
  readonly #givenUp = new Set<number>()
  readonly #stuck: StuckStreams
  #nextUnidirectional = FIRST_UNIDIRECTIONAL
  #sendRoom: SendRoom | undefined = undefined
  #hasUnsent = false
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

  /**
   * @param key The connection ID that it was sent to
   * @returns Whether the packet was valid; a client's first one has to be
   */
  receive(packet: Uint8Array, key: string, from: HostPort, to: HostPort): boolean {
    // A STOP_SENDING must not find octets that were not sent: see `StuckStreams`.
    if (this.#hasUnsent) this.#transmit()
    this.#endpoint.schedule(this)
    this.#sendRoom?.onReceived()
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
      this.#sendRoom = new SendRoom(this.#quiche, FIRST_UNIDIRECTIONAL)
      this.#events = this.#endpoint.accept(this)
    }
    if (this.#events !== undefined && !this.#isClosed) this.#tell(this.#events)
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
    const streamId = this.#nextUnidirectional
    this.#nextUnidirectional += 4
    this.#sending.set(streamId, false)
    try {
      // From now on it exists for quiche.
      this.#quiche.streamSend(streamId, NOTHING, false)
    } catch {
      // The peer allows none: the first write will find out.
    }
    return streamId
  }

  read(streamId: number, maxBytes: number): QuicRead | undefined {
    if (this.#isClosed || !this.#receiving.has(streamId)) return undefined
    if (this.#ended.has(streamId)) {
      this.#endReceiving(streamId)
      return { chunk: NOTHING, isEnd: true }
    }
    const read = this.#receive(streamId, readBuffer.subarray(0, maxBytes))
    if (read === undefined) return undefined
    this.#overhead.onRead(read.chunk.byteLength)
    // There may be window to give back.
    this.#endpoint.schedule(this)
    if (read.isEnd) this.#endReceiving(streamId)
    return read
  }

  pauseReading(streamId: number): void {
    if (this.#receiving.has(streamId)) this.#paused.add(streamId)
  }

  resumeReading(streamId: number): void {
    if (this.#paused.delete(streamId)) this.#endpoint.schedule(this)
  }

  write(streamId: number, chunk: Uint8Array, isEnd: boolean): number {
    if (this.#isClosed || !this.#sending.has(streamId)) return -1
    let taken = 0
    try {
      const share = this.#sendRoom?.share(streamId, chunk.byteLength) ?? 0
      const isWhole = share === chunk.byteLength
      if (isWhole || share > 0) {
        taken = this.#quiche.streamSend(streamId, chunk.subarray(0, share), isWhole && isEnd) ?? 0
      }
    } catch (error) {
      this.#onSendingFailed(streamId, error)
      return -1
    }
    this.#sendRoom?.onWritten(taken)
    this.#hasUnsent = true
    this.#endpoint.schedule(this)
    if (taken === chunk.byteLength && isEnd) this.#endSending(streamId)
    else this.#sending.set(streamId, taken < chunk.byteLength)
    return taken
  }

  reset(streamId: number, code: number): void {
    if (this.#isClosed || !this.#sending.has(streamId)) return
    if (this.#hasUnsent) this.#transmit()
    this.#shutdown(streamId, WRITE_SIDE, code)
    this.#endSending(streamId)
  }

  stopSending(streamId: number, code: number): void {
    if (this.#isClosed || !this.#receiving.has(streamId)) return
    // The end may be there already; then nobody has to be told, and quiche forgets the stream sooner.
    let isEnd = this.#ended.has(streamId)
    for (let read; !isEnd && (read = this.#receive(streamId, readBuffer)) !== undefined;) isEnd = read.isEnd
    this.#overhead.onUnread()
    if (!isEnd) this.#shutdown(streamId, READ_SIDE, code)
    this.#endReceiving(streamId)
  }

  ping(): void {
    this.#quiche.sendAckEliciting()
    this.#endpoint.schedule(this)
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return
    this.#quiche.close(true, code, Buffer.from(reason))
    this.#endpoint.schedule(this)
  }

  closeWhenDelivered(code: number): void {
    if (!this.#isClosed && this.#deliveredClose.begin(code)) this.#endpoint.schedule(this)
  }

  /** A packet of the peer came from an address that is not known to be its own. */
  #follow(bytes: number, key: string, from: HostPort): void {
    // RFC 9000 §9: not before the handshake is confirmed.
    if (this.#events === undefined || this.#isClosed) return
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

  #tell(events: QuicConnectionEvents): void {
    if (this.#quiche.isReadable()) this.#tellReadables(events)
    for (const streamId of this.#ended) if (!this.#paused.has(streamId)) events.onReadable(streamId)
    // Asked once: many streams may be waiting for the same room.
    const isFull = this.#sending.size > 2 && this.#sendRoom?.isFull === true
    for (const [streamId, isBlocked] of this.#sending) {
      if (isBlocked && !isFull) events.onWritable(streamId)
      else this.#probeSending(streamId)
    }
    this.#deliveredClose.check()
  }

  /** Making quiche list the streams takes longer than everything else about a small request, so it is the last resort. */
  #tellReadables(events: QuicConnectionEvents): void {
    if (this.#receiving.size <= MAX_ASKED_STREAMS) {
      for (const streamId of this.#receiving) {
        if (this.#quiche.streamReadable(streamId)) this.#tellReadable(events, streamId)
      }
      this.#tellNew(events, 0)
      this.#tellNew(events, 2)
      if (this.#isClosed || !this.#quiche.isReadable()) return
    }
    for (const streamId of this.#quiche.readable()) this.#tellReadable(events, streamId)
  }

  /** Streams that the peer has opened in order. */
  #tellNew(events: QuicConnectionEvents, kind: 0 | 2): void {
    for (let streamId; this.#quiche.streamReadable((streamId = this.#opened.next(kind)));) {
      this.#tellReadable(events, streamId)
    }
  }

  #tellReadable(events: QuicConnectionEvents, streamId: number): void {
    if (!this.#receiving.has(streamId)) {
      if (!this.#opened.isNew(streamId)) {
        // Over for us, but quiche forgets it only when all of it was read.
        while (this.#receive(streamId, readBuffer)?.isEnd === false);
        return
      }
      this.#receiving.add(streamId)
      if ((streamId & 2) === 0) this.#sending.set(streamId, false)
    }
    if (!this.#paused.has(streamId)) events.onReadable(streamId)
    // Reading nothing tells about a reset, and takes an end that nothing precedes.
    else if (this.#receive(streamId, NOTHING)?.isEnd === true) this.#ended.add(streamId)
  }

  #receive(streamId: number, target: Uint8Array): QuicRead | undefined {
    try {
      const read = this.#quiche.streamRecv(streamId, target)
      return read === null ? undefined : { chunk: target.subarray(0, read[0]), isEnd: read[1] }
    } catch (error) {
      if (!this.#receiving.has(streamId)) return undefined
      this.#givenUp.add(streamId)
      this.#overhead.onUnread()
      this.#endReceiving(streamId)
      this.#events?.onReset(streamId, codeOf('StreamReset', error))
      return undefined
    }
  }

  /** Whether the stream can still be sent on. */
  #probeSending(streamId: number): boolean {
    try {
      this.#quiche.streamCapacity(streamId)
      return true
    } catch (error) {
      this.#onSendingFailed(streamId, error)
      return false
    }
  }

  #onSendingFailed(streamId: number, error: unknown): void {
    this.#givenUp.add(streamId)
    this.#endSending(streamId)
    this.#events?.onStopped(streamId, codeOf('StreamStopped', error))
  }

  #shutdown(streamId: number, side: 0 | 1, code: number): void {
    this.#givenUp.add(streamId)
    try {
      this.#quiche.streamShutdown(streamId, side, code)
    } catch {
      // The stream ended meanwhile: there is nothing to shut down.
    }
    this.#endpoint.schedule(this)
  }

  #endReceiving(streamId: number): void {
    this.#receiving.delete(streamId)
    this.#paused.delete(streamId)
    this.#ended.delete(streamId)
    if (!this.#sending.has(streamId)) this.#onBothOver(streamId)
  }

  #endSending(streamId: number): void {
    this.#sending.delete(streamId)
    if (!this.#receiving.has(streamId)) this.#onBothOver(streamId)
  }

  #onBothOver(streamId: number): void {
    if (this.#givenUp.delete(streamId)) this.#stuck.onGivenUp(streamId)
    else this.#stuck.onEnded(streamId)
  }

  #transmit(): void {
    this.#hasUnsent = false
    const nowMs = performance.now()
    for (let packets = 0; packets < MAX_PACKETS_PER_TURN; packets++) {
      const { to, room } = this.#peer.target(nowMs)
      if (room <= 0) return
      const sent = this.#send(packetMemory(Math.min(MAX_PACKET_BYTES, room)))
      if (sent === null) return
      this.#peer.onSent(sent[0])
      this.#overhead.onSent(sent[0])
      this.#endpoint.transmit(keepPacket(sent[0]), to)
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
