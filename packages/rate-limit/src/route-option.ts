import { declareRouteOption, oneOf } from '@fw/options'
import type { Context } from '@fw/types'

/** Exempts a route from `rateLimit()`, `limitConcurrency()` and `shedLoad()`. */
export type RouteRateLimit = false

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * `false` exempts this route from `rateLimit()`, `limitConcurrency()` and `shedLoad()`. Use it for health checks. Has no
     * effect on routes without this middleware.
     */
    readonly rateLimit?: RouteRateLimit | undefined
  }
}

declareRouteOption('rateLimit', oneOf(false))

/** Reports whether the route of a request is exempt. */
export function isExempt(ctx: Context): boolean {
  return ctx.route?.options.rateLimit === false
}
