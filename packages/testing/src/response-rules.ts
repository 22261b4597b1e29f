import type { TestField } from './client.ts'
import { MalformedResponse } from './response-error.ts'

/** Fields that a response may have at most once, because their value is not a list. */
const SINGLETONS = new Set([
  'access-control-allow-origin',
  'age',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'server',
  'transfer-encoding',
])

/** Connection-specific fields, which only HTTP/1.1 allows. */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible bytes, with HTAB and SP only between them. */
const FIELD_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/
const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/

/**
 * Checks the fields of a final response against the rules that every version of HTTP shares.
 *
 * @throws {MalformedResponse} with the violated rule
 * @see RFC 9110 §5.1, §5.3, §5.5, §6.6.1, §8.6
 */
export function checkResponseHead(status: number, fields: readonly TestField[]): void {
  checkFields(fields)
  const names = fields.map(([name]) => name.toLowerCase())
  const repeated = names.find((name, at) => SINGLETONS.has(name) && names.indexOf(name) !== at)
  if (repeated !== undefined) throw new MalformedResponse(`Field '${repeated}' occurs more than once`)

  const date = fieldValue(fields, 'date')
  if (date === undefined && status >= 200 && status < 500) throw new MalformedResponse(`${status} without Date`)
  if (date !== undefined && !isHttpDate(date)) throw new MalformedResponse(`Date '${date}' is not an IMF-fixdate`)
  const length = fieldValue(fields, 'content-length')
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new MalformedResponse(`Content-Length '${length}' is not a number`)
  }
  if (length !== undefined && status === 204) throw new MalformedResponse('Content-Length in a 204 response')
}

/** Checks the syntax of field names and values. @throws {MalformedResponse} with the invalid field */
export function checkFields(fields: readonly TestField[]): void {
  for (const [name, value] of fields) {
    if (!TOKEN.test(name)) throw new MalformedResponse(`Field name ${JSON.stringify(name)} is not a token`)
    if (!FIELD_VALUE.test(value)) throw new MalformedResponse(`Invalid value of '${name}': ${JSON.stringify(value)}`)
  }
}

/**
 * Checks the additional rules for the fields of an HTTP/2 or HTTP/3 response.
 *
 * @throws {MalformedResponse} with the invalid field
 * @see RFC 9113 §8.2, RFC 9114 §4.2
 */
export function checkNoConnectionFields(fields: readonly TestField[]): void {
  for (const [name] of fields) {
    if (name !== name.toLowerCase()) throw new MalformedResponse(`Field name '${name}' is not lowercase`)
    if (CONNECTION_FIELDS.has(name)) throw new MalformedResponse(`Connection-specific field '${name}'`)
  }
}

/** Reports whether a final response has no body regardless of its fields (RFC 9110 §6.4.1). */
export function isBodyless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/** Returns the first value of a field. @param name In lowercase; matches any letter case */
export function fieldValue(fields: readonly TestField[], name: string): string | undefined {
  return fields.find(([candidate]) => candidate.toLowerCase() === name)?.[1]
}

function isHttpDate(text: string): boolean {
  return IMF_FIXDATE.test(text) && new Date(text).toUTCString() === text
}
