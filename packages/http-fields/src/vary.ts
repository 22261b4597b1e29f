import type { ResponseHeaders } from '@fw/types'

/**
 * Adds field names to `Vary`. Does not repeat names that `Vary` already contains; `*` covers all names (RFC 9110
 * §12.5.5).
 *
 * @example
 * addVary(ctx.responseHeaders, 'accept-encoding')
 */
export function addVary(headers: ResponseHeaders, ...names: readonly string[]): void {
  const before = headers.get('vary')
  if (before === null) {
    // Most responses take this path.
    if (names.length > 0) headers.set('vary', names.length === 1 ? (names[0] ?? '') : names.join(', '))
    return
  }
  const known = before
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const lowerCase = new Set(known.map((name) => name.toLowerCase()))
  if (lowerCase.has('*')) return
  const missing = names.filter((name) => !lowerCase.has(name.toLowerCase()))
  if (missing.length > 0) headers.set('vary', [...known, ...missing].join(', '))
}
