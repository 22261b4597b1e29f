import { oneOf, type OptionKind, withFix } from '@fw/options'
import type { RouteOptions } from '@fw/types'

/** How to treat a JSON result that does not match its route's `response` schema. */
export type CheckResponses = NonNullable<RouteOptions['checkResponses']>

/** Kind of the `checkResponses` option of servers and routes. */
export const CHECK_RESPONSES: OptionKind = withFix(
  oneOf('error', 'count', 'off'),
  "Use 'error' in development, 'count' in production.",
)

/** Returns `'count'` if `NODE_ENV` is `production`, otherwise `'error'`. */
export function defaultCheck(): CheckResponses {
  return process.env['NODE_ENV'] === 'production' ? 'count' : 'error'
}
