import { createHmac, timingSafeEqual } from 'node:crypto'
import { isDate } from 'node:util/types'
import { parseCookie, stringifySetCookie, type Cookies as ParsedCookies } from 'cookie'
import type { CookieOptions, Cookies, CookieSecrets, RequestHeaders, ResponseHeaders } from '@fw/types'
import {
  checkOptions,
  flag,
  oneOf,
  type OptionKind,
  type OptionKinds,
  optionError,
  showType,
  showValue,
  text,
  withCode,
} from '@fw/options'

const SECRETS: OptionKind = {
  expected: 'a list of one or more non-empty strings',
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((secret) => typeof secret === 'string' && secret !== ''),
  isSecret: true,
}

const COOKIE_KINDS: OptionKinds<CookieOptions & Partial<CookieSecrets>> = {
  maxAgeSeconds: {
    expected: 'an integer',
    accepts: Number.isSafeInteger,
    isRightType: (value) => typeof value === 'number',
  },
  expires: { expected: 'a valid Date', accepts: (value) => isDate(value) && !Number.isNaN(value.getTime()) },
  domain: text,
  path: text,
  httpOnly: flag,
  secure: flag,
  sameSite: oneOf('strict', 'lax', 'none'),
  partitioned: flag,
  priority: oneOf('low', 'medium', 'high'),
  secrets: SECRETS,
}
const NO_OPTIONS = {}
/** Option names from other libraries, and the names to use instead. */
const MEANT: Readonly<Record<string, string>> = { maxAge: 'maxAgeSeconds' }

/** Members of a context that its cookies use. */
export interface CookieSource {
  readonly headers: RequestHeaders
  readonly responseHeaders: ResponseHeaders
  /** The scheme that the client used. Cookies over `https` are `Secure` by default. */
  readonly scheme: 'http' | 'https'
}

/** Reads the cookies of a request and sets those of its response. */
export class ContextCookies implements Cookies {
  readonly #source: CookieSource
  #parsed: ParsedCookies | undefined = undefined

  constructor(source: CookieSource) {
    this.#source = source
  }

  get(name: string, signed?: CookieSecrets): string | null {
    const cookies = this.#all
    const value = Object.hasOwn(cookies, name) ? cookies[name] : undefined
    if (value === undefined) return null
    return signed === undefined ? value : verified(name, value, checkSecrets('ctx.cookies.get', signed.secrets))
  }

  names(): readonly string[] {
    return Object.keys(this.#all)
  }

  set(name: string, value: string, options: CookieOptions & Partial<CookieSecrets> = NO_OPTIONS): void {
    if (options !== NO_OPTIONS) checkOptions('ctx.cookies.set', options, COOKIE_KINDS, MEANT)
    const { secrets, ...attributes } = options
    if (typeof value !== 'string') {
      throw withCode(
        'FW_INVALID_ARGUMENT',
        new TypeError(
          `ctx.cookies.set: value of ${showValue(name)} must be a string, got ${showType(value)}. Convert it with String().`,
        ),
      )
    }
    this.#send(name, secrets === undefined ? value : sign(name, value, secrets[0] ?? ''), attributes)
  }

  delete(name: string, options: Pick<CookieOptions, 'path' | 'domain' | 'secure' | 'partitioned'> = NO_OPTIONS): void {
    // Accepts the same options as `set`, so that callers can reuse them.
    if (options !== NO_OPTIONS) checkOptions('ctx.cookies.delete', options, COOKIE_KINDS, MEANT)
    this.#send(name, '', { ...options, maxAgeSeconds: 0, expires: new Date(0) })
  }

  #send(name: string, value: string, given: CookieOptions): void {
    // An attribute that is `undefined` must not replace a default that protects the cookie.
    const attributes: Record<string, unknown> = {}
    for (const [attribute, setting] of Object.entries(given)) {
      if (setting !== undefined) attributes[attribute === 'maxAgeSeconds' ? 'maxAge' : attribute] = setting
    }
    const field = stringifySetCookie({
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.#source.scheme === 'https',
      ...attributes,
      name,
      value,
    })
    const headers = this.#source.responseHeaders
    // RFC 6265 §4.1.1: do not send two fields for the same cookie.
    const others = headers.getAll('set-cookie').filter((other) => !other.startsWith(`${name}=`))
    headers.delete('set-cookie')
    for (const other of others) headers.append('set-cookie', other)
    headers.append('set-cookie', field)
  }

  get #all(): ParsedCookies {
    return (this.#parsed ??= parseCookie(this.#source.headers.get('cookie') ?? ''))
  }
}

/** Signs the name and the value, so that a client cannot move a signed value to another cookie. */
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

function checkSecrets(api: string, secrets: readonly string[]): readonly string[] {
  if (SECRETS.accepts(secrets)) return secrets
  const fix = 'Read them from the environment or a file.'
  throw optionError({ api, name: 'secrets', expected: SECRETS.expected, got: showType(secrets), fix })
}
