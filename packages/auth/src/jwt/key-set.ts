import { HttpError, withCode } from '@fw/options'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'

/** Age after which the keys are fetched again, while the old ones stay in use. */
const MAX_AGE_MS = 600_000
/** Minimum time between two requests because of unknown keys, so that forged tokens cannot cause many. */
const UNKNOWN_KEY_MS = 30_000
/** Minimum time between two requests while the issuer does not respond. */
const RETRY_MS = 1000

/** Returns a function that finds the key of a token in the key set of its issuer. */
export function keysFrom(url: URL, timeoutMs: number): JWTVerifyGetKey {
  const set = new IssuerKeys(url, timeoutMs)
  return (header, token) => set.find(header, token)
}

/** The keys of an issuer. They are fetched with the first token, and again when they are old or lack a key. */
class IssuerKeys {
  readonly #url: URL
  readonly #timeoutMs: number
  #find: JWTVerifyGetKey | undefined = undefined
  #fetchedMs = -Infinity
  #triedMs = -Infinity
  #running: Promise<void> | undefined = undefined
  #failure: unknown = undefined

  constructor(url: URL, timeoutMs: number) {
    this.#url = url
    this.#timeoutMs = timeoutMs
  }

  async find(...[header, token]: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    if (this.#find === undefined) await this.#refresh(RETRY_MS)
    // The issuer can take seconds to respond, or fail. Requests do not wait for it while there are keys.
    else if (Date.now() - this.#fetchedMs > MAX_AGE_MS) void this.#refresh(RETRY_MS)
    try {
      return await this.#keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await this.#refresh(UNKNOWN_KEY_MS)
      return await this.#keys(header, token)
    }
  }

  /** @throws {HttpError} 503 if the keys have not been fetched yet */
  get #keys(): JWTVerifyGetKey {
    if (this.#find !== undefined) return this.#find
    const message = 'The keys of the issuer cannot be fetched'
    const unavailable = withCode('FW_KEYS_UNAVAILABLE', new HttpError(503, message, { 'retry-after': '5' }))
    throw Object.assign(unavailable, { cause: this.#failure })
  }

  /** Fetches the keys, unless that was tried less than `intervalMs` ago. Never rejects: the old keys stay after a failure. */
  async #refresh(intervalMs: number): Promise<void> {
    if (this.#running === undefined) {
      if (Date.now() - this.#triedMs < intervalMs) return
      this.#triedMs = Date.now()
      this.#running = this.#fetch().finally(() => (this.#running = undefined))
    }
    await this.#running
  }

  async #fetch(): Promise<void> {
    try {
      const headers = { accept: 'application/jwk-set+json, application/json' }
      // A redirect could lead to a server that the program does not trust.
      const response = await fetch(this.#url, {
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(this.#timeoutMs),
      })
      const body: unknown = await response.json()
      if (response.ok) {
        this.#find = createLocalJWKSet(body as Parameters<typeof createLocalJWKSet>[0])
        this.#fetchedMs = Date.now()
      } else this.#failure = `${this.#url.href} responded with ${response.status}`
    } catch (error) {
      this.#failure = error
    }
  }
}
