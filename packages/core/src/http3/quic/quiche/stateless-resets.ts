import { createHmac, randomBytes } from 'node:crypto'
import { RateBudget } from '../../../engine/event-loop/rate-budget.ts'

const TOKEN_BYTES = 16
/** Minimum packet size (RFC 9000 §10.3); a smaller packet cannot be valid. */
const MIN_BYTES = 21
/** Maximum size of a reset, equal to the size of a typical packet without data. A larger reset has no benefit. */
const MAX_BYTES = 42
/**
 * Number of resets in a burst, and per second. Packets for unknown connections arrive in bursts after a restart or in
 * an attack.
 */
const BURST = 1000
const PER_SECOND = 500

/** Creates stateless resets, which inform a client immediately that the server has no state for its connection. */
export class StatelessResets {
  readonly #secret: Uint8Array
  readonly #budget: RateBudget

  /**
   * Creates the resets for one listener.
   *
   * @param secret Must survive a restart for clients to recognize the resets
   */
  constructor(secret: Uint8Array, nowMs: number) {
    this.#secret = secret
    this.#budget = new RateBudget(BURST, PER_SECOND, nowMs)
  }

  /** Returns the secret 16-byte token for a connection ID. */
  token(id: Uint8Array): bigint {
    return BigInt(`0x${this.#tokenOf(id).toString('hex')}`)
  }

  /**
   * Returns a reset for a packet with an unknown connection ID.
   *
   * @param packetBytes Size of that packet. The reset is smaller, so that two servers cannot answer each other forever
   * @returns `undefined` if the packet is too small or the rate limit is reached
   */
  respond(id: Uint8Array, packetBytes: number, nowMs: number): Buffer | undefined {
    const bytes = Math.min(packetBytes - 1, MAX_BYTES)
    if (bytes < MIN_BYTES || !this.#budget.spend(nowMs)) return undefined
    const packet = randomBytes(bytes)
    // Set the first two bits to 0 and 1, as in any packet with a short header.
    packet.writeUInt8((packet.readUInt8(0) & 0x3f) | 0x40, 0)
    packet.set(this.#tokenOf(id), bytes - TOKEN_BYTES)
    return packet
  }

  #tokenOf(id: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update(id).digest().subarray(0, TOKEN_BYTES)
  }
}
