/** A session in a store. */
export interface StoredSession {
  /** The number of the version, which each `replace` increases by one. */
  readonly version: number
  /** The data as JSON. */
  readonly json: string
  /** The time at which the session began, in milliseconds since 1970. Rotations keep it. */
  readonly createdAtMs: number
  /** The time from which the store must not return the session. */
  readonly expiresAtMs: number
}

/**
 * Keeps sessions. Keys are SHA-256 hashes of session ids in base64url, so that a leaked store opens no session. Each method
 * must be atomic, and rejects if the store is unavailable.
 */
export interface SessionStore {
  /** Returns a session; `undefined` if it does not exist or has expired. */
  read(key: string): Promise<StoredSession | undefined>
  /** Stores a new session. */
  create(key: string, session: StoredSession): Promise<void>
  /**
   * Replaces a session of this version, and reports whether it did. Must not create a session that does not exist: that
   * would revive one that a logout has deleted.
   */
  replace(key: string, version: number, session: StoredSession): Promise<boolean>
  /** Sets the expiry of a session and keeps its version. Must not create a session that does not exist. */
  touch(key: string, expiresAtMs: number): Promise<void>
  /** Deletes a session, given a version only that one, and reports whether it existed. */
  delete(key: string, version?: number): Promise<boolean>
}
