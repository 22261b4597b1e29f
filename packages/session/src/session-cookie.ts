import { addVary } from '@fw/http-fields'
import type { Context, OutgoingResponse } from '@fw/types'

/** Browsers accept a cookie with this prefix only over TLS, from the host itself and for all paths. */
export const HOST_PREFIX = '__Host-'

const LOCALHOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d+)?$/i

/** Fields that proxies add. A proxy can terminate TLS, and can send its own name for the server in `Host`. */
const PROXY_FIELDS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-ssl',
  'x-real-ip',
  'cf-connecting-ip',
]

/** Responses in which this module set `private`. Another session of the same response can still set `no-store`. */
const marked = new WeakSet<OutgoingResponse>()

/** A change to the cookie: the value to send, or `null` to delete the cookie. */
export interface CookieChange {
  readonly value: string | null
  /** The remaining lifetime in seconds; `undefined` for a cookie that the browser deletes on exit. */
  readonly maxAgeSeconds: number | undefined
}

/** The cookie of a session, with the name that is valid for the request. */
export class SessionCookie {
  readonly name: string
  readonly #isSecure: boolean

  /** @param name The name with its prefix */
  constructor(name: string, ctx: Context) {
    this.#isSecure = !isCleartextLocalhost(ctx)
    // The prefix requires `Secure`, which Safari rejects without TLS, even on localhost.
    this.name = this.#isSecure ? name : name.slice(HOST_PREFIX.length)
  }

  /** Returns the received value; `null` if there is none. */
  read(ctx: Context): string | null {
    return ctx.cookies.get(this.name)
  }

  /**
   * Adds the fields to a response: those for shared caches, and the cookie if it changes. A shared cache would send a stored
   * cookie to other users, so `no-store` replaces a handler's `Cache-Control` field that permits storing.
   *
   * @param isWritten Whether the handler changed the session
   */
  write(response: OutgoingResponse, ctx: Context, change: CookieChange | undefined, isWritten: boolean): void {
    const { headers } = response
    addVary(headers, 'cookie')
    if (change !== undefined) this.#set(ctx, change)
    const control = marked.has(response) ? null : headers.get('cache-control')
    if (control === null) {
      if (isWritten || change !== undefined) headers.set('cache-control', 'no-store')
      else if (!headers.has('cache-control')) {
        headers.set('cache-control', 'private')
        marked.add(response)
      }
    } else if (change !== undefined && allowsSharedCaches(control)) headers.set('cache-control', 'no-store')
  }

  #set(ctx: Context, { value, maxAgeSeconds }: CookieChange): void {
    const secure = this.#isSecure
    if (value === null) ctx.cookies.delete(this.name, { secure, path: '/' })
    else {
      const lifetime = maxAgeSeconds === undefined ? {} : { maxAgeSeconds }
      ctx.cookies.set(this.name, value, { secure, path: '/', httpOnly: true, sameSite: 'lax', ...lifetime })
    }
  }
}

/** Reports whether `Cache-Control` explicitly allows shared caches to store a response (RFC 9111 §3). */
function allowsSharedCaches(control: string): boolean {
  const directives = new Map(
    // Remove quoted strings, which can contain directive names.
    control
      .replaceAll(/"[^"]*"/g, '""')
      .split(',')
      .map((directive) => {
        const [name = '', value] = directive.split('=')
        return [name.trim().toLowerCase(), value]
      }),
  )
  if (directives.has('no-store')) return false
  if (directives.has('public') || directives.has('s-maxage')) return true
  // RFC 9111 §5.2.2.7: `private="set-cookie"` prohibits storing only this field. Many caches ignore the list.
  const isPrivate = directives.has('private') && directives.get('private') === undefined
  return directives.has('max-age') && !isPrivate
}

function isCleartextLocalhost(ctx: Context): boolean {
  const { scheme, authority } = ctx.exchange
  if (scheme !== 'http' || ctx.trustsProxy === true || !LOCALHOST.test(authority)) return false
  return !PROXY_FIELDS.some((name) => ctx.headers.has(name))
}
