import type { HostPort } from './binding.ts'

/** RFC 9000 §8.1: what may be sent to an address that has not proved itself, for each byte received from it. */
const AMPLIFICATION_FACTOR = 3
/** An address that has not proved itself by then is given up. Three times the longest usual time of a packet and back. */
const PROOF_TIMEOUT_MS = 3000
/** Clients keep 2 to 8 connection IDs. One that wants more than this could not be made to use a new one. */
const MAX_ID_LIMIT = 16
/** Each time costs connection IDs that are remembered for as long as the connection lasts. */
const MAX_ATTEMPTS = 100
/** After this time a connection ID that was sent has arrived, or nothing does. */
const ARRIVAL_MS = 3000

/** Connection IDs of this side, which the peer sends its packets to. */
export interface IssuedIds {
  /** How many of them the peer keeps at a time. */
  readonly limit: number
  /** How many the peer has; one that is to be retired counts until the peer says so. */
  active(): number
  /** Gives the peer a new one; if it has as many as it keeps already, it must give up its oldest. */
  issue(): { readonly sequence: number; readonly key: string }
}

interface Attempt {
  readonly address: HostPort
  /** Number of the first connection ID that was sent to that address alone. */
  readonly firstSequence: number
  readonly keys: Set<string>
  readonly untilMs: number
  /** Bytes that may be sent there. */
  room: number
}

/**
 * Where the packets of a connection go. The peer's address may change under way, when a router on the path forgets it
 * (RFC 9000 §9.3). Anybody on the path could make it look so, and have us send to somebody else; so the new address has
 * to prove that it gets what is sent to it, and until then gets no more than three times what came from it.
 *
 * quiche has a way of its own to do that, but with it a client can send quiche 0.18 into an endless loop
 * (CVE-2025-7054). So quiche is told that nothing has changed. The proof: the new address, and nobody else, is sent new
 * connection IDs with the order to give up all old ones. A packet to one of the new IDs could not have been made up.
 */
// docs/decisions/0085
export class PeerAddress {
  /** What quiche is told, whatever happens. */
  readonly original: HostPort
  #proved: HostPort
  #attempt: Attempt | undefined = undefined
  #attempts = 0
  #nextSequence = 1
  /** By connection ID: those that the peer has not used, which may be lost and have to be sent again. */
  readonly #unused = new Map<string, { readonly sequence: number; readonly sentMs: number }>()
  /** Number of the oldest connection ID that the peer was not told to give up. */
  #oldestSequence = 0

  constructor(address: HostPort) {
    this.original = quicheAddress(address)
    this.#proved = address
  }

  /** The address last proved. */
  get proved(): HostPort {
    return this.#proved
  }

  /** Whether the address cannot be followed any more. */
  get isWornOut(): boolean {
    return this.#attempts >= MAX_ATTEMPTS
  }

  /** Whether a packet from there has to be looked at by `onPacket`. */
  isNews({ host, port }: HostPort): boolean {
    return this.#attempt !== undefined || port !== this.#proved.port || host !== this.#proved.host
  }

  /** Where to send now, and up to how many bytes. */
  target(nowMs: number): { readonly to: HostPort; readonly room: number } {
    // The peer was silent there: perhaps it never was there.
    if (this.#attempt !== undefined && nowMs > this.#attempt.untilMs) this.#attempt = undefined
    const attempt = this.#attempt
    return attempt === undefined ? { to: this.#proved, room: Infinity } : { to: attempt.address, room: attempt.room }
  }

  onSent(bytes: number): void {
    if (this.#attempt !== undefined) this.#attempt.room -= bytes
  }

  /**
   * A packet has come that only the peer can have made, and never before.
   *
   * @param key The connection ID that it was sent to
   */
  onPacket(from: HostPort, bytes: number, key: string, ids: IssuedIds, nowMs: number): void {
    if (from.port === this.#proved.port && from.host === this.#proved.host) {
      this.#attempt = undefined
      return
    }
    this.#unused.delete(key)
    let attempt = this.#attempt
    if (attempt === undefined || attempt.address.port !== from.port || attempt.address.host !== from.host) {
      if (ids.limit > MAX_ID_LIMIT || this.isWornOut) return
      this.#attempts++
      const untilMs = nowMs + PROOF_TIMEOUT_MS
      attempt = { address: from, firstSequence: this.#nextSequence, keys: new Set(), untilMs, room: 0 }
      this.#attempt = attempt
    }
    if (attempt.keys.has(key)) {
      this.#proved = from
      this.#attempt = undefined
      return
    }
    attempt.room += AMPLIFICATION_FACTOR * bytes
    this.#issue(attempt, ids, nowMs)
  }

  /** Until the peer has nothing left but IDs of this attempt. */
  #issue(attempt: Attempt, ids: IssuedIds, nowMs: number): void {
    while (this.#oldestSequence < attempt.firstSequence) {
      const active = ids.active()
      // More the peer need not keep track of. It has to give up some first; its next packet may say that it did.
      if (active >= 2 * ids.limit - 1) return
      // quiche 0.18 sends a lost one again with the latest order to give up old ones, even if that is one of them, and
      // the peer takes that for an error.
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

/** An address as quiche takes it: not with the zone of a link-local one (RFC 4007 §11), which only the socket needs. */
export function quicheAddress({ host, port }: HostPort): HostPort {
  const zoneAt = host.indexOf('%')
  return { host: zoneAt === -1 ? host : host.slice(0, zoneAt), port }
}
