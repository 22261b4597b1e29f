/** The lifetime of a session. */
export interface Lifetime {
  /** Milliseconds without a request after which a session expires. */
  readonly idleTimeoutMs: number
  /** Milliseconds after the start of a session at which it expires. */
  readonly absoluteTimeoutMs: number
}

/**
 * A request extends a session only after this part of the idle timeout has passed, so that most requests do not cause a write.
 */
const REFRESH_PART = 1 / 10

/** Returns the time at which a session that is used now expires. */
export function expiryOf({ idleTimeoutMs, absoluteTimeoutMs }: Lifetime, createdAtMs: number, nowMs: number): number {
  return Math.min(nowMs + idleTimeoutMs, createdAtMs + absoluteTimeoutMs)
}

/** Reports whether the use of a session must be recorded, which never extends the absolute timeout. */
export function isRefreshDue(
  lifetime: Lifetime,
  { createdAtMs, expiresAtMs }: { readonly createdAtMs: number; readonly expiresAtMs: number },
  nowMs: number,
): boolean {
  const gainMs = expiryOf(lifetime, createdAtMs, nowMs) - expiresAtMs
  return gainMs > 0 && gainMs >= lifetime.idleTimeoutMs * REFRESH_PART
}
