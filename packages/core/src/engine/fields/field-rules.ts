import { showValue, withCode } from '@fw/options'
import type { FieldList } from '@fw/types'

/** Syntax of a token (RFC 9110 §5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/**
 * Characters that a field value must not contain (RFC 9110 §5.5): controls except HTAB, and characters above U+00FF.
 */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Reports whether `name` is a token, such as a field name or a method. */
export function isToken(name: string): boolean {
  return TOKEN.test(name)
}

/** Reports whether `value` can be sent as a field value. */
export function isFieldValue(value: string): boolean {
  return !NOT_IN_VALUE.test(value)
}

/** The rules for a response field with a given name. */
export interface FieldRule {
  /** Whether the field controls the framing or the connection. Only the engine sends it. */
  readonly isFraming: boolean
  /** Whether a response can contain the field only once (RFC 9110 §5.3). */
  readonly isSingle: boolean
  /** The last valid value. Cached because most responses repeat it. */
  lastValue: string
}

/** Fields that only the engine sends (RFC 9110 §7.6.1, RFC 9113 §8.2.2, RFC 9114 §4.2). */
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

/** Maximum number of cached names. Names that an application derives from input must not fill the memory. */
const MAX_KNOWN_NAMES = 1000
const rules = new Map<string, FieldRule>()
for (const name of FRAMING_FIELDS) rules.set(name, { isFraming: true, isSingle: false, lastValue: '' })
for (const name of SINGLE_FIELDS) rules.set(name, { isFraming: false, isSingle: true, lastValue: '' })

/**
 * Checks the name and the value of a response field.
 *
 * @param name In lower case
 * @returns The rules for that name
 * @throws {TypeError} if `name` is not a lower-case token, or `value` contains a control character or one above U+00FF
 */
export function checkField(name: string, value: string): FieldRule {
  const rule = rules.get(name) ?? newRule(name)
  if (value === rule.lastValue) return rule
  if (NOT_IN_VALUE.test(value)) {
    const must = 'must not contain control characters or characters above U+00FF'
    throw withCode(
      'FW_INVALID_HEADER',
      new TypeError(
        `response: value of field ${showValue(name)} ${must}. Encode it, for example with encodeURIComponent().`,
      ),
    )
  }
  rule.lastValue = value
  return rule
}

/** Reports whether a response can contain the field with this lower-case name only once. */
export function isSingleField(name: string): boolean {
  return rules.get(name)?.isSingle ?? false
}

function newRule(name: string): FieldRule {
  // An upper-case name would bypass the rules for framing fields.
  if (/[A-Z]/.test(name)) {
    throw withCode(
      'FW_INVALID_HEADER',
      new TypeError(
        `response: field name must be in lower case, got ${showValue(name)}. Write '${name.toLowerCase()}'.`,
      ),
    )
  }
  if (!TOKEN.test(name)) {
    throw withCode(
      'FW_INVALID_HEADER',
      new TypeError(`response: field name must be a token, got ${showValue(name)}. Use letters, digits and hyphens.`),
    )
  }
  const rule: FieldRule = { isFraming: false, isSingle: false, lastValue: '' }
  if (rules.size < MAX_KNOWN_NAMES) rules.set(name, rule)
  return rule
}

/**
 * Checks the fields of an informational response or a trailer section, and returns them without framing fields.
 *
 * @throws {TypeError} if a name or a value is invalid
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
