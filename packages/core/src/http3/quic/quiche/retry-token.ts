import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Lifetime of a token in milliseconds. A client sends its Initial packet again immediately, so an old token is a
 * replay.
 */
const LIFETIME_MS = 10_000
const TIME_BYTES = 6
const MAC_BYTES = 32

/** Client address to which a Retry token is bound. */
export interface RetryClient {
  readonly address: string
  readonly port: number
}

/**
 * Creates the token for a Retry packet. The token proves that the client receives packets at its address, and requires
 * no state on the server.
 *
 * @param originalId Destination connection ID of the client's first packet
 * @param retryId Connection ID that the client must use after the Retry
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
 * Verifies a token and returns its content.
 *
 * @param retryId Destination connection ID of the packet with the token
 * @returns The original destination connection ID, or `undefined` if the token is forged, expired or issued to a
 * different client
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
  // Addresses contain no slash and the connection IDs have length prefixes, so each input is unambiguous.
  return createHmac('sha256', secret)
    .update(`${client.address}/${client.port}/${originalId.byteLength}/${retryId.byteLength}/`)
    .update(time)
    .update(originalId)
    .update(retryId)
    .digest()
}
