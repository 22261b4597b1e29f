import { oneOf, type OptionKind, withFix } from '@fw/options'
import type { RouteOptions } from '@fw/types'

/** Treatment of a JSON result that does not match the `response` schema of its route. */
export type CheckResponses = NonNullable<RouteOptions['checkResponses']>

/** Kind of the option `checkResponses` of servers and routes. */
export const CHECK_RESPONSES: OptionKind = withFix(
  oneOf('error', 'count', 'off'),
  "Use 'error' in development, 'count' in production.",
)

/** Returns `'count'` in production, as `NODE_ENV` says, and `'error'` elsewhere. */
export function defaultCheck(): CheckResponses {
  return process.env['NODE_ENV'] === 'production' ? 'count' : 'error'
}
