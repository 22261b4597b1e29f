/** What a connection may cost beside its requests: handshake, acknowledgments of little, pings for days. */
const FREE_OCTETS = 4 * 1024 * 1024
/** Octets of one stream that may have arrived without being read: its window, which grows with what is read. */
const STREAM_OCTETS = 64 * 1024
/** How much larger than what was read the window of a stream gets, and then everything may have to be sent twice. */
const READ_FACTOR = 4
/** Octets of the largest packet that is taken. */
const MAX_PACKET_OCTETS = 1472

/**
 * Whether what a peer sends has to do with requests.
 *
 * quiche 0.18 keeps what comes in some frames for as long as the connection lasts, however much it is: CRYPTO frames
 * after the handshake (CVE-2024-1765), PATH_CHALLENGE (CVE-2023-6193) and NEW_CONNECTION_ID (CVE-2024-1410). It does
 * not tell of them; but what was received and is neither content of streams nor an answer to what was sent can be
 * counted.
 */
export class OverheadBudget {
  #received = 0
  #allowed = FREE_OCTETS

  /** Octets of a stream were read. */
  onRead(octets: number): void {
    this.#allowed += READ_FACTOR * octets
  }

  /** A packet was sent, which the peer acknowledges with less. */
  onSent(octets: number): void {
    this.#allowed += octets
  }

  /** The rest of a stream will not be read, but may be on its way. */
  onUnread(): void {
    this.#allowed += STREAM_OCTETS
  }

  /**
   * A packet was received.
   *
   * @param openStreams Streams that may hold octets which were not read
   * @param countPackets Tells how many packets of the peer were valid; asked only when there seem to be too many octets,
   *   as others may repeat packets of the peer
   * @returns Whether that was too much
   */
  onReceived(octets: number, openStreams: number, countPackets: () => number): boolean {
    this.#received += octets
    const allowed = this.#allowed + openStreams * STREAM_OCTETS
    if (this.#received <= allowed) return false
    this.#received = Math.min(this.#received, countPackets() * MAX_PACKET_OCTETS)
    return this.#received > allowed
  }
}
