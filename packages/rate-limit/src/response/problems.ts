import { type Coded, HttpError, withCode } from '@fw/options'
import type { Context } from '@fw/types'

// draft-ietf-httpapi-ratelimit-headers-10 §5 registers both types.
const TYPES = 'https://iana.org/assignments/http-problem-types'
const QUOTA_EXCEEDED = `${TYPES}#quota-exceeded`
const REDUCED_CAPACITY = `${TYPES}#temporary-reduced-capacity`

/**
 * Returns the error for a client that exceeds a limit: 429 with the problem type `quota-exceeded`.
 *
 * @param policy Name of the limit
 * @param retryAfterSeconds Sent as `retry-after`; `undefined` if waiting does not help
 */
export function quotaExceeded(
  message: string,
  policy: string,
  retryAfterSeconds: number | undefined,
): Coded<HttpError> {
  return withCode(
    'FW_RATE_LIMITED',
    new HttpError(429, message, retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }, {
      type: QUOTA_EXCEEDED,
      extensions: { 'violated-policies': [policy] },
    }),
  )
}

/**
 * Responds with 503 and the problem type `temporary-reduced-capacity`. Does not throw an error, because core would log a stack
 * trace for each error while the server is overloaded.
 *
 * @param retryAfterSeconds Minimum seconds for `retry-after`. See `jittered`
 */
export function respondUnavailable(ctx: Context, detail: string, retryAfterSeconds: number): void {
  const body = { type: REDUCED_CAPACITY, title: 'Service Unavailable', status: 503, detail }
  ctx.text(JSON.stringify(body), {
    status: 503,
    headers: { 'content-type': 'application/problem+json', 'retry-after': String(jittered(retryAfterSeconds)) },
  })
}

/**
 * Returns a random number from `seconds` to twice `seconds`, so that clients that were refused together do not return together.
 */
export function jittered(seconds: number): number {
  return seconds + Math.floor(Math.random() * (seconds + 1))
}
