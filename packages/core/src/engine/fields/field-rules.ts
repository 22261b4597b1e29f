import { showValue } from '@fw/options'
import type { FieldList } from '@fw/types'

/** RFC 9110 §5.6.2 (token). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What RFC 9110 §5.5 leaves out of a field value: controls but HTAB; and what is no byte. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Whether `name` can be a field name or a method. */
export function isToken(name: string): boolean {
  return TOKEN.test(name)
}

/** Whether `value` can be sent as a field value. */
export function isFieldValue(value: string): boolean {
  return !NOT_IN_VALUE.test(value)
}

/** What a response may do with a field of a certain name. */
export interface FieldRule {
  /** Whether it says how a message is framed, or what becomes of the connection. */
  readonly isFraming: boolean
  /** Whether it means something only once (RFC 9110 §5.3). */
  readonly isSingle: boolean
  /** A value that was found good last; most fields of most responses have the same one again. */
  lastValue: string
}

/** Framing belongs to the engine (RFC 9110 §7.6.1, RFC 9113 §8.2.2, RFC 9114 §4.2). */
const FRAMING_FIELDS: readonly string[] = [
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]
const SINGLE_FIELDS: readonly string[] = [
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
]

/** Names that an application sends are few; those made from input must not fill the memory. */
const MAX_KNOWN_NAMES = 1000
const rules = new Map<string, FieldRule>()
for (const name of FRAMING_FIELDS) rules.set(name, { isFraming: true, isSingle: false, lastValue: '' })
for (const name of SINGLE_FIELDS) rules.set(name, { isFraming: false, isSingle: true, lastValue: '' })

/**
 * Checks that a field would arrive as it was meant.
 *
 * @param name In lower case
 * @returns What the name says about the field
 * @throws {TypeError} if name or value cannot be sent
 */
export function checkField(name: string, value: string): FieldRule {
  const rule = rules.get(name) ?? newRule(name)
  if (value === rule.lastValue) return rule
  if (NOT_IN_VALUE.test(value)) {
    const must = 'must have no control characters and none above U+00FF'
    throw new TypeError(`response: value of field ${showValue(name)} ${must}.`)
  }
  rule.lastValue = value
  return rule
}

/** Whether a response may have a field, by its lower-case name, only once. */
export function isSingleField(name: string): boolean {
  return rules.get(name)?.isSingle ?? false
}

function newRule(name: string): FieldRule {
  // Under another name a field of the framing would not be known for one.
  if (/[A-Z]/.test(name)) throw new TypeError(`response: field name must be in lower case, got ${showValue(name)}.`)
  if (!TOKEN.test(name)) throw new TypeError(`response: field name must be a token, got ${showValue(name)}.`)
  const rule: FieldRule = { isFraming: false, isSingle: false, lastValue: '' }
  if (rules.size < MAX_KNOWN_NAMES) rules.set(name, rule)
  return rule
}

/**
 * The fields that an application may send besides a head: in an informational response, as trailers.
 *
 * @throws {TypeError} as `checkField` does
 */
export function withoutFraming(fields: FieldList): FieldList {
  const kept: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    if (!checkField(name, value).isFraming) kept.push(name, value)
  }
  return kept
}
