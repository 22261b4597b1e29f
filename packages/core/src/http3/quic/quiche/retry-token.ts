import { createHmac, timingSafeEqual } from 'node:crypto'

/** A client repeats its Initial at once; what comes later was kept for something else. */
const LIFETIME_MS = 10_000
const TIME_BYTES = 6
const MAC_BYTES = 32

/** The two things a Retry token ties together beside its secret. */
export interface RetryClient {
  readonly address: string
  readonly port: number
}

/**
 * Makes the token of a Retry packet: proof that a client received it at the address it claims, without remembering
 * anything about that client.
 *
 * @param originalId Destination connection ID of the client's first packet
 * @param retryId Connection ID that the Retry tells the client to use
 * @see RFC 9000 §8.1.2, §8.1.4
 */
export function mintRetryToken(
  secret: Uint8Array,
  client: RetryClient,
  nowMs: number,
  originalId: Uint8Array,
  retryId: Uint8Array,
): Buffer {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(nowMs, 0, TIME_BYTES)
  return Buffer.concat([mac(secret, client, time, originalId, retryId), time, originalId])
}

/**
 * Opens a token that came back.
 *
 * @param retryId Destination connection ID of the packet it came in
 * @returns The original destination connection ID, or `undefined` if the token is forged, stale or another client's
 */
export function openRetryToken(
  secret: Uint8Array,
  client: RetryClient,
  nowMs: number,
  token: Uint8Array,
  retryId: Uint8Array,
): Buffer | undefined {
  if (token.byteLength < MAC_BYTES + TIME_BYTES) return undefined
  const bytes = Buffer.from(token)
  const time = bytes.subarray(MAC_BYTES, MAC_BYTES + TIME_BYTES)
  const originalId = bytes.subarray(MAC_BYTES + TIME_BYTES)
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(secret, client, time, originalId, retryId))) return undefined
  const ageMs = nowMs - time.readUIntBE(0, TIME_BYTES)
  return ageMs >= 0 && ageMs <= LIFETIME_MS ? originalId : undefined
}

function mac(
  secret: Uint8Array,
  client: RetryClient,
  time: Uint8Array,
  originalId: Uint8Array,
  retryId: Uint8Array,
): Buffer {
  // The address cannot hold a slash and the connection IDs say how long they are, so no two inputs look alike.
  return createHmac('sha256', secret)
    .update(`${client.address}/${client.port}/${originalId.byteLength}/${retryId.byteLength}/`)
    .update(time)
    .update(originalId)
    .update(retryId)
    .digest()
}
