/** Most octets of one packet, so that it also fits a path with a tunnel in it. */
export const MAX_PACKET_BYTES = 1350
/** Of these, headers, connection IDs, numbers, lengths and the seal may take so many. */
const PACKET_OVERHEAD_BYTES = 64
const PAYLOAD_BYTES = MAX_PACKET_BYTES - PACKET_OVERHEAD_BYTES
/** A peer with such windows gives new ones long before they are used up. */
const LARGE_WINDOW = 64 * 1024
const LEAST_YARDSTICK_BYTES = 4 * MAX_PACKET_BYTES
/** A short packet costs as much as a long one, so only every so many times the window is filled with less than half a one. */
const SHORT_FILLS = 4
/** Streams that are asked for the last octets: some may be waiting for windows of their own. */
const MAX_FILLING_STREAMS = 4
/** So often what the headers take is measured anew: numbers in them grow. */
const FILLS_PER_MEASUREMENT = 8

/** What is asked about a connection. */
export interface Capacities {
  /** What its window and congestion control leave. @throws {Error} if the stream cannot be sent on */
  streamCapacity(streamId: number): number
  stats(): { peerInitialMaxData: number; peerInitialMaxStreamDataBidiLocal: number }
  /** The first is the one that is used. */
  pathStats(): readonly { lost: number; cwnd: number; sentBytes: number }[]
}

/** The last octets that congestion control lets through, while they are being written. */
interface Fill {
  /** Octets that packets may have in all. */
  readonly packetBytes: number
  /** Of these, octets of streams that are yet to be written. */
  left: number
  written: number
  sent: number
  packets: number
}

/**
 * How many octets can leave in the next packets.
 *
 * quiche takes as many as congestion control lets it send, and then finds that the headers of packets and frames do
 * not fit. What it cannot send it keeps, and a stream that is given up meanwhile is stuck (see `StuckStreams`). So
 * `share` keeps room for them.
 *
 * But congestion control lets more through only where all was used to the last octet (RFC 9002 §7.8). So when what
 * `share` gave has been sent, and it is known what is left, `fillWindow` has exactly that written.
 */
export class SendRoom {
  readonly #quiche: Capacities
  readonly #yardstickId: number
  readonly #hasLargeWindows: boolean
  /** Whether the yardstick has ever shown so much that its own window cannot be what it shows. */
  #isYardstickLong = false
  /** Since the last packet came. */
  #writtenBytes = 0
  #sentBytes = 0
  #hasLookedForLosses = false
  /** Packets that were lost, as far as is known. */
  #lost = 0
  /** Octets sent by the connection at which it has recovered from the last loss. */
  #recoveredAtBytes = 0
  #isRecovering = false
  /** What the headers of a packet take, as measured last. */
  #overheadBytes = PACKET_OVERHEAD_BYTES
  #fill: Fill | undefined = undefined
  #fills = 0
  #shortFills = 0

  /** @param yardstickId A stream whose window is hardly used, so that it shows what congestion control leaves */
  constructor(quiche: Capacities, yardstickId: number) {
    const { peerInitialMaxData, peerInitialMaxStreamDataBidiLocal } = quiche.stats()
    this.#quiche = quiche
    this.#yardstickId = yardstickId
    this.#hasLargeWindows = Math.min(peerInitialMaxData, peerInitialMaxStreamDataBidiLocal) >= LARGE_WINDOW
  }

