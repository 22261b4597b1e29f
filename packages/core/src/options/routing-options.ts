import { flag, oneOf, type OptionKinds } from '@fw/options'

/** Options for how paths are matched against route patterns. */
// docs/decisions/0023
export interface RoutingOptions {
  /**
   * Handles a path that would match a route only with a trailing slash added or removed. `'strict'` (default) responds with
   * 404, `'ignore'` runs that route, and `'redirect'` responds with 308 and the path of that route.
   */
  readonly trailingSlash?: 'strict' | 'ignore' | 'redirect'
  /** Matches literal text case-sensitively. Default true. Parameter values keep their case either way. */
  readonly caseSensitive?: boolean
}

/** Routing options with their defaults filled in. */
export type Routing = Required<RoutingOptions>

/** Default rules: the path must match exactly. */
export const EXACT_ROUTING: Routing = { trailingSlash: 'strict', caseSensitive: true }

export const ROUTING_KINDS: OptionKinds<RoutingOptions> = {
  trailingSlash: oneOf('strict', 'ignore', 'redirect'),
  caseSensitive: flag,
}

/** Fills in the defaults. `ROUTING_KINDS` checks the values. */
export function resolveRouting(options: RoutingOptions = {}): Routing {
  const { trailingSlash = EXACT_ROUTING.trailingSlash, caseSensitive = EXACT_ROUTING.caseSensitive } = options
  return { trailingSlash, caseSensitive }
}
