import type { OptionKind } from './kinds.ts'

/** Matches an origin with a scheme that `URL` does not support, such as `capacitor://localhost`. */
const OTHER_SCHEME = /^[a-z][a-z\d+.-]*:\/\/[a-z\d.-]+(?::\d{1,5})?$/

/**
 * Accepts origins exactly as browsers send them in `Origin`: scheme, host and port, in lower case, without a default port
 * or a trailing slash. Refuses `null`, which pages on any site can send, and patterns.
 */
export const origin: OptionKind = {
  expected: 'an origin',
  accepts: (value) => typeof value === 'string' && serialized(value) === value,
  fix: (value) => {
    if (typeof value === 'string' && value.includes('*')) return 'List each origin.'
    const meant = typeof value === 'string' ? serialized(value) : undefined
    return `Write "${meant ?? 'https://app.example.org'}".`
  },
}

/** Returns the origin of a URL as a browser sends it (RFC 6454 §6.2), or `undefined` if it has none. */
function serialized(text: string): string | undefined {
  if (text.includes('*') || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.origin !== 'null') return url.origin
  const other = `${url.protocol}//${url.host}`
  return OTHER_SCHEME.test(other) ? other : undefined
}
