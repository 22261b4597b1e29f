/** Most octets of one packet, so that it also fits a path with a tunnel in it. */
export const MAX_PACKET_BYTES = 1350
/** Of these, headers, connection IDs, numbers, lengths and the seal may take so many. */
const PACKET_OVERHEAD_BYTES = 64
/** A peer with such windows gives new ones long before they are used up. */
const LARGE_WINDOW = 64 * 1024
const LEAST_YARDSTICK_BYTES = 4 * MAX_PACKET_BYTES

/** What is asked about a connection. */
export interface Capacities {
  /** What its window and congestion control leave. @throws {Error} if the stream cannot be sent on */
  streamCapacity(streamId: number): number
  stats(): { peerInitialMaxData: number; peerInitialMaxStreamDataBidiLocal: number }
}

/**
 * How many octets can leave in the next packets.
 *
 * quiche takes as many as congestion control lets it send, and then finds that the headers of packets and frames do
 * not fit. What it cannot send it keeps, and a stream that is given up meanwhile is stuck (see `StuckStreams`).
 */
export class SendRoom {
  readonly #quiche: Capacities
  readonly #yardstickId: number
  readonly #hasLargeWindows: boolean
  /** Whether the yardstick has ever shown so much that its own window cannot be what it shows. */
  #isYardstickLong = false
  #writtenBytes = 0

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
    // Most writes are small: the stream's own window tells already that there is enough.
    if (wanted <= this.#without(capacity)) return wanted
    const room = Math.min(capacity, this.#without(Math.max(capacity, this.#yardstick())))
    if (wanted <= room) return wanted
    // Less than a packet is not worth it; acknowledgments that make room are on their way.
    return room < MAX_PACKET_BYTES ? 0 : room
  }

  /** Whether no stream could write anything, so that none has to be asked. */
  get isFull(): boolean {
    const octets = this.#yardstick()
    if (octets >= LEAST_YARDSTICK_BYTES) this.#isYardstickLong = true
    return this.#hasLargeWindows && this.#isYardstickLong && this.#without(octets) < MAX_PACKET_BYTES
  }

  /** Octets were written. */
  onWritten(bytes: number): void {
    this.#writtenBytes += bytes
  }

  /** A packet was received: only then quiche counts anew what the packets sent have left. */
  onReceived(): void {
    this.#writtenBytes = 0
  }

  /** What is left of so many octets when packets and frames have their headers. */
  #without(octets: number): number {
    const packets = Math.ceil((octets + this.#writtenBytes) / MAX_PACKET_BYTES) + 1
    return octets - packets * PACKET_OVERHEAD_BYTES
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
