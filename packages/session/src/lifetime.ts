/** How long a session lives. */
export interface Lifetime {
  /** Time without a request after which a session expires, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Time since the beginning of a session after which it expires, in milliseconds. */
  readonly absoluteTimeoutMs: number
}

/** A request delays the expiry only if this part of the idle timeout has passed, so that most requests write nothing. */
const REFRESH_PART = 1 / 10

/** Returns the time at which a session expires that is used now. */
export function expiryOf({ idleTimeoutMs, absoluteTimeoutMs }: Lifetime, createdAtMs: number, nowMs: number): number {
  return Math.min(nowMs + idleTimeoutMs, createdAtMs + absoluteTimeoutMs)
}

/** Reports whether the use of a session must be recorded. Never extends the absolute timeout. */
export function isRefreshDue(
  lifetime: Lifetime,
  { createdAtMs, expiresAtMs }: { readonly createdAtMs: number; readonly expiresAtMs: number },
  nowMs: number,
): boolean {
  const gainMs = expiryOf(lifetime, createdAtMs, nowMs) - expiresAtMs
  return gainMs > 0 && gainMs >= lifetime.idleTimeoutMs * REFRESH_PART
}
