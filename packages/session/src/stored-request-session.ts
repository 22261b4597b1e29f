import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, OutgoingResponse } from '@fw/types'
import { conflict, headSent, unsaved } from './errors.ts'
import { applyChange, type Change, type JsonData, NO_DATA, parseData } from './json-data.ts'
import { expiryOf, isRefreshDue } from './lifetime.ts'
import { maxAgeOf, type Settings } from './options.ts'
import type { SaveQueue } from './save-queue.ts'
import type { Session, SessionChanges, SessionData } from './session.ts'
import { type CookieChange, SessionCookie } from './session-cookie.ts'
import { newSessionId, storeKeyOf } from './session-id.ts'
import type { SessionStore, StoredSession } from './session-store.ts'

/** The options of a `session()`, for all requests. */
export interface StoredSettings extends Settings {
  readonly store: SessionStore
  readonly saves: SaveQueue
}

/** A session that exists in the store. */
interface Held {
  readonly id: string
  readonly key: string
  readonly stored: StoredSession
}

/**
 * Each failed attempt indicates a change from another process, because one process runs only one save of a session at a time.
 */
const MAX_ATTEMPTS = 10
/**
 * The maximum delay in milliseconds after the first attempt. The delay grows with each attempt, so that conflicting
 * processes diverge.
 */
const DELAY_MS = 5

/** The session of one request, whose data is in a store. */
export class StoredRequestSession<Data extends object> implements Session<Data> {
  readonly #settings: StoredSettings
  readonly #cookie: SessionCookie
  /** Whether the browser has a cookie, even an invalid one. */
  readonly #hasCookie: boolean
  /** The session in the store; `undefined` if there is none. */
  #held: Held | undefined
  #data: JsonData
  /** The changes that are not in the store yet. */
  #changes: readonly Change[] = []
  /**
   * The last call of `rotate()` that is not in the store yet. A save completes only the call that was pending when it began.
   */
  #rotation: symbol | undefined = undefined
  /** The session that must be deleted. */
  #destroyed: Held | undefined = undefined
  /** Number that is incremented when the session ends, even during a save. */
  #generation = 0
  #cookieChange: CookieChange | undefined = undefined
  #isWritten = false
  #saving: Promise<void> = Promise.resolve()
  #isClosed: boolean

  /** Reads the session of a request. @throws the error from the store */
  static async open<Data extends object>(ctx: Context, settings: StoredSettings): Promise<StoredRequestSession<Data>> {
    const cookie = new SessionCookie(settings.name, ctx)
    const id = cookie.read(ctx)
    const held = id === null ? undefined : await find(settings, id)
    const session = new StoredRequestSession<Data>(ctx, settings, { cookie, hasCookie: id !== null, held })
    await session.#recordUse()
    return session
  }

