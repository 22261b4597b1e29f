import type { FieldList } from '@fw/types'

/** RFC 9110 §5.6.2 (token). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What RFC 9110 §5.5 leaves out of a field value: controls but HTAB; and what is no octet. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Whether `name` can be a field name or a method. */
export function isToken(name: string): boolean {
  return TOKEN.test(name)
}

/** Whether `value` can be sent as a field value. */
export function isFieldValue(value: string): boolean {
  return !NOT_IN_VALUE.test(value)
}

/** @throws {TypeError} if the field would not arrive as it was meant */
export function checkField(name: string, value: string): void {
  if (!TOKEN.test(name)) throw new TypeError(`Cannot send field ${JSON.stringify(name)}: the name is no token`)
  if (NOT_IN_VALUE.test(value)) {
    throw new TypeError(`Cannot send field ${name}: the value holds a control character or one above U+00FF`)
  }
}

/** Framing belongs to the engine (RFC 9110 §7.6.1, RFC 9113 §8.2.2, RFC 9114 §4.2). */
const FRAMING_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** Whether a field, by its lower-case name, says how a message is framed or what becomes of the connection. */
export function isFramingField(name: string): boolean {
  return FRAMING_FIELDS.has(name)
}

/**
 * The fields that an application may send besides a head: in an informational answer, as trailers.
 *
 * @throws {TypeError} as `checkField` does
 */
export function withoutFraming(fields: FieldList): FieldList {
  const kept: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    checkField(name, value)
    if (!FRAMING_FIELDS.has(name)) kept.push(name, value)
  }
  return kept
}

/** Fields of an answer that mean something only once (RFC 9110 §5.3). */
const SINGLE_FIELDS: ReadonlySet<string> = new Set([
  'age',
  'content-disposition',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'strict-transport-security',
])

/** Whether an answer may have a field, by its lower-case name, only once. */
export function isSingleField(name: string): boolean {
  return SINGLE_FIELDS.has(name)
}
