import type { Limits } from '../../options/limits.ts'
import { ACCEPTED, refused, type Verdict } from './verdict.ts'

/** The limits of a request head that every protocol counts in the same way. */
export type FieldLimits = Pick<Limits, 'maxRequestLineBytes' | 'maxFields'>

/** Limits for requests that another server received and has already checked. */
export const NO_FIELD_LIMITS: FieldLimits = { maxRequestLineBytes: Infinity, maxFields: Infinity }

const LINE_REST_BYTES = ' '.length + ' HTTP/1.1'.length

/**
 * Returns the length of the HTTP/1.1 request line in bytes, without CRLF. For HTTP/2 and HTTP/3, returns that of the
 * equivalent line.
 */
export function requestLineBytes(method: string, target: string): number {
  return method.length + target.length + LINE_REST_BYTES
}

/**
 * Returns a refusal with 414 if a request line exceeds the limit.
 *
 * @see RFC 9110 §15.5.15, RFC 9112 §3
 */
export function judgeRequestLine(bytes: number, { maxRequestLineBytes }: FieldLimits): Verdict<undefined> {
  return bytes > maxRequestLineBytes ? refused(414, 'Request line too long') : ACCEPTED
}

/**
 * Returns a refusal with 431 if a request has more header fields than the limit.
 *
 * @param count Received header fields without pseudo-header fields. A field that occurs twice counts twice
 * @see RFC 6585 §5
 */
export function judgeFieldCount(count: number, { maxFields }: FieldLimits): Verdict<undefined> {
  return count > maxFields ? refused(431, 'Too many header fields') : ACCEPTED
}
