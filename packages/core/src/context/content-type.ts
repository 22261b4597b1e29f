import { withCode } from '@fw/options'
import { HttpError } from '../response/http-error.ts'

/** The media type of HTML forms without files. */
export const FORM_TYPE = 'application/x-www-form-urlencoded'
/** The default of `bodyTypes`. */
export const JSON_ONLY: readonly string[] = ['application/json']

/** Matches `application/json`, the suffix `+json` (RFC 6839 §3.1) and `text/json` (WHATWG MIME Sniffing §4.6). */
const JSON_MEDIA_TYPE = /^(?:application\/json|text\/json|[!#$%&'*+.^_`|~\da-z-]+\/[!#$%&'*+.^_`|~\da-z-]+\+json)$/
/** Matches one parameter of a media type: its name, and its value as a token or quoted string (RFC 9110 §5.6.6). */
const PARAMETER = /;[ \t]*([^=;]*)(?:=("(?:[^"\\]|\\.)*"|[^;]*))?/y

/**
 * Checks that a body can be parsed as JSON: `types` contains its media type or a wildcard. `application/json` includes every
 * JSON format. A form type in `types` allows schemas to read forms, but does not allow JSON.
 *
 * @param type Media type of the body, or `undefined` without a `Content-Type` field
 * @throws {HttpError} 415 with the field `Accept` (RFC 9110 §15.5.16)
 */
// docs/decisions/0107
export function requireJson(type: string | undefined, types: readonly string[]): void {
  if (types.includes('*/*')) return
  if (type !== undefined && type !== FORM_TYPE) {
    if (types.includes(type) || (types.includes('application/json') && JSON_MEDIA_TYPE.test(type))) return
  }
  const expected = types.join(' or ')
  const message =
    type === undefined
      ? `The content-type of the body is missing, expected ${expected}`
      : `The content-type of the body must be ${expected}`
  throw unsupportedType(message, types)
}

/** Creates the error for a body whose type is not one of `accepted`. */
export function unsupportedType(message: string, accepted: readonly string[]): HttpError {
  return withCode('FW_UNSUPPORTED_TYPE', new HttpError(415, message, { headers: { accept: accepted.join(', ') } }))
}

/**
 * Reports whether a `Content-Encoding` field names a coding other than `identity`. Ignores empty elements of the list (RFC 9110
 * §5.6.1.2).
 */
export function isEncoded(contentEncoding: string | null): boolean {
  if (contentEncoding === null) return false
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase())
  return names.some((name) => name !== '' && name !== 'identity')
}

/** Returns the media type of a `Content-Type` field without parameters, in lower case (RFC 9110 §8.3.1). */
export function mediaType(contentType: string | null): string | undefined {
  if (contentType === null || contentType === 'application/json') return contentType ?? undefined
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/**
 * Checks that the `charset` of a `Content-Type` field is UTF-8 or missing.
 *
 * @throws {HttpError} 415 for any other charset
 */
export function requireUtf8(contentType: string | null): void {
  let at = contentType?.indexOf(';') ?? -1
  while (contentType !== null && at !== -1 && at < contentType.length) {
    PARAMETER.lastIndex = at
    const [whole = '', name = '', value = ''] = PARAMETER.exec(contentType) ?? []
    if (name.trim().toLowerCase() === 'charset' && !isUtf8(value)) {
      throw withCode('FW_UNSUPPORTED_TYPE', new HttpError(415, 'The charset of the body is not utf-8'))
    }
    at = whole === '' ? -1 : contentType.indexOf(';', at + whole.length)
  }
}

function isUtf8(charset: string): boolean {
  return /^\s*(?:utf-?8|"utf-?8")\s*$/i.test(charset)
}
