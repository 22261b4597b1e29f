import { accepted, malformed, type Verdict } from './verdict.ts'

/** The largest body that a number counts exactly: 2^53 - 1 bytes. Applies to `Content-Length` and to the size of a chunk. */
export const MAX_CONTENT_LENGTH: number = Number.MAX_SAFE_INTEGER

const DIGITS = /^\d+$/

/**
 * Reads `Content-Length`. Leading zeros do not change the number.
 *
 * @param value All field values of that name, joined with a comma. RFC 9110 §8.6 permits a recipient to read `5, 5` as
 *   5. Intermediaries disagree on such lists, so they are malformed here.
 * @see RFC 9110 §8.6
 */
export function judgeContentLength(value: string): Verdict<number> {
  const length = DIGITS.test(value) ? Number(value) : NaN
  return length <= MAX_CONTENT_LENGTH ? accepted(length) : malformed('Invalid Content-Length')
}
