import { HttpError, optionError, showValue, withCode } from '@fw/options'
import type { Middleware } from '@fw/types'
import { unauthorized } from './authenticate.ts'
import { Principal } from './principal.ts'

/** RFC 6749 §3.3. */
const SCOPE = /^[!#-[\]-~]+$/

/**
 * Creates middleware that refuses clients without all of these scopes: 403, or 401 without a principal.
 *
 * @throws {TypeError} if there is no scope, or one is not a non-empty string without spaces, `"` and `\`
 *
 * @example
 * router.delete('/notes/:id', { use: requireScope('notes:write') }, handler)
 */
export function requireScope(...scopes: readonly string[]): Middleware {
  const wrong =
    scopes.length === 0 ? [undefined] : scopes.filter((scope) => typeof scope !== 'string' || !SCOPE.test(scope))
  if (wrong.length > 0) {
    const fix = "Write for example requireScope('notes:write')."
    const expected = 'a name without spaces, " and \\'
    throw optionError({ api: 'requireScope', name: 'scope', expected, got: showValue(wrong[0]), fix })
  }
  const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
  return (ctx, next) => {
    const principal = ctx.get(Principal)
    if (principal === null) throw unauthorized('The request has no credentials', 'Bearer')
    if (scopes.every((scope) => principal.scopes?.includes(scope) === true)) return next()
    const message = `The client needs the scope ${scopes.join(' ')}`
    throw withCode('FW_MISSING_SCOPE', new HttpError(403, message, { 'www-authenticate': challenge }))
  }
}
