import { checkOptions } from './check-options.ts'

/** How paths are compared with the patterns of routes. */
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

const TRAILING_SLASH: ReadonlySet<unknown> = new Set(['strict', 'ignore', 'redirect'])

/** @throws {TypeError} for an option that does not exist, or a value that it does not take */
export function resolveRouting(options: RoutingOptions = {}): Routing {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Option routing is ${JSON.stringify(options)}; it takes { trailingSlash, caseSensitive }`)
  }
  checkOptions('routing', options, Object.keys(EXACT_ROUTING))
  const { trailingSlash = EXACT_ROUTING.trailingSlash, caseSensitive = EXACT_ROUTING.caseSensitive } = options
  if (!TRAILING_SLASH.has(trailingSlash)) {
    const given = JSON.stringify(trailingSlash)
    throw new TypeError(`Option trailingSlash of routing is ${given}; it takes 'strict', 'ignore' or 'redirect'`)
  }
  if (typeof caseSensitive !== 'boolean') {
    throw new TypeError(`Option caseSensitive of routing is ${JSON.stringify(caseSensitive)}; it takes true or false`)
  }
  return { trailingSlash, caseSensitive }
}
