import { checkOptions, HttpError, withCode } from '@fw/options'
import type { Context, Middleware } from '@fw/types'
import { CSRF_KINDS, type CsrfOptions, type CsrfRefusal } from './options.ts'
import './route-option.ts'

/** Option names from other libraries, and their replacements. */
const MEANT: Readonly<Record<string, string>> = { origin: 'trustedOrigins', origins: 'trustedOrigins' }

/**
 * Creates middleware that prevents cross-site request forgery. It refuses requests that a page on another site makes a browser
 * send with the user's cookies. It does not need tokens.
 *
 * Requests with GET, HEAD and OPTIONS pass, so their handlers must not change any state. Requests without `Sec-Fetch-Site` and
 * `Origin` also pass, because no browser sent them.
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
    if (isHandshake(ctx) ? !upgrades : isSafe(ctx.method)) return next()
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

/** Reports whether a request opens a WebSocket: a GET with `Upgrade`, or an extended CONNECT on HTTP/2 and HTTP/3. */
function isHandshake({ method, exchange }: Context): boolean {
  if (method === 'CONNECT') return exchange.upgradeProtocol !== undefined
  return isSafe(method) && exchange.upgrade !== undefined
}

/** Returns the reason to refuse a request; `undefined` if it passes. */
function refusalOf(ctx: Context, trusted: ReadonlySet<string>): CsrfRefusal | undefined {
  const { headers } = ctx
  // Check this field before `Origin`: under `Referrer-Policy: no-referrer`, a page posts to itself with `Origin: null`.
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return undefined
  const origin = headers.get('origin')
  if (origin !== null && trusted.has(origin)) return undefined
  // `same-site` is also refused: one subdomain must not act on behalf of another's users.
  if (site !== null && site !== '') return { field: 'sec-fetch-site', value: site }
  if (origin === null || origin === '') return undefined
  return isOfHost(origin, ctx) ? undefined : { field: 'origin', value: origin }
}

/**
 * Compares the host and port of an origin with those of the request. Ignores the scheme, which can be unknown behind a proxy.
 * HSTS stops attackers who can answer `http:` requests for the same host.
 */
function isOfHost(origin: string, ctx: Context): boolean {
  const host = hostOf(origin)
  return host !== undefined && host === hostOf(ctx.origin)
}

/** Returns the host and port of an origin; `undefined` if it has none. */
function hostOf(origin: string): string | undefined {
  const at = origin.indexOf('://')
  return at === -1 || at + 3 === origin.length ? undefined : origin.slice(at + 3)
}
