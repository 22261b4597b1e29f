import { textOf } from '../entry/utf8-text.ts'

/** Characters that reorder, break or hide text: bidirectional controls, separators, characters of zero width. */
const DECEPTIVE =
  '\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\p{Surrogate}'

/** What a value must not contain where it stands. */
interface Place {
  /** Matches values, nearly all of them, that stay as they are. */
  readonly plain: RegExp
  /** Matches what is escaped in text. */
  readonly inText: RegExp
  /** Matches what is escaped in bytes that are no UTF-8. */
  readonly inBytes: RegExp
}

function place(alsoEscaped: string): Place {
  const ascii = `\\x00-\\x1f"\\\\${alsoEscaped}`
  return {
    plain: new RegExp(`^[^${ascii}\\x7f-\\uffff]*$`),
    inText: new RegExp(`[${ascii}\\x7f-\\x9f${DECEPTIVE}]`, 'gu'),
    inBytes: new RegExp(`[${ascii}\\x7f-\\xff]`, 'g'),
  }
}

const WORD = place(' ')
const IN_BRACKETS = place('[\\]')
const WORD_IN_BRACKETS = place(' [\\]')

/**
 * Escapes a method, path or query for an entry: no space, quote, control character or line break is left.
 *
 * @param bytes As received, one character for each byte
 */
export function escapeWord(bytes: string): string {
  return isShortWord(bytes) ? bytes : escape(bytes, WORD)
}

/** Escapes the value of a header for `[name: value]`: it cannot close the bracket, but may contain spaces. */
export function escapeInBrackets(bytes: string): string {
  return escape(bytes, IN_BRACKETS)
}

/** Escapes a method or path for a prefix in brackets. */
export function escapeWordInBrackets(bytes: string): string {
  return escape(bytes, WORD_IN_BRACKETS)
}

/**
 * Escapes a value for the quotes of a JSON string, so that any terminal and any line-based reader can be trusted with
 * it. Bytes that are no UTF-8 become the characters of the same numbers.
 */
export function escapeInJson(bytes: string): string {
  if (isShortWord(bytes) || PLAIN_JSON.test(bytes)) return bytes
  // JSON.stringify has seen to lone surrogates.
  const quoted = JSON.stringify(textOf(bytes) ?? bytes).replace(UNSAFE_IN_JSON, unicodeEscape)
  return quoted.slice(1, -1)
}

/** Up to so many characters a loop looks at them faster than a regular expression does. */
const SHORT = 24

/** Whether a text is short and of visible ASCII that is escaped nowhere but in brackets, as most are. */
function isShortWord(bytes: string): boolean {
  const { length } = bytes
  if (length > SHORT) return false
  for (let at = 0; at < length; at++) {
    const code = bytes.charCodeAt(at)
    if (code <= 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false
  }
  return true
}

const PLAIN_JSON = /^[ !#-[\]-~]*$/
const UNSAFE_IN_JSON = new RegExp(`[\\x7f-\\x9f${DECEPTIVE}]`, 'gu')

function escape(bytes: string, { plain, inText, inBytes }: Place): string {
  if (plain.test(bytes)) return bytes
  const text = textOf(bytes)
  return text === undefined ? bytes.replace(inBytes, escapeByte) : text.replace(inText, escapeCharacter)
}

/** Escapes a character of text: above U+009F only the deceptive ones come here, U+00AD among them. */
function escapeCharacter(character: string): string {
  return character > '\u009f' ? unicodeEscape(character) : escapeByte(character)
}

/** Escapes a byte, or a character with the number of one. */
function escapeByte(byte: string): string {
  if (byte === '\\' || byte === '"') return `\\${byte}`
  return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
