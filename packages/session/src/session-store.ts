/** A session in a store. */
export interface StoredSession {
  /** The version number, which each `replace` increments. */
  readonly version: number
  /** The data as JSON. */
  readonly json: string
  /** The time at which the session began, in milliseconds since 1970. Rotations keep it. */
  readonly createdAtMs: number
  /** The time after which the store must not return the session. */
  readonly expiresAtMs: number
}

/**
 * Stores sessions. Keys are SHA-256 hashes of session IDs in base64url, so a leaked store does not give access to sessions.
 * Each method must be atomic and must reject if the store is unavailable.
 */
export interface SessionStore {
  /** Returns a session; `undefined` if it does not exist or has expired. */
  read(key: string): Promise<StoredSession | undefined>
  /** Stores a new session. */
  create(key: string, session: StoredSession): Promise<void>
  /**
   * Replaces a session if it has this version. Reports whether it did. Must not create a missing session, because that would
   * revive a session that a logout has deleted.
   */
  replace(key: string, version: number, session: StoredSession): Promise<boolean>
  /** Sets the expiry of a session without changing its version. Must not create a missing session. */
  touch(key: string, expiresAtMs: number): Promise<void>
  /** Deletes a session. With `version`, deletes only that version. Reports whether it existed. */
  delete(key: string, version?: number): Promise<boolean>
}
