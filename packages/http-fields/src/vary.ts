import type { ResponseHeaders } from '@fw/types'

/** Adds a field name to `Vary` unless `Vary` already contains it (RFC 9110 §12.5.5). */
export function addVary(headers: ResponseHeaders, name: string): void {
  if (!headers.has('vary')) {
    headers.set('vary', name)
    return
  }
  const names = headers.getAll('vary').flatMap((line) =>
    line
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )
  if (names.some((known) => known === '*' || known.toLowerCase() === name.toLowerCase())) return
  headers.set('vary', [...names, name].join(', '))
}
