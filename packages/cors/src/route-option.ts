import { declareRouteOption, object } from '@fw/options'
import type { RouteInfo } from '@fw/types'
import { conflictOf, CORS_KINDS, checkCorsOptions, type CorsOptions } from './options.ts'
import { compilePolicy, type CorsPolicy } from './policy.ts'

/**
 * Replaces the options of `cors()` for one route; `false` prevents pages from other origins from reading its responses.
 */
export type RouteCors = CorsOptions | false

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * Replaces the options of `cors()` for this route; `false` prevents pages from other origins from reading its responses.
     * Has no effect on routes without `cors()`.
     */
    readonly cors?: RouteCors | undefined
  }
}

declareRouteOption('cors', {
  expected: 'false or an object',
  accepts: (value) => value === false || (object.accepts(value) && conflictOf(value as object) === undefined),
  fix: (value) => {
    const conflict = object.accepts(value) ? conflictOf(value as object) : undefined
    if (conflict === undefined) return 'Write false, or the options of cors().'
    return `Its option "${conflict.name}" must be ${conflict.expected}. ${conflict.fix}`
  },
  nested: CORS_KINDS,
})

/**
 * Creates the function that looks up the policy for a route. It returns `undefined` for a route with `cors: false`.
 *
 * @param ofMiddleware The policy for requests without a route, and for routes without the option
 */
export function routePolicies(ofMiddleware: CorsPolicy): (route: RouteInfo | undefined) => CorsPolicy | undefined {
  const compiled = new WeakMap<RouteInfo, CorsPolicy>()
  return (route) => {
    const option = route?.options.cors
    if (route === undefined || option === undefined) return ofMiddleware
    if (option === false) return undefined
    let policy = compiled.get(route)
    if (policy === undefined) {
      // The route may have been registered by a router that does not check options.
      checkCorsOptions('cors', option)
      policy = compilePolicy(option)
      compiled.set(route, policy)
    }
    return policy
  }
}
