/** What stands in the place of a value that is kept out of the log. */
export const REDACTED = 'REDACTED'

/**
 * Replaces the values of some query parameters; one without a value stays as it is.
 *
 * @param names In lower case; those of the query are compared after percent-decoding, without case
 */
export function redactQuery(query: string, names: ReadonlySet<string>): string {
  if (names.size === 0 || query === '') return query
  return query
    .split('&')
    .map((pair) => {
      const mark = pair.indexOf('=')
      if (mark === -1 || mark === pair.length - 1) return pair
      const name = pair.slice(0, mark)
      return names.has(decoded(name).toLowerCase()) ? `${name}=${REDACTED}` : pair
    })
    .join('&')
}

function decoded(name: string): string {
  const text = name.replaceAll('+', ' ')
  try {
    return decodeURIComponent(text)
  } catch {
    // Malformed percent-encoding means itself.
    return text
  }
}
