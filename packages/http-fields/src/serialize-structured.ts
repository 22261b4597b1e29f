import { showValue, withCode } from '@fw/options'
import { type BareItem, DisplayText, type Item, type Member, type Parameters, Token } from './structured-value.ts'

const KEY = /^[a-z*][a-z0-9_.*-]*$/
const STRING = /^[\x20-\x7e]*$/
const TOKEN = /^[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*$/
const MAX_INTEGER = 999_999_999_999_999
const MAX_DECIMAL = 999_999_999_999.999

/** Parameters to serialize. */
export type ParameterInput = Parameters | Readonly<Record<string, BareItem>>

/**
 * Serializes a value with parameters as a structured field.
 *
 * A number without a fraction becomes an integer. Any other number becomes a decimal, rounded to three digits after the point.
 *
 * @throws {TypeError} if a value or a key cannot be sent, such as a string with characters that are not ASCII
 * @see RFC 9651 §4.1
 *
 * @example
 * serializeItem('login', { q: 10, w: 60 })   // "login";q=10;w=60
 */
export function serializeItem(value: BareItem, parameters: ParameterInput = {}): string {
  return bareItem(value) + allParameters(parameters)
}

/** Serializes a list. @throws {TypeError} like `serializeItem` */
export function serializeList(members: Iterable<Member>): string {
  return Array.from(members, memberText).join(', ')
}

/** Serializes a dictionary. @throws {TypeError} like `serializeItem` */
export function serializeDictionary(members: ReadonlyMap<string, Member>): string {
  return Array.from(members, ([name, member]) => {
    if ('value' in member && member.value === true) return key(name) + allParameters(member.parameters)
    return `${key(name)}=${memberText(member)}`
  }).join(', ')
}

function memberText(member: Member): string {
  if ('value' in member) return item(member)
  return `(${member.items.map(item).join(' ')})${allParameters(member.parameters)}`
}

function item({ value, parameters }: Item): string {
  return bareItem(value) + allParameters(parameters)
}

function allParameters(parameters: ParameterInput): string {
  const entries = parameters instanceof Map ? [...parameters] : Object.entries(parameters as Record<string, BareItem>)
  return entries
    .map(([name, value]) => (value === true ? `;${key(name)}` : `;${key(name)}=${bareItem(value)}`))
    .join('')
}

function key(name: string): string {
  if (KEY.test(name)) return name
  throw invalid('key', 'a lower-case name', name)
}

function bareItem(value: BareItem): string {
  if (typeof value === 'number') return number(value)
  if (typeof value === 'boolean') return value ? '?1' : '?0'
  if (typeof value === 'string') {
    if (!STRING.test(value)) throw invalid('string', 'ASCII text; use DisplayText for other characters', value)
    return `"${value.replace(/["\\]/g, '\\$&')}"`
  }
  if (value instanceof Token) {
    if (!TOKEN.test(value.name)) throw invalid('token', 'a token', value.name)
    return value.name
  }
  if (value instanceof Uint8Array) return `:${Buffer.from(value).toString('base64')}:`
  if (value instanceof Date) {
    const seconds = Math.floor(value.getTime() / 1000)
    if (!(Math.abs(seconds) <= MAX_INTEGER)) throw invalid('date', 'a valid Date', value)
    return `@${seconds}`
  }
  if (value instanceof DisplayText) return displayText(value.text)
  throw invalid('value', 'a number, string, boolean, Token, Uint8Array, Date or DisplayText', value)
}

function number(value: number): string {
  if (Number.isInteger(value)) {
    if (Math.abs(value) > MAX_INTEGER) throw invalid('integer', `from -${MAX_INTEGER} to ${MAX_INTEGER}`, value)
    return String(value === 0 ? 0 : value)
  }
  if (!(Math.abs(value) <= MAX_DECIMAL)) throw invalid('decimal', `from -${MAX_DECIMAL} to ${MAX_DECIMAL}`, value)
  const rounded = roundHalfToEven(value * 1000)
  const text = (rounded / 1000).toFixed(3).replace(/(\.\d+?)0+$/, '$1')
  return text
}

/** RFC 9651 §4.1.5: a tie rounds to the even digit. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

function displayText(text: string): string {
  if (!text.isWellFormed()) throw invalid('display text', 'well-formed Unicode text', text)
  let encoded = ''
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25 && byte !== 0x22
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`
  }
  return `%"${encoded}"`
}

function invalid(what: string, rule: string, value: unknown): TypeError {
  return withCode(
    'FW_INVALID_HEADER',
    new TypeError(`structured field: ${what} must be ${rule}, got ${showValue(value)}.`),
  )
}
