import { declareRouteOption, flag } from '@fw/options'

/** Whether `csrf()` checks requests to a route. */
export type RouteCsrf = boolean

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * Whether `csrf()` checks requests to this route. Default true. Use `false` for routes that do not use cookies, such as a
     * webhook for another service. Has no effect on routes without `csrf()`.
     */
    readonly csrf?: RouteCsrf | undefined
  }
}

declareRouteOption('csrf', flag)
