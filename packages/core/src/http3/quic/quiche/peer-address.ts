import type { HostPort } from './binding.ts'

/** Bytes that can be sent to an unvalidated address per byte received from it (RFC 9000 §8.1). */
const AMPLIFICATION_FACTOR = 3
/** Milliseconds after which an unvalidated address is dropped. Corresponds to three long round trips. */
const PROOF_TIMEOUT_MS = 3000
/**
 * Largest `active_connection_id_limit` that is supported. Clients announce 2 to 8. A client with a higher limit cannot
 * be forced to use a new connection ID.
 */
const MAX_ID_LIMIT = 16
/** Maximum number of address changes. Each one uses connection IDs that quiche keeps until the connection closes. */
const MAX_ATTEMPTS = 100
/**
 * Milliseconds after which a sent connection ID counts as delivered. If a path needs longer to deliver a packet, it is
 * broken.
 */
const ARRIVAL_MS = 3000

/** Connection IDs that the server issues to the peer. */
export interface IssuedIds {
  /** Number of connection IDs that the peer stores (`active_connection_id_limit`). */
  readonly limit: number
  /** Returns the number of IDs that the peer has. An ID counts until the peer confirms its retirement. */
  active(): number
  /** Issues a new ID to the peer. If the peer is at its limit, it must retire its oldest ID. */
  issue(): { readonly sequence: number; readonly key: string }
}

interface Attempt {
  readonly address: HostPort
  /** Sequence number of the first connection ID that was sent only to this address. */
  readonly firstSequence: number
  readonly keys: Set<string>
  readonly untilMs: number
  /** Bytes that can still be sent to this address. */
  room: number
}

/**
 * Tracks the address to which a connection sends packets. The peer's address can change when a NAT rebinds it (RFC 9000
 * §9.3). An attacker on the path can forge such a change to redirect traffic to a victim. A new address must therefore
 * prove that it receives packets. Until then, the server sends at most three times as many bytes as it has received
 * from that address.
 *
 * quiche has its own path validation, which a client can use to send quiche 0.18 into an endless loop (CVE-2025-7054).
 * For this reason, only the original address is ever passed to quiche. To validate a new address, the server sends new
 * connection IDs only to that address, and asks the client to retire all old ones. A packet that uses one of the new
 * IDs is proof, because the IDs cannot be guessed.
 */
// docs/decisions/0085
export class PeerAddress {
  /** Address that is passed to quiche. Never changes. */
  readonly original: HostPort
  #validated: HostPort
  #attempt: Attempt | undefined = undefined
  #attempts = 0
  #nextSequence = 1
  /** Issued IDs that the peer has not used yet, by ID. The packets that contain them can be lost and sent again. */
  readonly #unused = new Map<string, { readonly sequence: number; readonly sentMs: number }>()
  /** Sequence number of the oldest connection ID that the server has not asked the peer to retire. */
  #oldestSequence = 0

  constructor(address: HostPort) {
    this.original = quicheAddress(address)
    this.#validated = address
  }

  /** Last validated address. */
  get validated(): HostPort {
    return this.#validated
  }

  /** Whether the limit for address changes is reached. */
  get isExhausted(): boolean {
    return this.#attempts >= MAX_ATTEMPTS
  }

  /** Reports whether `onPacket` must handle a packet from this address. */
  isRelevant({ host, port }: HostPort): boolean {
    return this.#attempt !== undefined || port !== this.#validated.port || host !== this.#validated.host
  }

  /** Returns the destination address, and the number of bytes that can be sent to it. */
  target(nowMs: number): { readonly to: HostPort; readonly room: number } {
    // If the validation timed out, return to the last validated address.
    if (this.#attempt !== undefined && nowMs > this.#attempt.untilMs) this.#attempt = undefined
    const attempt = this.#attempt
    return attempt === undefined ? { to: this.#validated, room: Infinity } : { to: attempt.address, room: attempt.room }
  }

  onSent(bytes: number): void {
    if (this.#attempt !== undefined) this.#attempt.room -= bytes
  }

  /**
   * Handles a valid packet from the peer that is not a duplicate.
   *
   * @param key Destination connection ID of the packet
   */
  onPacket(from: HostPort, bytes: number, key: string, ids: IssuedIds, nowMs: number): void {
    if (from.port === this.#validated.port && from.host === this.#validated.host) {
      this.#attempt = undefined
      return
    }
    this.#unused.delete(key)
    let attempt = this.#attempt
    if (attempt === undefined || attempt.address.port !== from.port || attempt.address.host !== from.host) {
      if (ids.limit > MAX_ID_LIMIT || this.isExhausted) return
      this.#attempts++
      const untilMs = nowMs + PROOF_TIMEOUT_MS
      attempt = { address: from, firstSequence: this.#nextSequence, keys: new Set(), untilMs, room: 0 }
      this.#attempt = attempt
    }
    if (attempt.keys.has(key)) {
      this.#validated = from
      this.#attempt = undefined
      return
    }
    attempt.room += AMPLIFICATION_FACTOR * bytes
    this.#issue(attempt, ids, nowMs)
  }

  /** Issues IDs until the peer has only IDs from this attempt. */
  #issue(attempt: Attempt, ids: IssuedIds, nowMs: number): void {
    while (this.#oldestSequence < attempt.firstSequence) {
      const active = ids.active()
      // The peer is not required to track more retired IDs than this, so wait until it confirms some.
      if (active >= 2 * ids.limit - 1) return
      // quiche 0.18 retransmits a lost ID with the latest retirement request, even if that request covers this ID. The
      // peer treats that as an error, so wait until the ID has arrived.
      if (active >= ids.limit && this.#mayBeLost(this.#oldestSequence, nowMs)) return
      const { sequence, key } = ids.issue()
      this.#unused.set(key, { sequence, sentMs: nowMs })
      attempt.keys.add(key)
      this.#nextSequence = sequence + 1
      if (active >= ids.limit) this.#oldestSequence++
    }
  }

  #mayBeLost(sequence: number, nowMs: number): boolean {
    for (const [key, unused] of this.#unused) {
      if (nowMs - unused.sentMs > ARRIVAL_MS) this.#unused.delete(key)
      else if (unused.sequence === sequence) return true
    }
    return false
  }
}

/**
 * Returns the address without the zone of a link-local address (RFC 4007 §11), which quiche does not accept. Only the
 * socket needs the zone.
 */
export function quicheAddress({ host, port }: HostPort): HostPort {
  const zoneAt = host.indexOf('%')
  return { host: zoneAt === -1 ? host : host.slice(0, zoneAt), port }
}
