/**
 * Matches characters that could end a line, control a terminal or be invisible in text. These are C0 and C1 controls, DEL, line
 * and paragraph separators, bidirectional controls, zero-width characters and unpaired surrogates. The joiner in emoji
 * sequences (U+200D) is escaped too, because it could also hide in a name.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\p{Surrogate}]/gu

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Matches every code unit with which `UNSAFE` can match, and also well-formed pairs and U+00A0 to U+00AC. Without the flag `u`,
 * the search is much faster. A single range up to U+00AD keeps the search in ASCII text fast; two ranges make it 50% slower.
 */
const SUSPECT =
  /[\u0000-\u001f\u007f-\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ud800-\udfff]/

/** The last text that needed no escapes. */
let safeText = ''

/** Reports whether a string is known not to need escaping. A false result does not mean that it needs escaping. */
export function isSafe(text: string): boolean {
  return !SUSPECT.test(text)
}

/** Stores a string that consists of safe parts, so that `escapeLine` does not search it again. */
export function noteSafe(text: string): void {
  safeText = text
}

/**
 * Makes text safe for one line of a terminal or a file. Writes `\n`, `\r` and `\t` by name, other characters up to
 * U+009F as `\xhh`, and the rest as `\uhhhh`. Backslashes are not escaped, so that paths and patterns remain readable.
 */
export function escapeLine(text: string): string {
  return text === safeText || isSafe(text) ? text : escapeUnsafe(text, escapeCharacter)
}

/** The beginning of each continuation line of a message. No record begins like this. */
const CONTINUATION = '\n  | '

/**
 * Makes text safe for a terminal and keeps its line breaks. Every line after the first begins with a mark, so that no
 * text can be mistaken for a record.
 */
export function escapeLines(text: string): string {
  return text.includes('\n') ? text.split('\n').map(escapeLine).join(CONTINUATION) : escapeLine(text)
}

/** Like `escapeLine`, but for JSON text: writes JSON escapes. `JSON.stringify` has already escaped line breaks. */
export function escapeJson(json: string): string {
  return isSafe(json) ? json : escapeUnsafe(json, (character) => `\\u${hex(character, 4)}`)
}

/** The number of characters to search per call. V8 ends the process if it must replace about 10 ** 8 in one call. */
const PART = 1_000_000

function escapeUnsafe(text: string, escape: (character: string) => string): string {
  if (text.length <= PART) return text.replace(UNSAFE, escape)
  let escaped = ''
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + PART, text.length)
    // Do not split a surrogate pair.
    if ((text.codePointAt(to - 1) ?? 0) > 0xffff) to++
    escaped += text.slice(from, to).replace(UNSAFE, escape)
  }
  return escaped
}

function escapeCharacter(character: string): string {
  const named = NAMED[character]
  if (named !== undefined) return named
  return character < '\u00a0' ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0')
}
