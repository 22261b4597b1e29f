import { textOf } from './octets.ts'

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
      return names.has(meaning(name).toLowerCase()) ? `${name}=${REDACTED}` : pair
    })
    .join('&')
}

/** As `URLSearchParams` reads a name: malformed percent-encoding means itself. */
function meaning(name: string): string {
  const octets = name.replaceAll('+', ' ').replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => octet(digits))
  return textOf(octets) ?? octets
}

function octet(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}
