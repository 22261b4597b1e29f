/** Most bytes of one packet, so that it also fits a path with a tunnel in it. */
export const MAX_PACKET_BYTES = 1350
/** Of these, headers, connection IDs, numbers, lengths and the seal may take so many. */
const PACKET_OVERHEAD_BYTES = 64
/** A peer with such windows gives new ones long before they are used up. */
const LARGE_WINDOW = 64 * 1024
const LEAST_YARDSTICK_BYTES = 4 * MAX_PACKET_BYTES
/** For a short header with the longest connection ID (RFC 9000 §17.3.1); behind the shortest there is no room either. */
const noRoom = Buffer.alloc(21)

/** What is asked about a connection. */
export interface Capacities {
  /** What its window and congestion control leave. @throws {Error} if the stream cannot be sent on */
  streamCapacity(streamId: number): number
  stats(): { peerInitialMaxData: number; peerInitialMaxStreamDataBidiLocal: number }
  /** The first is the one that is used. */
  pathStats(): readonly { lost: number; cwnd: number; sentBytes: number }[]
  sendAckEliciting(): void
  send(packet: Uint8Array): unknown
}

/**
 * How many bytes can leave in the next packets.
 *
 * quiche takes as many as congestion control lets it send, and then finds that the headers of packets and frames do
 * not fit. What it cannot send it keeps, and a stream that is given up meanwhile is stuck (see `StuckStreams`). So room
 * is kept for them, and when nothing but that was left, quiche is told so.
 */
export class SendRoom {
  readonly #quiche: Capacities
  readonly #yardstickId: number
  readonly #hasLargeWindows: boolean
  /** Whether the yardstick has ever shown so much that its own window cannot be what it shows. */
  #isYardstickLong = false
  /** Since the last packet came. */
  #writtenBytes = 0
  #hasLookedForLosses = false
  /** Packets that were lost, as far as is known. */
  #lost = 0
  /** Bytes sent by the connection at which it has recovered from the last loss. */
  #recoveredAtBytes = 0
  #isRecovering = false
  /** Whether something was not written since then because congestion control left no room. */
  #isShort = false

  /** @param yardstickId A stream whose window is hardly used, so that it shows what congestion control leaves */
  constructor(quiche: Capacities, yardstickId: number) {
    const { peerInitialMaxData, peerInitialMaxStreamDataBidiLocal } = quiche.stats()
    this.#quiche = quiche
    this.#yardstickId = yardstickId
    this.#hasLargeWindows = Math.min(peerInitialMaxData, peerInitialMaxStreamDataBidiLocal) >= LARGE_WINDOW
  }

  /**
   * How many of `wanted` bytes to write now.
   *
   * @throws {Error} if the stream cannot be sent on
   */
  share(streamId: number, wanted: number): number {
    const capacity = this.#quiche.streamCapacity(streamId)
    // A peer with small windows may wait for the last byte that fits before it gives a new one.
    if (!this.#hasLargeWindows) return Math.min(wanted, capacity)
    // Most writes are small: the stream's own window tells already that there is enough.
    if (wanted <= this.#without(capacity)) return wanted
    this.#lookForLosses()
    const bytes = Math.max(capacity, this.#yardstick())
    const room = Math.min(capacity, this.#without(bytes))
    if (wanted <= room) return wanted
    if (room < capacity) this.#isShort = true
    // Less than a packet is not worth it; acknowledgments that make room are on their way.
    if (room >= MAX_PACKET_BYTES) return room
    return this.#hasOnePacket(bytes) ? Math.min(wanted, capacity, MAX_PACKET_BYTES - PACKET_OVERHEAD_BYTES) : 0
  }

  /** Half of a small window is less than a packet, and perhaps nothing is on the way any more that will be acknowledged. */
  #hasOnePacket(bytes: number): boolean {
    return this.#isRecovering && this.#writtenBytes === 0 && bytes >= MAX_PACKET_BYTES
  }

  /** Whether no stream could write anything, so that none has to be asked. */
  get isFull(): boolean {
    const bytes = this.#yardstick()
    if (bytes >= LEAST_YARDSTICK_BYTES) this.#isYardstickLong = true
    if (!this.#hasLargeWindows || !this.#isYardstickLong || this.#hasOnePacket(bytes)) return false
    return this.#without(bytes) < MAX_PACKET_BYTES
  }

  /** Bytes were written. */
  onWritten(bytes: number): void {
    this.#writtenBytes += bytes
  }

  /** A packet is about to be received: only then quiche counts anew what the packets sent have left. */
  onReceived(): void {
    if (this.#isShort && this.#writtenBytes > 0) this.#reportUsedUp()
    this.#isShort = false
    this.#writtenBytes = 0
    this.#hasLookedForLosses = false
  }

  /**
   * Has acknowledgments that come now make the congestion window larger (RFC 9002 §7.8).
   *
   * quiche does so if the last packet filled it to the byte, which the room that is kept here prevents, or if there was
   * more to send than found room. So it is given no room for a PING, which is then sent only if nothing else is.
   */
  // docs/decisions/0082
  #reportUsedUp(): void {
    this.#quiche.sendAckEliciting()
    try {
      this.#quiche.send(noRoom)
    } catch {
      // The connection is closed, or about to be.
    }
  }

  /** Takes too long to be done more often than for each packet received. */
  #lookForLosses(): void {
    if (this.#hasLookedForLosses) return
    this.#hasLookedForLosses = true
    const [path] = this.#quiche.pathStats()
    if (path === undefined) return
    const { lost, cwnd, sentBytes } = path
    // RFC 9002 §7.3.2: recovery ends with the acknowledgment of what was sent in it, a round trip later.
    if (lost > this.#lost) this.#recoveredAtBytes = sentBytes + cwnd
    this.#lost = lost
    this.#isRecovering = sentBytes < this.#recoveredAtBytes
  }

  /** What is left of so many bytes when packets and frames have their headers. */
  #without(bytes: number): number {
    // While quiche recovers from a loss it says up to twice of what it sends.
    const total = Math.floor((bytes + this.#writtenBytes) / (this.#isRecovering ? 2 : 1))
    const packets = Math.ceil(total / MAX_PACKET_BYTES) + 1
    return total - this.#writtenBytes - packets * PACKET_OVERHEAD_BYTES
  }

  #yardstick(): number {
    try {
      return this.#quiche.streamCapacity(this.#yardstickId)
    } catch {
      // The peer does not want that stream.
      return 0
    }
  }
}
