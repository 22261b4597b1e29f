import type { Context } from '@fw/types'

/** Matches the hosts that browsers treat as secure without TLS (Secure Contexts §3.1). */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?$/i

/**
 * Reports whether a client can use dictionaries: over TLS, or on its own machine. Intermediaries that inspect cleartext could
 * mishandle the codings (RFC 9842 §8).
 */
export function isSecureContext(ctx: Pick<Context, 'scheme' | 'exchange'>): boolean {
  return ctx.scheme === 'https' || LOOPBACK.test(ctx.exchange.authority)
}
