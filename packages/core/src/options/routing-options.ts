import { flag, oneOf, type OptionKinds } from '@fw/options'

/** How paths are compared with the patterns of routes. */
// docs/decisions/0023
export interface RoutingOptions {
  /**
   * What becomes of a path that no route takes as it is, but one would with a slash at its end added or taken away:
   * `'strict'` (the default) nothing, `'ignore'` that route answers, `'redirect'` the response is 308 to that path.
   */
  readonly trailingSlash?: 'strict' | 'ignore' | 'redirect'
  /** Whether the case of literal text counts, as it does unless `false` is given. Parameters keep theirs either way. */
  readonly caseSensitive?: boolean
}

/** Routing options, all of them. */
export type Routing = Required<RoutingOptions>

/** The rules unless others are given: a path is compared as it is. */
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
