import { isIP } from 'node:net'
import { HttpError, type Middleware } from '@fw/core'

/** The hosts that requests can name. */
export interface AllowedHosts {
  /** Host names in addition to `localhost`, in lower case. */
  readonly names: readonly string[]
  /** Whether to allow only loopback addresses, with one of `ports`. */
  readonly isLoopbackOnly: boolean
  /** Listener ports, once they are known. */
  readonly ports: ReadonlySet<string>
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

/**
 * Reports whether `Host` or `:authority` names one of the demo's listeners. With DNS rebinding, another site makes its
 * own host name resolve to this machine, and its page sends that name. IP addresses are therefore safe, but unknown
 * names are not.
 */
export function isAllowedHost(authority: string, { names, isLoopbackOnly, ports }: AllowedHosts): boolean {
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d+))?$/i.exec(authority) ?? []
  const host = (bracketed ?? plain)?.toLowerCase()
  if (host === undefined) return false
  if (names.includes(host)) return true
  if (isLoopbackOnly) return LOOPBACK.test(host) && ports.has(port)
  return host === 'localhost' || isIP(host) !== 0
}

/** Answers 421 to requests that name another host. */
export function hostGuard(allowed: AllowedHosts): Middleware {
  return (ctx, next) => {
    if (!isAllowedHost(ctx.exchange.authority, allowed)) throw new HttpError(421, 'This is not a host of the demo')
    return next()
  }
}

/** Reports whether a page on this server sent a request: the `Origin` must name the server that received the request. */
export function isOwnOrigin(origin: string | null, scheme: string, authority: string): boolean {
  return origin !== null && origin.toLowerCase() === `${scheme}://${authority}`.toLowerCase()
}

/** Answers 403 to requests from other sites' pages that would change the server's state. */
export const originGuard: Middleware = (ctx, next) => {
  const isSafe = ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS'
  if (!isSafe && !isOwnOrigin(ctx.headers.get('origin'), ctx.exchange.scheme, ctx.exchange.authority)) {
    throw new HttpError(403, "Send this server's Origin")
  }
  return next()
}
