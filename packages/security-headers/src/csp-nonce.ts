import { randomBytes } from 'node:crypto'
import { withCode } from '@fw/options'
import type { Context, ContextKey, ResponseFilter } from '@fw/types'

/**
 * The nonce of a response, for `ctx.get()`: 16 random bytes in base64url, created on first access. In a source list in `csp()`,
 * this key represents the nonce. `null` if no policy contains it.
 */
export const CspNonce: ContextKey<string> = {
  name: 'CspNonce',
  hint: "use securityHeaders({ csp: csp({ 'script-src': [CspNonce] }) })",
}

/** A header field whose value changes when the nonce is read. */
export interface NonceField {
  readonly name: string
  readonly withoutNonce: string
  readonly withNonce: (nonce: string) => string
}

/** Keeps the response out of caches. A cached response would repeat its nonce, which an attacker could then learn. */
const keepOutOfCaches: ResponseFilter = ({ headers }) => {
  if (!/(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get('cache-control') ?? '')) {
    headers.set('cache-control', 'private, no-store')
  }
}

/**
 * Creates the nonce of a response and adds it to the policies in the response.
 *
 * @throws {Error} if the head was sent, because the browser would not receive the nonce
 */
export function createNonce(ctx: Context, fields: readonly NonceField[]): string {
  if (ctx.headSent) {
    throw withCode(
      'FW_RESPONSE_SENT',
      new Error('CspNonce: the response head has been sent. Read the nonce before the response starts.'),
    )
  }
  const nonce = randomBytes(16).toString('base64url')
  const { responseHeaders } = ctx
  for (const { name, withoutNonce, withNonce } of fields) {
    // Keep a policy that the handler has set.
    if (responseHeaders.get(name) === withoutNonce) responseHeaders.set(name, withNonce(nonce))
  }
  ctx.filterResponse(keepOutOfCaches)
  return nonce
}
