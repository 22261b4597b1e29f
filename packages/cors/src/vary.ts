import type { ResponseHeaders } from '@fw/types'

/**
 * Adds field names to `Vary`. Names that it contains are not repeated, and `*` covers all of them (RFC 9110 §12.5.5).
 *
 * @param names In lower case
 */
export function addVary(headers: ResponseHeaders, names: readonly string[]): void {
  const before = headers.get('vary')
  if (before === null || before === '') {
    headers.set('vary', names.join(', '))
    return
  }
  const known = new Set(before.split(',').map((name) => name.trim().toLowerCase()))
  if (known.has('*')) return
  const missing = names.filter((name) => !known.has(name))
  if (missing.length > 0) headers.set('vary', `${before}, ${missing.join(', ')}`)
}
