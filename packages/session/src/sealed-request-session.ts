import type { Context, OutgoingResponse } from '@fw/types'
import { headSent, tooLarge } from './errors.ts'
import { applyChange, NO_DATA, parseData, type JsonData } from './json-data.ts'
import { expiryOf, isRefreshDue } from './lifetime.ts'
import { maxAgeOf, type Settings } from './options.ts'
import { type Sealer, sealedLength } from './seal.ts'
import type { Session, SessionChanges, SessionData } from './session.ts'
import { type CookieChange, SessionCookie } from './session-cookie.ts'

/** The options of a `sealedSession()`, for all requests. */
export interface SealedSettings extends Settings {
  readonly sealer: Sealer
  readonly maxCookieBytes: number
}

/** The sealed session of one request. */
export class SealedRequestSession<Data extends object> implements Session<Data> {
  readonly #settings: SealedSettings
  readonly #cookie: SessionCookie
  /** Whether the browser has a cookie, even an invalid one. */
  readonly #hasCookie: boolean
  #data: JsonData = NO_DATA
  /** Start of the session; `undefined` without a session. */
  #createdAtMs: number | undefined = undefined
  #isChanged = false
  #isSent: boolean

  /** Reads the session of a request. */
  constructor(ctx: Context, settings: SealedSettings) {
    this.#settings = settings
    this.#cookie = new SessionCookie(settings.name, ctx)
    const value = this.#cookie.read(ctx)
    this.#hasCookie = value !== null
    this.#isSent = ctx.headSent
    if (value !== null) this.#open(value)
    if (!this.#isSent) ctx.filterResponse((response, responding) => this.#send(response, responding))
  }

  get data(): SessionData<Data> {
    return this.#data.value as SessionData<Data>
  }

  update(change: SessionChanges<Data> | ((data: SessionData<Data>) => SessionChanges<Data>)): void {
    this.#requireUnsent('update')
    const data = applyChange(this.#data, change)
    if (data.json === this.#data.json && this.#createdAtMs !== undefined) return
    const { maxCookieBytes } = this.#settings
    const bytes = this.#cookie.name.length + sealedLength(Buffer.byteLength(data.json))
    if (bytes > maxCookieBytes) throw tooLarge(bytes, maxCookieBytes)
    this.#data = data
    this.#createdAtMs ??= Date.now()
    this.#isChanged = true
  }

  rotate(): void {
    this.#requireUnsent('rotate')
    this.#isChanged = true
  }

  destroy(): void {
    this.#requireUnsent('destroy')
    this.#data = NO_DATA
    this.#createdAtMs = undefined
    this.#isChanged = true
  }

  save(): Promise<void> {
    return Promise.resolve()
  }

  #open(value: string): void {
    const { sealer } = this.#settings
    const content = sealer.open(this.#cookie.name, value)
    if (content === null) return
    const { createdAtMs, usedAtMs, json } = content
    const nowMs = Date.now()
    const expiresAtMs = expiryOf(this.#settings, createdAtMs, usedAtMs)
    if (expiresAtMs <= nowMs) return
    this.#data = parseData(json)
    this.#createdAtMs = createdAtMs
    this.#isChanged = isRefreshDue(this.#settings, { createdAtMs, expiresAtMs }, nowMs)
  }

  /** Adds the cookie to the outgoing response. */
  #send(response: OutgoingResponse, ctx: Context): void {
    this.#isSent = true
    this.#cookie.write(response, ctx, this.#isChanged ? this.#cookieChange() : undefined, this.#isChanged)
  }

  #cookieChange(): CookieChange | undefined {
    const createdAtMs = this.#createdAtMs
    if (createdAtMs === undefined) return this.#hasCookie ? { value: null, maxAgeSeconds: undefined } : undefined
    const { sealer } = this.#settings
    const usedAtMs = Date.now()
    const value = sealer.seal(this.#cookie.name, { createdAtMs, usedAtMs, json: this.#data.json })
    const expiresAtMs = expiryOf(this.#settings, createdAtMs, usedAtMs)
    return { value, maxAgeSeconds: maxAgeOf(this.#settings, expiresAtMs, usedAtMs) }
  }

  #requireUnsent(api: string): void {
    if (this.#isSent) throw headSent(api)
  }
}
