import { declareRouteOption, flag } from '@fw/options'

/** Whether `csrf()` checks requests to a route. */
export type RouteCsrf = boolean

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * Whether `csrf()` checks requests to this route. Default true. Use `false` for routes that need no cookies, such
     * as a webhook for another service. It has no effect without a `csrf()` around the route.
     */
    readonly csrf?: RouteCsrf | undefined
  }
}

declareRouteOption('csrf', flag)
