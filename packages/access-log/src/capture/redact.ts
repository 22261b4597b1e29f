import { textOf } from '../entry/utf8-text.ts'

/** Text that replaces a value that must not be logged. */
export const REDACTED = 'REDACTED'

/**
 * Replaces the values of some query parameters. A parameter without a value remains unchanged.
 *
 * Some applications also separate parameters with `;`. Names after `;` are therefore compared too, but a value ends only at
 * `&`.
 *
 * @param names Names in lower case. Query names are percent-decoded and compared case-insensitively
 */
export function redactQuery(query: string, names: ReadonlySet<string>): string {
  if (names.size === 0 || query === '') return query
  return query
    .split('&')
    .map((pair) => redactPair(pair, names))
    .join('&')
}

function redactPair(pair: string, names: ReadonlySet<string>): string {
  let start = 0
  for (const part of pair.split(';')) {
    const mark = part.indexOf('=')
    const valueStart = start + mark + 1
    if (mark !== -1 && valueStart < pair.length && names.has(meaning(part.slice(0, mark)).toLowerCase())) {
      return pair.slice(0, valueStart) + REDACTED
    }
    start += part.length + 1
  }
  return pair
}

/** Decodes a name like `URLSearchParams`, which keeps malformed percent-encoding and skips a `?` at the start. */
function meaning(name: string): string {
  const bytes = name
    .replace(/^\?/, '')
    .replaceAll('+', ' ')
    .replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => byte(digits))
  return textOf(bytes) ?? bytes
}

function byte(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}
