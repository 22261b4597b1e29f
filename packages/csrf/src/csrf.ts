import { checkOptions, withCode } from '@fw/options'
import type { Context, Middleware } from '@fw/types'
import { CSRF_KINDS, type CsrfOptions, type CsrfRefusal } from './options.ts'
import './route-option.ts'

/** Marks an error as a response. `@fw/core`, which this package does not import, uses the same symbol. */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/** Option names from other libraries, and their replacements. */
const MEANT: Readonly<Record<string, string>> = { origin: 'trustedOrigins', origins: 'trustedOrigins' }

/**
 * Creates middleware that refuses requests that a page from another site makes a browser send with its user's cookies
 * (cross-site request forgery). It needs no tokens.
 *
 * Requests with GET, HEAD and OPTIONS pass: handlers of these methods must not change anything. Requests without
 * `Sec-Fetch-Site` and `Origin` also pass, because no browser sent them.
 *
 * @throws {TypeError} that names the unknown or invalid option
 *
 * @example
 * router.use(csrf({ trustedOrigins: ['https://app.example.org'] }))
 */
export function csrf(options: CsrfOptions = {}): Middleware {
  checkOptions('csrf', options, CSRF_KINDS, MEANT)
  const { trustedOrigins = [], upgrades = true, onRefused } = options
  const trusted: ReadonlySet<string> = new Set(trustedOrigins)
  return (ctx, next) => {
    if (isSafe(ctx.method) && !(upgrades && ctx.exchange.upgrade !== undefined)) return next()
    const refusal = refusalOf(ctx, trusted)
    if (refusal === undefined || ctx.route?.options.csrf === false) return next()
    if (onRefused === undefined) {
      throw withCode('FW_CROSS_SITE_REQUEST', new HttpError(403, 'A page from another site sent the request'))
    }
    ctx.status = 403
    return onRefused(ctx, refusal)
  }
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Returns the reason to refuse a request; `undefined` if it passes. */
function refusalOf({ headers, exchange }: Context, trusted: ReadonlySet<string>): CsrfRefusal | undefined {
  // Check this field before `Origin`: under `Referrer-Policy: no-referrer`, a page posts to itself with `Origin: null`.
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return undefined
  const origin = headers.get('origin')
  if (origin !== null && trusted.has(origin)) return undefined
  // `same-site` is also refused: one subdomain must not act for another one's users.
  if (site !== null && site !== '') return { field: 'sec-fetch-site', value: site }
  if (origin === null || origin === '') return undefined
  return isOfHost(origin, exchange.authority) ? undefined : { field: 'origin', value: origin }
}

/**
 * Compares the host and port of an origin with the request's. The scheme is unknown behind a proxy. HSTS stops an
 * attacker who can answer for `http:` on the same host.
 */
function isOfHost(origin: string, authority: string): boolean {
  const at = origin.indexOf('://')
  return at !== -1 && authority !== '' && origin.slice(at + 3) === authority
}

/** The error for a refused request. It has the mark and the properties of the `HttpError` class in `@fw/core`. */
class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number

  static {
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /** @param message Text that the client receives */
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
