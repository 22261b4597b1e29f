import type { TestField } from './client.ts'
import { MalformedResponse } from './response-error.ts'

/** Fields that one response may have at most once, as they hold no list. */
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

/** Fields about one connection, which exist in HTTP/1.1 only. */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible bytes, HTAB and SP, neither first nor last. */
const FIELD_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/
const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/

/**
 * Holds the head of a final response to the rules that are the same in every version of HTTP.
 *
 * @throws {MalformedResponse} naming the rule
 * @see RFC 9110 §5.1, §5.3, §5.5, §6.6.1, §8.6
 */
export function checkResponseHead(status: number, fields: readonly TestField[]): void {
  checkFields(fields)
  const names = fields.map(([name]) => name.toLowerCase())
  const repeated = names.find((name, at) => SINGLETONS.has(name) && names.indexOf(name) !== at)
  if (repeated !== undefined) throw new MalformedResponse(`Field '${repeated}' is there more than once`)

  const date = fieldValue(fields, 'date')
  if (date === undefined && status >= 200 && status < 500) throw new MalformedResponse(`No date on a ${status}`)
  if (date !== undefined && !isHttpDate(date)) throw new MalformedResponse(`Date '${date}' is no IMF-fixdate`)
  const length = fieldValue(fields, 'content-length')
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new MalformedResponse(`Content-Length '${length}' is no number`)
  }
  if (length !== undefined && status === 204) throw new MalformedResponse('Content-Length on a 204')
}

/** Holds field names and values to their syntax. @throws {MalformedResponse} naming the field */
export function checkFields(fields: readonly TestField[]): void {
  for (const [name, value] of fields) {
    if (!TOKEN.test(name)) throw new MalformedResponse(`Field name ${JSON.stringify(name)} is no token`)
    if (!FIELD_VALUE.test(value)) throw new MalformedResponse(`Value of '${name}' is ${JSON.stringify(value)}`)
  }
}

/**
 * Holds the fields of an HTTP/2 or HTTP/3 response to what those versions demand on top.
 *
 * @throws {MalformedResponse} naming the field
 * @see RFC 9113 §8.2, RFC 9114 §4.2
 */
export function checkNoConnectionFields(fields: readonly TestField[]): void {
  for (const [name] of fields) {
    if (name !== name.toLowerCase()) throw new MalformedResponse(`Field name '${name}' is not in lower case`)
    if (CONNECTION_FIELDS.has(name)) throw new MalformedResponse(`Connection-specific field '${name}'`)
  }
}

/** Whether a response has no body, whatever its fields say (RFC 9110 §6.4.1). */
export function isBodyless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/** The first value of a field, found without regard to case. */
export function fieldValue(fields: readonly TestField[], name: string): string | undefined {
  return fields.find(([candidate]) => candidate.toLowerCase() === name)?.[1]
}

function isHttpDate(text: string): boolean {
  return IMF_FIXDATE.test(text) && new Date(text).toUTCString() === text
}
