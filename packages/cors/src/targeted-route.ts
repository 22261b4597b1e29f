import type { RouteInfo } from '@fw/types'

/** Methods that need their own route, because a `*` route does not match them. */
const EXPLICIT: ReadonlySet<string> = new Set(['CONNECT', 'TRACE'])

/**
 * Returns the route that would handle a request with this method.
 *
 * @param routes The path's routes, the best match first
 * @returns `undefined` if the path has no route for the method
 */
export function targetedRoute(routes: readonly RouteInfo[], method: string): RouteInfo | undefined {
  const best = routes.find((route) => rank(route, method) > 0)
  if (best === undefined) return undefined
  // Routes with the same pattern are in registration order.
  return routes
    .filter(({ pattern }) => pattern === best.pattern)
    .reduce((a, b) => (rank(b, method) > rank(a, method) ? b : a), best)
}

/**
 * Returns the methods of the routes, separated by `, `. Adds HEAD if the list contains GET, and `requested` if a route handles
 * every method.
 */
export function methodsOf(routes: readonly RouteInfo[], requested: string): string {
  const names = new Set<string>()
  for (const route of routes) {
    if (route.method !== '*') names.add(route.method)
    else if (rank(route, requested) > 0) names.add(requested)
    if (route.method === 'GET') names.add('HEAD')
  }
  return [...names].join(', ')
}

/**
 * Ranks a route for a method: first a route for the method itself, then the GET route for HEAD, then a route for every method.
 */
function rank(route: RouteInfo, method: string): number {
  if (route.method === method) return 3
  if (route.method === 'GET' && method === 'HEAD') return 2
  return route.method === '*' && !EXPLICIT.has(method) ? 1 : 0
}
