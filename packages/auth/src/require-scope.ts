import { HttpError, optionError, showValue, withCode } from '@fw/options'
import type { Middleware } from '@fw/types'
import { Challenge, unauthorized } from './authenticate.ts'
import { Principal } from './principal.ts'

/** Matches a scope (RFC 6749 §3.3). */
const SCOPE = /^[!#-[\]-~]+$/

/**
 * Creates middleware that requires all of these scopes. Responds with 403 if one is missing, or with 401 without a principal.
 *
 * @throws {TypeError} if there are no scopes, or a scope is empty or contains a space, `"` or `\`
 *
 * @example
 * router.delete('/notes/:id', { use: requireScope('notes:write') }, handler)
 */
export function requireScope(...scopes: readonly string[]): Middleware {
  const wrong =
    scopes.length === 0 ? [undefined] : scopes.filter((scope) => typeof scope !== 'string' || !SCOPE.test(scope))
  if (wrong.length > 0) {
    const fix = "Pass a scope name, for example requireScope('notes:write')."
    const expected = 'a name without spaces, " and \\'
    throw optionError({ api: 'requireScope', name: 'scope', expected, got: showValue(wrong[0]), fix })
  }
  const missing = `error="insufficient_scope", scope="${scopes.join(' ')}"`
  return (ctx, next) => {
    const principal = ctx.get(Principal)
    const challenge = ctx.get(Challenge) ?? 'Bearer realm="api"'
    if (principal === null) throw unauthorized('The request has no credentials', challenge)
    if (scopes.every((scope) => principal.scopes?.includes(scope) === true)) return next()
    const message = `The client needs the scope ${scopes.join(' ')}`
    // RFC 6750 §3 defines the error only for bearer tokens.
    const fields = challenge.startsWith('Bearer ') ? { 'www-authenticate': `${challenge}, ${missing}` } : {}
    throw withCode('FW_MISSING_SCOPE', new HttpError(403, message, fields))
  }
}