  private constructor(
    ctx: Context,
    settings: StoredSettings,
    { cookie, hasCookie, held }: { cookie: SessionCookie; hasCookie: boolean; held: Held | undefined },
  ) {
    this.#settings = settings
    this.#cookie = cookie
    this.#hasCookie = hasCookie
    this.#held = held
    this.#data = held === undefined ? NO_DATA : parseData(held.stored.json)
    this.#isClosed = ctx.headSent
    if (!this.#isClosed) ctx.filterResponse((response, responding) => this.#send(response, responding, ctx))
  }

  get data(): SessionData<Data> {
    return this.#data.value as SessionData<Data>
  }

  update(change: SessionChanges<Data> | ((data: SessionData<Data>) => SessionChanges<Data>)): void {
    this.#requireOpen('update')
    const data = applyChange(this.#data, change)
    const isNew = this.#held === undefined && this.#changes.length === 0
    if (data.json === this.#data.json && !isNew) return
    this.#data = data
    this.#changes = [...this.#changes, change]
  }

  rotate(): void {
    this.#requireOpen('rotate')
    // Without a session in the store, the next save creates a new ID.
    if (this.#held !== undefined) this.#rotation = Symbol('rotation')
  }

  destroy(): void {
    this.#requireOpen('destroy')
    this.#destroyed ??= this.#held
    this.#forget()
    this.#isWritten = true
    this.#cookieChange = this.#hasCookie ? { value: null, maxAgeSeconds: undefined } : undefined
  }

  /** Saves the changes after earlier calls have finished. Keeps the changes if the store rejects. */
  save(): Promise<void> {
    const saving = this.#saving.then(() => this.#save())
    this.#saving = saving.catch(() => {})
    return saving
  }

  /** Discards unsaved changes and refuses further changes. */
  close(): void {
    this.#isClosed = true
    this.#changes = []
    this.#rotation = undefined
  }

  /** Whether some changes are not in the store. */
  get #isUnsaved(): boolean {
    return this.#changes.length > 0 || this.#rotation !== undefined
  }

  async #save(): Promise<void> {
    const destroyed = this.#destroyed
    if (destroyed !== undefined) {
      await this.#settings.store.delete(destroyed.key)
      if (this.#destroyed === destroyed) this.#destroyed = undefined
    }
    if (!this.#isUnsaved) return
    const key = this.#held?.key
    if (key === undefined) return this.#writeAll()
    return this.#settings.saves.run(key, (stored) => this.#writeAfter(key, stored))
  }

  /** Writes all changes after another save of the session. Returns the session if it still has this key. */
  async #writeAfter(key: string, stored: StoredSession | undefined): Promise<StoredSession | undefined> {
    const held = this.#held
    // Use the result of that save; otherwise, the first attempt would always fail.
    if (held?.key === key && stored !== undefined && stored.version > held.stored.version) {
      this.#rebase({ ...held, stored })
    }
    await this.#writeAll()
    return this.#held?.key === key ? this.#held.stored : undefined
  }

  /** Writes all changes, even those that the handler makes during a write. @throws {HttpError} 409 if each attempt conflicts */
  async #writeAll(): Promise<void> {
    let attempts = 0
    while (this.#isUnsaved) {
      if (attempts === MAX_ATTEMPTS) {
        this.close()
        throw conflict()
      }
      attempts = (await this.#write(attempts)) ? 0 : attempts + 1
    }
  }

  /** Writes the changes to the store. If another request changed the session, reads the new data and returns false. */
  async #write(attempts: number): Promise<boolean> {
    const held = this.#held
    const generation = this.#generation
    const count = this.#changes.length
    const rotation = this.#rotation
    const written = held === undefined ? await this.#create() : await this.#replace(held)
    if (written !== undefined) this.#hold(written, { generation, count, rotation })
    else if (held !== undefined && attempts + 1 < MAX_ATTEMPTS) {
      await sleep(Math.random() * DELAY_MS * (attempts + 1))
      await this.#readAgain(held, generation)
    }
    return written !== undefined
  }

  async #create(): Promise<Held> {
    const held = { ...newSessionId(), stored: this.#next() }
    await this.#settings.store.create(held.key, held.stored)
    return held
  }

  /** Replaces the session in the store. Returns `undefined` if the store contains a different version. */
  async #replace(held: Held): Promise<Held | undefined> {
    const { store } = this.#settings
    const { key, stored } = held
    if (this.#rotation === undefined) {
      const next = this.#next()
      return (await store.replace(key, stored.version, next)) ? { ...held, stored: next } : undefined
    }
    // If the second call fails, the response has no new ID. The old session remains with its old data, unless the store deleted
    // it without a reply, as in a timeout. The client then has no session.
    const created = await this.#create()
    if (await store.delete(key, stored.version)) return created
    await store.delete(created.key)
    return undefined
  }

  #next(): StoredSession {
    const nowMs = Date.now()
    const { version, createdAtMs } = this.#held?.stored ?? { version: 0, createdAtMs: nowMs }
    const expiresAtMs = expiryOf(this.#settings, createdAtMs, nowMs)
    return { version: version + 1, json: this.#data.json, createdAtMs, expiresAtMs }
  }

  /** Records that the store contains the session with the first changes and the rotation. */
  #hold(
    written: Held,
    { generation, count, rotation }: { generation: number; count: number; rotation: symbol | undefined },
  ): void {
    if (generation !== this.#generation) {
      this.#destroyed = written
      return
    }
    const isNew = written.id !== this.#held?.id
    this.#held = written
    this.#changes = this.#changes.slice(count)
    if (this.#rotation === rotation) this.#rotation = undefined
    this.#isWritten = true
    if (isNew || this.#settings.isPersistent) this.#sendCookie(written)
  }

  /** @throws {HttpError} 409 if another request has destroyed or rotated the session, which must not be revived */
  async #readAgain({ id }: Held, generation: number): Promise<void> {
    const found = await find(this.#settings, id)
    // The handler destroyed the session after the attempt began.
    if (generation !== this.#generation) return
    if (found === undefined) {
      this.#forget()
      throw conflict()
    }
    this.#rebase(found)
  }

  /** Applies the changes to the session that another request stored. */
  #rebase(held: Held): void {
    this.#held = held
    this.#data = this.#changes.reduce(applyChange, parseData(held.stored.json))
  }

  /** Ends the session. A later change begins a new one. */
  #forget(): void {
    this.#generation++
    this.#held = undefined
    this.#data = NO_DATA
    this.#changes = []
    this.#rotation = undefined
  }

  async #recordUse(): Promise<void> {
    const held = this.#held
    const nowMs = Date.now()
    if (held === undefined || !isRefreshDue(this.#settings, held.stored, nowMs)) return
    const expiresAtMs = expiryOf(this.#settings, held.stored.createdAtMs, nowMs)
    await this.#settings.store.touch(held.key, expiresAtMs)
    this.#held = { ...held, stored: { ...held.stored, expiresAtMs } }
    if (this.#settings.isPersistent) this.#sendCookie(this.#held)
  }

  #sendCookie({ id, stored }: Held): void {
    this.#cookieChange = { value: id, maxAgeSeconds: maxAgeOf(this.#settings, stored.expiresAtMs, Date.now()) }
  }

  /** Adds the cookie to the outgoing response. */
  #send(response: OutgoingResponse, responding: Context, own: Context): void {
    const isUnsaved = this.#isUnsaved || this.#destroyed !== undefined
    this.close()
    // After a route timeout, another context responds while the handler is still running.
    if (isUnsaved && responding === own) throw unsaved()
    this.#cookie.write(response, responding, this.#cookieChange, this.#isWritten)
  }

  #requireOpen(api: string): void {
    if (this.#isClosed) throw headSent(api)
  }
}

/** Finds the session for an ID that a client sent. */
async function find({ store, absoluteTimeoutMs }: StoredSettings, id: string): Promise<Held | undefined> {
  const key = storeKeyOf(id)
  const stored = key === undefined ? undefined : await store.read(key)
  if (key === undefined || stored === undefined) return undefined
  // The store compares with its own clock. A shorter absolute timeout must also apply to older sessions.
  const isExpired = Math.min(stored.expiresAtMs, stored.createdAtMs + absoluteTimeoutMs) <= Date.now()
  return isExpired ? undefined : { id, key, stored }
}
