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
  // Most responses have no `Vary` yet, or a list that needs no parsing.
  const known = before === null || before === '' ? '' : TIDY.test(before) ? before : tidy(before)
  const lowerCase = `, ${known.toLowerCase()},`
  if (lowerCase.includes(', *,')) return
  let vary = known
  for (const name of names) {
    if (lowerCase.includes(`, ${name.toLowerCase()},`)) continue
    vary = vary === '' ? name : `${vary}, ${name}`
  }
  if (vary !== (before ?? '')) headers.set('vary', vary)
}

/** A list whose elements are separated by a comma and a space, without empty elements. */
const TIDY = /^[^\s,]+(?:, [^\s,]+)*$/

function tidy(list: string): string {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .join(', ')
}
