import { textOf } from '../entry/utf8-text.ts'

/** Characters that reorder, break or hide text: bidirectional controls, separators, zero-width characters. */
const DECEPTIVE =
  '\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\p{Surrogate}'

/** The characters to escape in one part of an entry. */
interface Place {
  /** Matches values that need no escaping, as most do. */
  readonly plain: RegExp
  /** Matches the characters to escape in text. */
  readonly inText: RegExp
  /** Matches the bytes to escape if they are not UTF-8. */
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
 * Escapes spaces, quotes, control characters and line breaks in a method, path or query.
 *
 * @param bytes The received bytes, one character each
 */
export function escapeWord(bytes: string): string {
  return isShortWord(bytes) ? bytes : escape(bytes, WORD)
}

/** Escapes a header value for `[name: value]`. The result cannot close the bracket, but can contain spaces. */
export function escapeInBrackets(bytes: string): string {
  return escape(bytes, IN_BRACKETS)
}

/** Escapes a method or path for a prefix in brackets. */
export function escapeWordInBrackets(bytes: string): string {
  return escape(bytes, WORD_IN_BRACKETS)
}

/**
 * Escapes a value for a JSON string that is safe in terminals and line-based tools. Each byte of a value that is not UTF-8
 * becomes the character with that code.
 */
export function escapeInJson(bytes: string): string {
  if (isShortWord(bytes) || PLAIN_JSON.test(bytes)) return bytes
  // JSON.stringify has already escaped lone surrogates.
  const quoted = JSON.stringify(textOf(bytes) ?? bytes).replace(UNSAFE_IN_JSON, unicodeEscape)
  return quoted.slice(1, -1)
}

/** The length up to which a loop is faster than a regular expression. */
const SHORT = 24

/** Reports whether a string is short and contains only visible ASCII that needs no escaping outside brackets. */
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

/** Escapes a character of text. Above U+009F the pattern matches only deceptive characters. */
function escapeCharacter(character: string): string {
  return character > '\u009f' ? unicodeEscape(character) : escapeByte(character)
}

/** Escapes a byte, or a character up to U+009F. */
function escapeByte(byte: string): string {
  if (byte === '\\' || byte === '"') return `\\${byte}`
  return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
