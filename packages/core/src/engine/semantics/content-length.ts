import { accepted, malformed, type Verdict } from './verdict.ts'

/** Maximum value of `Content-Length` and of a chunk size, in bytes: 2^53 - 1, the largest exact integer. */
export const MAX_CONTENT_LENGTH: number = Number.MAX_SAFE_INTEGER

const DIGITS = /^\d+$/

/**
 * Parses `Content-Length`. Accepts leading zeros.
 *
 * @param value All field values of that name, joined with a comma. RFC 9110 §8.6 allows a recipient to treat `5, 5` as
 * 5. Intermediaries disagree on such lists, so the server rejects them as malformed.
 * @see RFC 9110 §8.6
 */
export function judgeContentLength(value: string): Verdict<number> {
  const length = DIGITS.test(value) ? Number(value) : NaN
  return length <= MAX_CONTENT_LENGTH ? accepted(length) : malformed('Invalid Content-Length')
}
