import { showValue, withCode } from '@fw/options'
import type { FieldList } from '@fw/types'
import { checkField } from '../fields/field-rules.ts'

/** The checked head of a response, without framing fields. */
export interface ResponseHead {
  /** Fields to send, without framing fields. */
  readonly fields: FieldList
  /** Value of `content-length`; `undefined` to omit the field. */
  readonly contentLength: number | undefined
  /** Whether a body can follow the head. */
  readonly allowsBody: boolean
  /** Whether the application set `connection: close`. */
  readonly close: boolean
  /** Value of `upgrade`, which only a 426 on HTTP/1.1 sends. */
  readonly upgrade?: string | undefined
  /** Whether `fields` contain a `date`. If so, the engine does not add one. */
  readonly hasDate: boolean
}

/**
 * Checks the status and the fields of a response, and separates framing from the other fields.
 *
 * @param bodyLength Length of a known body in bytes; `undefined` to use the `content-length` of `fields`, if any
 * @throws {RangeError} if the status is not a final one (200 to 599)
 * @throws {TypeError} if a field is invalid, a singleton field is repeated, or `content-length` is not an integer or
 *   differs from `bodyLength`
 * @see RFC 9110 §6.4.1 (content), §8.6 (content-length), §15.3.5, §15.3.6, §15.4.5
 */
export function responseHead(
  method: string,
  status: number,
  fields: FieldList,
  bodyLength: number | undefined,
): ResponseHead {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw withCode(
      'FW_INVALID_STATUS',
      new RangeError(
        `response: status must be an integer from 200 to 599, got ${showValue(status)}. Write, for example, 404.`,
      ),
    )
  }
  // RFC 9110 §9.3.6: a successful response to CONNECT starts a tunnel.
  const isTunnel = method === 'CONNECT' && status < 300
  let kept: FieldList = fields
  let copy: string[] | undefined
  let announced: number | undefined
  let close = false
  let upgrade: string | undefined
  let hasDate = false
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    const rule = checkField(name, value)
    if (rule.isFraming) {
      if (name === 'content-length') announced = parseLength(value, announced)
      else if (name === 'connection') close ||= /(?:^|,)\s*close\s*(?:,|$)/i.test(value)
      else if (name === 'upgrade') upgrade = value
      if (copy === undefined) kept = copy = fields.slice(0, i)
      continue
    }
    if (rule.isSingle) {
      if (isAmong(fields, name, i)) {
        throw withCode(
          'FW_INVALID_HEADER',
          new TypeError(`response: field ${showValue(name)} must be given once. Remove all values but one.`),
        )
      }
      if (name === 'date') hasDate = true
    }
    copy?.push(name, value)
  }
  let contentLength: number | undefined
  if (isTunnel) contentLength = undefined
  else if (status === 205) contentLength = 0
  else if (status === 304) contentLength = announced
  else if (status !== 204) {
    contentLength = bodyLength ?? announced
    // A HEAD response without a body can announce the length of the GET response.
    if (method === 'HEAD' && bodyLength === 0) contentLength = announced ?? 0
    else if (bodyLength !== undefined && announced !== undefined && announced !== bodyLength) {
      throw withCode(
        'FW_WRONG_LENGTH',
        new TypeError(
          `response: content-length must be ${bodyLength}, the length of the body, got ${announced}. Omit it.`,
        ),
      )
    }
  }
  return { fields: kept, contentLength, allowsBody: !isTunnel && allowsBody(method, status), close, upgrade, hasDate }
}

/**
 * Checks the fields of a response that accepts a tunnel, and separates framing from the other fields.
 *
 * @throws {TypeError} like `responseHead`
 * @see RFC 8441 §5: the bytes that follow have no length
 */
export function tunnelHead(fields: FieldList): ResponseHead {
  return { ...responseHead('GET', 200, fields, undefined), contentLength: undefined }
}

/** Reports whether a field occurs in the first `end` entries of a list. */
function isAmong(fields: FieldList, name: string, end: number): boolean {
  for (let i = 0; i < end; i += 2) if (fields[i] === name) return true
  return false
}

function parseLength(value: string, before: number | undefined): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : NaN
  if (Number.isNaN(length) || (before !== undefined && before !== length)) {
    throw withCode(
      'FW_INVALID_HEADER',
      new TypeError(
        `response: content-length must be one integer, got ${showValue(value)}. Omit it, or write decimal digits.`,
      ),
    )
  }
  return length
}

/**
 * Reports whether a response can have a body.
 *
 * @see RFC 9110 §6.4.1
 */
export function allowsBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304
}
