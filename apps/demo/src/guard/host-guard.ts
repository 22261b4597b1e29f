import { isIP } from 'node:net'
import { HttpError, type Middleware } from '@fw/core'

/** The hosts that requests can name. */
export interface AllowedHosts {
  /** Host names in addition to `localhost`, in lower case. */
  readonly names: readonly string[]
  /** Whether only loopback addresses are allowed, at one of `ports`. */
  readonly isLoopbackOnly: boolean
  /** Ports of the listeners, once they are known. */
  readonly ports: ReadonlySet<string>
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

/**
 * Reports whether `Host` or `:authority` names one of our listeners. With DNS rebinding, a page from another site makes
 * its own name resolve to this machine, and sends that name. IP addresses are therefore safe, and unknown names are
 * not.
 */
export function isAllowedHost(authority: string, { names, isLoopbackOnly, ports }: AllowedHosts): boolean {
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d+))?$/i.exec(authority) ?? []
  const host = (bracketed ?? plain)?.toLowerCase()
  if (host === undefined) return false
  if (names.includes(host)) return true
  if (isLoopbackOnly) return LOOPBACK.test(host) && ports.has(port)
  return host === 'localhost' || isIP(host) !== 0
}

/** Responds with 421 to requests that name another host. */
export function hostGuard(allowed: AllowedHosts): Middleware {
  return (ctx, next) => {
    if (!isAllowedHost(ctx.exchange.authority, allowed)) throw new HttpError(421, 'This is not a host of the demo')
    return next()
  }
}

/** Reports whether a request comes from a page on this server: its `Origin` names the server that receives it. */
export function isOwnOrigin(origin: string | null, scheme: string, authority: string): boolean {
  return origin !== null && origin.toLowerCase() === `${scheme}://${authority}`.toLowerCase()
}

/** Responds with 403 to requests that change something and come from another site's page. */
export const originGuard: Middleware = (ctx, next) => {
  const isSafe = ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS'
  if (!isSafe && !isOwnOrigin(ctx.headers.get('origin'), ctx.exchange.scheme, ctx.exchange.authority)) {
    throw new HttpError(403, "Send this server's Origin")
  }
  return next()
}
