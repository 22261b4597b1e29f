import { createHmac, randomBytes } from 'node:crypto'
import { RateBudget } from '../../../engine/event-loop/rate-budget.ts'

const TOKEN_BYTES = 16
/** RFC 9000 §10.3: smaller ones could not be an ordinary packet. */
const MIN_BYTES = 21
/** What an ordinary packet of a client that has nothing to say takes; no larger is needed. */
const MAX_BYTES = 42
/** Answers at once and a second: packets of unknown connections come in bursts after a restart, or from attackers. */
const BURST = 1000
const PER_SECOND = 500

/**
 * Stateless resets: how a client learns that nobody knows its connection any more, instead of waiting until it gives up.
 *
 * @see RFC 9000 §10.3
 */
export class StatelessResets {
  readonly #secret: Uint8Array
  readonly #budget: RateBudget

  /** @param secret The same after a restart, for resets to be understood then */
  constructor(secret: Uint8Array, nowMs: number) {
    this.#secret = secret
    this.#budget = new RateBudget(BURST, PER_SECOND, nowMs)
  }

  /** The token of a connection ID: a number of 16 bytes that nobody else can know. */
  token(id: Uint8Array): bigint {
    return BigInt(`0x${this.#tokenOf(id).toString('hex')}`)
  }

  /**
   * The response to a packet for an unknown connection.
   *
   * @param packetBytes Bytes of that packet; the response is smaller, so that two servers cannot answer each other for ever
   * @returns `undefined` if the packet is too small, or too many were answered
   */
  respond(id: Uint8Array, packetBytes: number, nowMs: number): Buffer | undefined {
    const bytes = Math.min(packetBytes - 1, MAX_BYTES)
    if (bytes < MIN_BYTES || !this.#budget.spend(nowMs)) return undefined
    const packet = randomBytes(bytes)
    // Looks like any packet with a short header: its first two bits are 0 and 1.
    packet.writeUInt8((packet.readUInt8(0) & 0x3f) | 0x40, 0)
    packet.set(this.#tokenOf(id), bytes - TOKEN_BYTES)
    return packet
  }

  #tokenOf(id: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update(id).digest().subarray(0, TOKEN_BYTES)
  }
}
