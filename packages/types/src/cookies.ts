/** Attributes of a cookie (RFC 6265bis §5.6). */
export interface CookieOptions {
  /** Seconds until the browser deletes the cookie. Without it and `expires`, the browser deletes it when it closes. */
  readonly maxAgeSeconds?: number
  readonly expires?: Date
  readonly domain?: string
  /** `/` unless given. */
  readonly path?: string
  /** `true` unless given: scripts do not see the cookie. */
  readonly httpOnly?: boolean
  /** Unless given, `true` for a request over TLS: behind a proxy that speaks TLS, say so. */
  readonly secure?: boolean
  /** `'lax'` unless given. */
  readonly sameSite?: 'strict' | 'lax' | 'none'
  readonly partitioned?: boolean
  readonly priority?: 'low' | 'medium' | 'high'
}

/** Signs cookies: with the first secret; any of them is believed, so that secrets can be replaced. */
export interface CookieSecrets {
  readonly secrets: readonly string[]
}

/** Cookies of the request and of the response being prepared. */
export interface Cookies {
  /** Value of a cookie of the request, decoded; `null` without one, or if secrets are given and none has signed it. */
  get(name: string, signed?: CookieSecrets): string | null
  /** Names of the cookies of the request. */
  names(): readonly string[]
  /**
   * Sets a cookie, in place of one of that name set before.
   *
   * @throws {TypeError} if name, value or an attribute cannot be sent
   */
  set(name: string, value: string, options?: CookieOptions & Partial<CookieSecrets>): void
  /** Makes the browser forget a cookie; `path` and `domain` have to be those it was set with. */
  delete(name: string, options?: Pick<CookieOptions, 'path' | 'domain' | 'secure' | 'partitioned'>): void
}
