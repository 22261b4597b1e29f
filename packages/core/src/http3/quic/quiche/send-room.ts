/** Maximum packet size in bytes. Packets of this size also fit through tunnels. */
export const MAX_PACKET_BYTES = 1350
/** Bytes of a packet reserved for headers, connection IDs, packet and frame headers and the AEAD tag. */
const PACKET_OVERHEAD_BYTES = 64
/** Minimum window size, in bytes, at which a peer is expected to extend its windows before they are used up. */
const LARGE_WINDOW = 64 * 1024
const MIN_REFERENCE_BYTES = 4 * MAX_PACKET_BYTES
/** Fits a short header with the longest connection ID (RFC 9000 §17.3.1), but no frame. */
const noRoom = Buffer.alloc(21)

/** Methods of a quiche connection that `SendRoom` uses. */
export interface Capacities {
  /**
   * Returns the bytes that flow control and congestion control permit.
   *
   * @throws {Error} if the stream cannot be written to
   */
  streamCapacity(streamId: number): number
  stats(): { peerInitialMaxData: number; peerInitialMaxStreamDataBidiLocal: number }
  /** Returns the paths; the first one is in use. */
  pathStats(): readonly { lost: number; cwnd: number; sentBytes: number }[]
  sendAckEliciting(): void
  send(packet: Uint8Array): unknown
}

/**
 * Computes how many bytes fit into the next packets.
 *
 * quiche accepts as many bytes as congestion control permits, but does not count the headers of packets and frames. It
 * buffers the excess bytes, and a stream that is aborted in that state remains stuck (see `StuckStreams`). `SendRoom`
 * therefore reserves room for headers. When only that reserve remains, `SendRoom` reports to quiche that the window is
 * used up.
 */
export class SendRoom {
  readonly #quiche: Capacities
  readonly #referenceId: number
  readonly #hasLargeWindows: boolean
  /** Whether the reference stream has ever had a capacity above its own window. */
  #hasLargeReference = false
  /** Bytes written since the last received packet. */
  #writtenBytes = 0
  #hasLookedForLosses = false
  /** Number of lost packets at the last check. */
  #lost = 0
  /** Value of `sentBytes` at which recovery from the last loss ends. */
  #recoveredAtBytes = 0
  #isRecovering = false
  /** Whether congestion control has limited a write since the last packet. */
  #isShort = false

  /**
   * Creates the tracker for one connection.
   *
   * @param referenceId Stream whose own window is rarely used, so that its capacity reflects the congestion window
   */
  constructor(quiche: Capacities, referenceId: number) {
    const { peerInitialMaxData, peerInitialMaxStreamDataBidiLocal } = quiche.stats()
    this.#quiche = quiche
    this.#referenceId = referenceId
    this.#hasLargeWindows = Math.min(peerInitialMaxData, peerInitialMaxStreamDataBidiLocal) >= LARGE_WINDOW
  }

  /**
   * Returns how many of `wanted` bytes to write now.
   *
   * @throws {Error} if the stream cannot be written to
   */
  share(streamId: number, wanted: number): number {
    const capacity = this.#quiche.streamCapacity(streamId)
    // A peer with small windows might wait for the last byte that fits before it extends them.
    if (!this.#hasLargeWindows) return Math.min(wanted, capacity)
    // Most writes are small, so the capacity of the stream is sufficient evidence.
    if (wanted <= this.#without(capacity)) return wanted
    this.#lookForLosses()
    const bytes = Math.max(capacity, this.#referenceCapacity())
    const room = Math.min(capacity, this.#without(bytes))
    if (wanted <= room) return wanted
    if (room < capacity) this.#isShort = true
    // Do not send less than a packet, because acknowledgments in transit will make room.
    if (room >= MAX_PACKET_BYTES) return room
    return this.#hasOnePacket(bytes) ? Math.min(wanted, capacity, MAX_PACKET_BYTES - PACKET_OVERHEAD_BYTES) : 0
  }

  /**
   * Reports whether one packet can be sent during recovery. Half of a small window can be less than a packet, and there
   * might be no outstanding acknowledgment to wait for.
   */
  #hasOnePacket(bytes: number): boolean {
    return this.#isRecovering && this.#writtenBytes === 0 && bytes >= MAX_PACKET_BYTES
  }

  /** Whether no stream can write. If so, none need to be polled. */
  get isFull(): boolean {
    const bytes = this.#referenceCapacity()
    if (bytes >= MIN_REFERENCE_BYTES) this.#hasLargeReference = true
    if (!this.#hasLargeWindows || !this.#hasLargeReference || this.#hasOnePacket(bytes)) return false
    return this.#without(bytes) < MAX_PACKET_BYTES
  }

  /** Records written bytes. */
  onWritten(bytes: number): void {
    this.#writtenBytes += bytes
  }

  /** Resets the counters before a packet is received. Only then does quiche recompute its capacities. */
  onReceived(): void {
    if (this.#isShort && this.#writtenBytes > 0) this.#reportUsedUp()
    this.#isShort = false
    this.#writtenBytes = 0
    this.#hasLookedForLosses = false
  }

  /**
   * Makes quiche grow the congestion window when the next acknowledgments arrive (RFC 9002 §7.8).
   *
   * quiche grows the window only if the last packet filled it completely, which the header reserve prevents, or if
   * pending data did not fit. Here a PING does not fit into an empty buffer. quiche sends it later only if it has no
   * other frames to send.
   */
  // docs/decisions/0082
  #reportUsedUp(): void {
    this.#quiche.sendAckEliciting()
    try {
      this.#quiche.send(noRoom)
    } catch {
      // The connection is closed or closing.
    }
  }

  /** Checks for lost packets, at most once per received packet because the call is slow. */
  #lookForLosses(): void {
    if (this.#hasLookedForLosses) return
    this.#hasLookedForLosses = true
    const [path] = this.#quiche.pathStats()
    if (path === undefined) return
    const { lost, cwnd, sentBytes } = path
    // RFC 9002 §7.3.2: recovery ends when a packet sent during recovery is acknowledged, one round trip later.
    if (lost > this.#lost) this.#recoveredAtBytes = sentBytes + cwnd
    this.#lost = lost
    this.#isRecovering = sentBytes < this.#recoveredAtBytes
  }

  /** Returns `bytes` minus the headers of packets and frames. */
  #without(bytes: number): number {
    // During recovery quiche reports up to twice the bytes that it sends.
    const total = Math.floor((bytes + this.#writtenBytes) / (this.#isRecovering ? 2 : 1))
    const packets = Math.ceil(total / MAX_PACKET_BYTES) + 1
    return total - this.#writtenBytes - packets * PACKET_OVERHEAD_BYTES
  }

  #referenceCapacity(): number {
    try {
      return this.#quiche.streamCapacity(this.#referenceId)
    } catch {
      // The peer has stopped the reference stream.
      return 0
    }
  }
}
