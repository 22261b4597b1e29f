import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie, type Cookies as ParsedCookies } from 'cookie'
import type { CookieOptions, Cookies, CookieSecrets, RequestHeaders, ResponseHeaders } from '@fw/types'
import { checkOptions } from '../options/check-options.ts'

/** A misspelt `httpOnly: false` does no harm, a misspelt `secure: true` would. Those of `set` may be given to `delete` as they are. */
const COOKIE_OPTIONS: readonly string[] = [
  'maxAge',
  'expires',
  'domain',
  'path',
  'httpOnly',
  'secure',
  'sameSite',
  'partitioned',
  'priority',
  'secrets',
]

/** The cookies of one exchange. */
export class ContextCookies implements Cookies {
  readonly #received: RequestHeaders
  readonly #prepared: () => ResponseHeaders
  readonly #isSecure: boolean
  #parsed: ParsedCookies | undefined = undefined

  /** @param isSecure Whether the request came over TLS */
  constructor(received: RequestHeaders, prepared: () => ResponseHeaders, isSecure: boolean) {
    this.#received = received
    this.#prepared = prepared
    this.#isSecure = isSecure
  }

  get(name: string, signed?: CookieSecrets): string | null {
    const cookies = this.#all
    const value = Object.hasOwn(cookies, name) ? cookies[name] : undefined
    if (value === undefined) return null
    return signed === undefined ? value : verified(name, value, checkSecrets(signed.secrets))
  }

  names(): readonly string[] {
    return Object.keys(this.#all)
  }

  set(name: string, value: string, options: CookieOptions & Partial<CookieSecrets> = {}): void {
    checkOptions(`cookie ${name}`, options, COOKIE_OPTIONS)
    const { secrets, ...attributes } = options
    if (typeof value !== 'string')
      throw new TypeError(`Cannot set cookie ${name}: the value is of type ${typeof value}`)
    this.#send(name, secrets === undefined ? value : sign(name, value, checkSecrets(secrets)[0] ?? ''), attributes)
  }

  delete(name: string, options: Pick<CookieOptions, 'path' | 'domain' | 'secure' | 'partitioned'> = {}): void {
    checkOptions(`cookie ${name}`, options, COOKIE_OPTIONS)
    this.#send(name, '', { ...options, maxAge: 0, expires: new Date(0) })
  }

  #send(name: string, value: string, given: CookieOptions): void {
    // One that is `undefined`, as of a setting that is not there, must not take a protection away.
    const attributes = Object.fromEntries(Object.entries(given).filter(([, attribute]) => attribute !== undefined))
    const field = stringifySetCookie({
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.#isSecure,
      ...attributes,
      name,
      value,
    })
    const headers = this.#prepared()
    // RFC 6265 §4.1.1: no two fields for the same cookie.
    const others = headers.getAll('set-cookie').filter((other) => !other.startsWith(`${name}=`))
    headers.delete('set-cookie')
    for (const other of others) headers.append('set-cookie', other)
    headers.append('set-cookie', field)
  }

  get #all(): ParsedCookies {
    return (this.#parsed ??= parseCookie(this.#received.get('cookie') ?? ''))
  }
}

/** The name is signed too: a value that was signed for one cookie is nothing worth in another. */
function sign(name: string, value: string, secret: string): string {
  return `${value}.${createHmac('sha256', secret).update(`${name}=${value}`).digest('base64url')}`
}

function verified(name: string, signedValue: string, secrets: readonly string[]): string | null {
  const dot = signedValue.lastIndexOf('.')
  if (dot === -1) return null
  const value = signedValue.slice(0, dot)
  const given = Buffer.from(signedValue)
  for (const secret of secrets) {
    const right = Buffer.from(sign(name, value, secret))
    if (given.length === right.length && timingSafeEqual(given, right)) return value
  }
  return null
}

function checkSecrets(secrets: readonly string[]): readonly string[] {
  if (
    !Array.isArray(secrets) ||
    secrets.length === 0 ||
    secrets.some((secret) => typeof secret !== 'string' || secret === '')
  ) {
    throw new TypeError('Cannot sign cookies: secrets is a list of one or more strings that are not empty')
  }
  return secrets
}
