import type { Limits } from '../../options/limits.ts'
import { ACCEPTED, refused, type Verdict } from './verdict.ts'

/** The limits of a request head that are counted alike on every protocol. */
export type FieldLimits = Pick<Limits, 'maxRequestLineBytes' | 'maxFields'>

/** For requests that another server has received, within its own limits. */
export const NO_FIELD_LIMITS: FieldLimits = { maxRequestLineBytes: Infinity, maxFields: Infinity }

const LINE_REST_BYTES = ' '.length + ' HTTP/1.1'.length

/** Counts the request line that HTTP/1.1 has, or would have, without its CRLF. */
export function requestLineBytes(method: string, target: string): number {
  return method.length + target.length + LINE_REST_BYTES
}

/** @see RFC 9110 §15.5.15 (414), RFC 9112 §3 */
export function judgeRequestLine(bytes: number, { maxRequestLineBytes }: FieldLimits): Verdict<undefined> {
  return bytes > maxRequestLineBytes ? refused(414, 'Request line too long') : ACCEPTED
}

/**
 * @param count Header fields as received, so a field that occurs twice counts twice. Pseudo-header fields are not counted
 * @see RFC 6585 §5 (431)
 */
export function judgeFieldCount(count: number, { maxFields }: FieldLimits): Verdict<undefined> {
  return count > maxFields ? refused(431, 'Too many header fields') : ACCEPTED
}
