/** Attributes of a cookie (RFC 6265bis §5.6). */
export interface CookieOptions {
  /**
   * Seconds until the browser deletes the cookie. Without this option and `expires`, the browser deletes the cookie when it
   * closes.
   */
  readonly maxAgeSeconds?: number
  /** The time at which the browser deletes the cookie. */
  readonly expires?: Date
  /** The domain whose hosts receive the cookie. Default: only this host. */
  readonly domain?: string
  /** The path prefix of requests that carry the cookie. Default `/`. */
  readonly path?: string
  /** Hides the cookie from scripts. Default true. */
  readonly httpOnly?: boolean
  /** Restricts the cookie to TLS. Default: true for a request over TLS. Set it behind a proxy that terminates TLS. */
  readonly secure?: boolean
  /** Restricts which requests from other sites carry the cookie. Default `'lax'`. */
  readonly sameSite?: 'strict' | 'lax' | 'none'
  /** Stores the cookie separately for each top-level site (CHIPS). Default false. */
  readonly partitioned?: boolean
  /** Sets the order in which some browsers delete cookies: low-priority cookies first. */
  readonly priority?: 'low' | 'medium' | 'high'
}

/** Secrets that sign cookies. */
export interface CookieSecrets {
  /** The first secret signs cookies. All secrets verify them, so that you can replace a secret. */
  readonly secrets: readonly string[]
}

/** The cookies of the request and of the prepared response. */
export interface Cookies {
  /** Returns the decoded value of a request cookie; `null` if there is none, or if no secret verifies its signature. */
  get(name: string, signed?: CookieSecrets): string | null
  /** Returns the names of the request cookies. */
  names(): readonly string[]
  /**
   * Sets a cookie. Replaces an earlier cookie with the same name.
   *
   * @throws {TypeError} if the name, the value or an attribute contains characters that a cookie cannot contain
   */
  set(name: string, value: string, options?: CookieOptions & Partial<CookieSecrets>): void
  /** Makes the browser delete a cookie. `path` and `domain` must match those of the cookie. */
  delete(name: string, options?: Pick<CookieOptions, 'path' | 'domain' | 'secure' | 'partitioned'>): void
}
