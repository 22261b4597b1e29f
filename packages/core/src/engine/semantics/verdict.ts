/** The result of checking a request or a part of it. It is the same on every protocol. */
export type Verdict<T> = Accepted<T> | Rejected

/** Verdict on a request that passed the check and can reach a handler. */
export interface Accepted<T> {
  readonly kind: 'ok'
  readonly value: T
}

/** Verdict on a request that failed the check and must not reach a handler. */
export type Rejected = Malformed | Refused

/**
 * The message violates the rules of HTTP. HTTP/1.1 responds with 400 and closes the connection. HTTP/2 resets the
 * stream with PROTOCOL_ERROR, and HTTP/3 with H3_MESSAGE_ERROR.
 *
 * @see RFC 9112 §2.2, RFC 9113 §8.1.1, RFC 9114 §4.1.2
 */
export interface Malformed {
  readonly kind: 'malformed'
  readonly reason: string
}

/** The message is well-formed, but the server refuses it. Every protocol responds with `status`. */
export interface Refused {
  readonly kind: 'refused'
  readonly status: RefusalStatus
  readonly reason: string
}

export type RefusalStatus = 400 | 414 | 417 | 421 | 431

/** The accepting verdict for a rule without a value. Sharing it avoids an allocation for each request. */
export const ACCEPTED: Accepted<undefined> = { kind: 'ok', value: undefined }

/** Returns the status of the response to a rejected request. */
export function rejectionStatus(rejected: Rejected): number {
  return rejected.kind === 'malformed' ? 400 : rejected.status
}

export function accepted<T>(value: T): Accepted<T> {
  return { kind: 'ok', value }
}

export function malformed(reason: string): Malformed {
  return { kind: 'malformed', reason }
}

export function refused(status: RefusalStatus, reason: string): Refused {
  return { kind: 'refused', status, reason }
}
