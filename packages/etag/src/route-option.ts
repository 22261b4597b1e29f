import { declareRouteOption, flag } from '@fw/options'

/** Whether `etag()` changes the responses of a route. */
export type RouteEtag = boolean

declare module '@fw/types' {
  interface RouteOptions {
    /** Whether `etag()` changes the responses of this route. Default true. It has no effect without an `etag()` around the route. */
    readonly etag?: RouteEtag | undefined
  }
}

declareRouteOption('etag', flag)