  /**
   * How many of `wanted` octets to write now.
   *
   * @throws {Error} if the stream cannot be sent on
   */
  share(streamId: number, wanted: number): number {
    const capacity = this.#quiche.streamCapacity(streamId)
    // A peer with small windows may wait for the last octet that fits before it gives a new one.
    if (!this.#hasLargeWindows) return Math.min(wanted, capacity)
    if (this.#fill !== undefined) return Math.min(wanted, capacity, this.#fill.left)
    // Most writes are small: the stream's own window tells already that there is enough.
    if (wanted <= this.#without(capacity)) return wanted
    this.#lookForLosses()
    const octets = Math.max(capacity, this.#yardstick())
    const room = Math.min(capacity, this.#without(octets))
    if (wanted <= room) return wanted
    // Less than a packet is not worth it; acknowledgments that make room are on their way.
    if (room < MAX_PACKET_BYTES) return this.#hasOnePacket(octets) ? Math.min(wanted, capacity, PAYLOAD_BYTES) : 0
    // Whole packets: what remains is for `fillWindow`.
    return room === capacity ? room : room - (room % (MAX_PACKET_BYTES - this.#overheadBytes))
  }

  /**
   * Has the window used to the last octet. To be called when all that was written has been sent.
   *
   * @param sending Streams, and whether they wait to write more
   * @param write Has a stream write what it can
   * @param send Sends what was written
   */
  fillWindow(sending: ReadonlyMap<number, boolean>, write: (streamId: number) => void, send: () => void): void {
    const waiting: number[] = []
    for (const [streamId, isWaiting] of sending) {
      if (isWaiting && waiting.push(streamId) === MAX_FILLING_STREAMS) break
    }
    if (waiting.length === 0) return
    const fill = this.#beginFill()
    if (fill === undefined) return
    this.#fill = fill
    try {
      for (const streamId of waiting) if (fill.left > 0) write(streamId)
      send()
    } finally {
      this.#fill = undefined
    }
    // Otherwise some of it may not have been sent.
    if (fill.packets === 0 || fill.sent >= fill.packetBytes) return
    this.#overheadBytes = Math.min(PACKET_OVERHEAD_BYTES, Math.ceil((fill.sent - fill.written) / fill.packets))
  }

  /** Whether no stream could write anything, so that none has to be asked. */
  get isFull(): boolean {
    const octets = this.#yardstick()
    if (octets >= LEAST_YARDSTICK_BYTES) this.#isYardstickLong = true
    if (!this.#hasLargeWindows || !this.#isYardstickLong || this.#hasOnePacket(octets)) return false
    return this.#without(octets) < MAX_PACKET_BYTES
  }

  /** Half of a small window is less than a packet, and perhaps nothing is on the way any more that will be acknowledged. */
  #hasOnePacket(octets: number): boolean {
    return this.#isRecovering && this.#writtenBytes === 0 && octets >= MAX_PACKET_BYTES
  }

  #beginFill(): Fill | undefined {
    if (!this.#hasLargeWindows) return undefined
    this.#lookForLosses()
    // Nothing that is sent before it has recovered makes quiche let more through.
    if (this.#isRecovering) return undefined
    const unwritten = this.#yardstick()
    const packetBytes = unwritten + this.#writtenBytes - this.#sentBytes
    if (packetBytes < MAX_PACKET_BYTES / 2 && ++this.#shortFills % SHORT_FILLS > 0) return undefined
    const overhead = this.#fills++ % FILLS_PER_MEASUREMENT === 0 ? PACKET_OVERHEAD_BYTES : this.#overheadBytes
    const left = Math.min(unwritten, packetBytes - Math.ceil(packetBytes / MAX_PACKET_BYTES) * overhead)
    return left > 0 ? { packetBytes, left, written: 0, sent: 0, packets: 0 } : undefined
  }

  /** Octets were written. */
  onWritten(bytes: number): void {
    this.#writtenBytes += bytes
    if (this.#fill === undefined) return
    this.#fill.left -= bytes
    this.#fill.written += bytes
  }

  /** A packet was sent. */
  onSent(bytes: number): void {
    this.#sentBytes += bytes
    if (this.#fill === undefined) return
    this.#fill.sent += bytes
    this.#fill.packets++
  }

  /** A packet was received: only then quiche counts anew what the packets sent have left. */
  onReceived(): void {
    this.#writtenBytes = 0
    this.#sentBytes = 0
    this.#hasLookedForLosses = false
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

  /** What is left of so many octets when packets and frames have their headers. */
  #without(octets: number): number {
    // While quiche recovers from a loss it says up to twice of what it sends.
    const total = Math.floor((octets + this.#writtenBytes) / (this.#isRecovering ? 2 : 1))
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
