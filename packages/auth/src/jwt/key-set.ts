import { HttpError, withCode } from '@fw/options'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'

/** Age in milliseconds at which the keys are fetched again. The old keys remain in use in the meantime. */
const MAX_AGE_MS = 600_000
/** Minimum milliseconds between two requests for unknown keys, so that forged tokens cannot cause many requests. */
const UNKNOWN_KEY_MS = 30_000
/** Minimum milliseconds between two requests while the issuer is not responding. */
const RETRY_MS = 1000

/** Returns a function that finds the key for a token in the issuer's key set. */
export function keysFrom(url: URL, timeoutMs: number): JWTVerifyGetKey {
  const set = new IssuerKeys(url, timeoutMs)
  return (header, token) => set.find(header, token)
}

/** The keys of an issuer. They are fetched for the first token, and again when they are old or a key is missing. */
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
    // The issuer can fail or need seconds to respond. Requests do not wait for it if keys are available.
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

  /**
   * Fetches the keys, unless the last attempt was less than `intervalMs` ago. Never rejects: after a failure, the old keys
   * remain in use.
   */
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
      // A redirect could lead to a server that the application does not trust.
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
