import { checkOptions, integer, type OptionKinds } from '@fw/options'
import type { SessionStore, StoredSession } from './session-store.ts'

/** Options of `memorySessions()`. */
export interface MemorySessionsOptions {
  /** Maximum number of sessions. The least recently used session is deleted first. Default 100,000. */
  readonly maxSessions?: number
}

const KINDS: OptionKinds<MemorySessionsOptions> = { maxSessions: integer(1) }

/**
 * Creates a store that keeps sessions in the memory of this process. They end with the process and are not shared with other
 * processes or workers.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 */
export function memorySessions(options: MemorySessionsOptions = {}): SessionStore {
  checkOptions('memorySessions', options, KINDS)
  return new MemorySessions(options.maxSessions ?? 100_000)
}

class MemorySessions implements SessionStore {
  readonly #maxSessions: number
  /** The most recently read or written session is at the end. */
  readonly #sessions = new Map<string, StoredSession>()

  constructor(maxSessions: number) {
    this.#maxSessions = maxSessions
  }

  async read(key: string): Promise<StoredSession | undefined> {
    const session = this.#find(key)
    if (session !== undefined) this.#moveToEnd(key, session)
    return session
  }

  async create(key: string, session: StoredSession): Promise<void> {
    this.#makeRoom()
    this.#sessions.set(key, session)
  }

  async replace(key: string, version: number, session: StoredSession): Promise<boolean> {
    if (this.#find(key)?.version !== version) return false
    this.#moveToEnd(key, session)
    return true
  }

  async touch(key: string, expiresAtMs: number): Promise<void> {
    const session = this.#find(key)
    if (session !== undefined) this.#moveToEnd(key, { ...session, expiresAtMs })
  }

  async delete(key: string, version?: number): Promise<boolean> {
    const session = this.#find(key)
    if (session === undefined || (version !== undefined && session.version !== version)) return false
    return this.#sessions.delete(key)
  }

  #find(key: string): StoredSession | undefined {
    const session = this.#sessions.get(key)
    if (session === undefined || session.expiresAtMs > Date.now()) return session
    this.#sessions.delete(key)
    return undefined
  }

  #moveToEnd(key: string, session: StoredSession): void {
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
  }

  /** Deletes expired sessions from the front. If the store is still full, deletes the first session. */
  #makeRoom(): void {
    const nowMs = Date.now()
    for (const [key, { expiresAtMs }] of this.#sessions) {
      if (expiresAtMs > nowMs && this.#sessions.size < this.#maxSessions) return
      this.#sessions.delete(key)
    }
  }
}
