/** What a connection may cost beside its requests: handshake, search for the largest packet, pings of the client. */
const FREE_BYTES = 256 * 1024
/** The same as time goes by: a silent connection is kept open by pings, whose responses are larger than they are. */
const BYTES_PER_SECOND = 100
/** Bytes of one stream that may have arrived without being read: its window, which grows with what is read. */
const STREAM_BYTES = 64 * 1024
/** How much larger than what was read the window of a stream gets, and then everything may have to be sent twice. */
const READ_FACTOR = 4
/** Bytes of the largest packet that is taken. */
const MAX_PACKET_BYTES = 1472

/**
 * Whether what a peer sends has to do with requests.
 *
 * quiche 0.18 keeps what comes in some frames for as long as the connection lasts, however much it is: CRYPTO frames
 * after the handshake (CVE-2024-1765), PATH_CHALLENGE (CVE-2023-6193) and NEW_CONNECTION_ID (CVE-2024-1410), which it
 * also searches from the beginning each time. It does not tell of them; but what was received and is neither content of streams nor a response to what was sent can be
 * counted.
 */
export class OverheadBudget {
  #received = 0
  #allowed = FREE_BYTES
  readonly #startMs: number

  constructor(nowMs: number) {
    this.#startMs = nowMs
  }

  /** Bytes of a stream were read. */
  onRead(bytes: number): void {
    this.#allowed += READ_FACTOR * bytes
  }

  /** A packet was sent, which the peer acknowledges with less. */
  onSent(bytes: number): void {
    this.#allowed += bytes
  }

  /** The rest of a stream will not be read, but may be on its way. */
  onUnread(): void {
    this.#allowed += STREAM_BYTES
  }

  /**
   * A packet was received.
   *
   * @param openStreams Streams that may hold bytes which were not read
   * @param countPackets Tells how many packets of the peer were valid; asked only when there seem to be too many bytes,
   *   as others may repeat packets of the peer
   * @returns Whether that was too much
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
