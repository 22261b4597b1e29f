import type { PatternSegment } from './route-pattern.ts'

/**
 * Cuts a path at its slashes and decodes each segment once.
 *
 * @returns `undefined` if a percent-encoding is malformed or encodes no UTF-8
 */
export function pathSegments(path: string): readonly string[] | undefined {
  const segments = path.slice(1).split('/')
  if (!path.includes('%')) return segments
  try {
    return segments.map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment))
  } catch {
    // The URIError says no more than `undefined` does.
    return undefined
  }
}

/** Whether every percent-encoding of a path is well-formed and encodes UTF-8. */
export function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    // The URIError says no more than `false` does.
    return false
  }
}

/** Whether a path lies under a prefix: `/api` covers `/api` and `/api/users`, not `/apis`. */
export function coversPath(prefix: readonly PatternSegment[], path: readonly string[]): boolean {
  if (path.length < prefix.length) return false
  return prefix.every((segment, index) => {
    const text = path[index]
    return segment.kind === 'literal' ? segment.text === text : text !== ''
  })
}
