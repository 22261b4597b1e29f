import type { Handler, RouteInfo } from '@fw/types'
import { prepareProblem } from '../response/problem.ts'
import type { RequestContext } from '../context/context.ts'
import { runHandler } from './run-handler.ts'

/** The reason why no route handles a request. */
export type RouteMiss =
  | { readonly kind: 'not-found' }
  /** The path has routes for other methods only. */
  | { readonly kind: 'other-methods'; readonly allow: readonly string[]; readonly routes: readonly RouteInfo[] }
  /** The method is OPTIONS, for a path or the whole server. The routes determine `allow`. */
  | { readonly kind: 'options'; readonly allow: readonly string[]; readonly routes: readonly RouteInfo[] }
  /** A route exists for the path with, or without, a trailing slash. */
  | { readonly kind: 'other-end'; readonly location: string }
  | { readonly kind: 'bad-target'; readonly detail: string }
  /** The method is CONNECT with an authority, which only a proxy supports, or for a protocol of no route. */
  | { readonly kind: 'tunnel' }

/** Responds to a request that no route handles. */
export function respondToMiss(
  context: RequestContext,
  miss: RouteMiss,
  notFound: Handler | undefined,
): Promise<void> | undefined {
  switch (miss.kind) {
    case 'not-found':
      return respondNotFound(context, notFound)
    case 'other-methods':
      prepareProblem(context.prepared, context.headers.get('accept'), {
        status: 405,
        headers: { allow: miss.allow.join(', ') },
      })
      break
    case 'options':
      context.empty(204)
      context.responseHeaders.set('allow', miss.allow.join(', '))
      break
    case 'other-end':
      // 308 preserves the method and the body (RFC 9110 §15.4.9).
      context.redirect(miss.location, 308)
      break
    case 'bad-target':
      prepareProblem(context.prepared, context.headers.get('accept'), { status: 400, detail: miss.detail })
      break
    case 'tunnel':
      prepareProblem(context.prepared, context.headers.get('accept'), { status: 501 })
      break
  }
  return undefined
}

/**
 * Requests whose `notFound` handler has started. The handler can also call `ctx.notFound()`, for example if its file is
 * missing.
 */
const handled = new WeakSet<RequestContext>()

/** Responds with 404. Runs `handler` at most once per request, and otherwise sends a problem document. */
export function respondNotFound(context: RequestContext, handler: Handler | undefined): Promise<void> | undefined {
  context.prepared.abandonBody()
  if (handler === undefined || handled.has(context)) {
    prepareProblem(context.prepared, context.headers.get('accept'), { status: 404 })
    return undefined
  }
  context.status = 404
  handled.add(context)
  return runHandler(handler, context)
}
