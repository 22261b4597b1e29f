/** Bytes that a client can send outside requests: handshake, path MTU discovery, pings. */
const FREE_BYTES = 256 * 1024
/** Additional bytes per second of connection time, for pings. The responses to pings are larger than the pings. */
const BYTES_PER_SECOND = 100
/** Maximum unread bytes of one stream, equal to its initial window. */
const STREAM_BYTES = 64 * 1024
/** Budget per byte read. The window grows with reads, and the client might need to send all of it twice. */
const READ_FACTOR = 4
/** Largest packet in bytes that the server accepts. */
const MAX_PACKET_BYTES = 1472

/**
 * Limits the bytes that a peer can send outside requests.
 *
 * quiche 0.18 stores the contents of some frames, without a limit, until the connection closes. These are CRYPTO frames
 * after the handshake (CVE-2024-1765), PATH_CHALLENGE (CVE-2023-6193) and NEW_CONNECTION_ID (CVE-2024-1410). For
 * NEW_CONNECTION_ID, each lookup also scans the whole list.
 *
 * quiche does not report these frames. The budget therefore counts received bytes that are neither stream content nor
 * acknowledgments of sent packets.
 */
export class OverheadBudget {
  #received = 0
  #allowed = FREE_BYTES
  readonly #startMs: number

  constructor(nowMs: number) {
    this.#startMs = nowMs
  }

  /** Adds to the budget for stream bytes that were read. */
  onRead(bytes: number): void {
    this.#allowed += READ_FACTOR * bytes
  }

  /** Adds to the budget for a sent packet. Its acknowledgment is smaller than the packet. */
  onSent(bytes: number): void {
    this.#allowed += bytes
  }

  /** Adds to the budget for a stream that will not be read further. Its bytes can still be in transit. */
  onUnread(): void {
    this.#allowed += STREAM_BYTES
  }

  /**
   * Charges a received packet to the budget.
   *
   * @param openStreams Number of streams that can have unread bytes
   * @param countPackets Returns the number of valid packets from the peer. Called only when the budget seems exceeded,
   *   because attackers can replay the peer's packets
   * @returns Whether the budget is exceeded
   */
  onReceived(bytes: number, openStreams: number, countPackets: () => number): boolean {
    this.#received += bytes
    let allowed = this.#allowed + openStreams * STREAM_BYTES
    if (this.#received <= allowed) return false
    allowed += ((performance.now() - this.#startMs) / 1000) * BYTES_PER_SECOND
    if (this.#received <= allowed) return false
    this.#received = Math.min(this.#received, countPackets() * MAX_PACKET_BYTES)
    return this.#received > allowed
  }
}
