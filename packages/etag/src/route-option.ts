import { declareRouteOption, flag } from '@fw/options'

/** Whether `etag()` changes the responses of a route. */
export type RouteEtag = boolean

declare module '@fw/types' {
  interface RouteOptions {
    /** Whether `etag()` changes the responses of this route. Default true. Has no effect on routes without `etag()`. */
    readonly etag?: RouteEtag | undefined
  }
}

declareRouteOption('etag', flag)
