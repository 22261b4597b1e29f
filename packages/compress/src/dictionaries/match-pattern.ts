import type { OptionKind } from '@fw/options'

/** Any origin: patterns name only paths and queries. */
const BASE = 'https://match.invalid'

/** Accepts URL patterns that a `Use-As-Dictionary` field can carry. */
export const matchPattern: OptionKind = {
  expected: 'a URL pattern that begins with "/" and has no regular expression',
  accepts: (value) => typeof value === 'string' && parsePattern(value) !== undefined,
  fix: 'Write a path in ASCII in which * stands for any characters, for example "/app/*.js".',
}

/**
 * Parses a pattern.
 *
 * @returns `undefined` if the pattern is invalid, has a regular expression, names an origin, or cannot be sent in a
 *   structured string
 * @see RFC 9842 §2.1.1
 */
export function parsePattern(pattern: string): URLPattern | undefined {
  // `//host` would be a path on another origin. The field carries ASCII alone (RFC 9651 §3.3.3).
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(pattern)) return undefined
  try {
    const parsed = new URLPattern(pattern, BASE)
    return parsed.hasRegExpGroups ? undefined : parsed
  } catch {
    // The constructor throws for a malformed pattern.
    return undefined
  }
}
