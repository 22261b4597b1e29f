import { showValue } from '@fw/options'
import type { Exchange, Refusal, Router } from '@fw/types'
import type { MemoryRequest } from '../memory/request.ts'

/** What answers exchanges by the routes of a router: an `App`. */
interface RequestHandler {
  handle(exchange: Exchange): void
  /** Whether this is for its routes to answer, be it by a redirect or a refusal. */
  takes(method: string, target: string): boolean
  /** Answers a request without a network. */
  respond(request: MemoryRequest, remoteAddress: string | undefined): Promise<Response>
  /** Logs a request that no handler sees. */
  refused(refusal: Refusal): void
}

const apps = new WeakMap<Router, RequestHandler>()

/** Remembers which application a root router belongs to. */
export function rememberApp(router: Router, app: RequestHandler): void {
  apps.set(router, app)
}

/**
 * Returns the application of a root router.
 *
 * @param api The function that was called; begins the message of the error
 * @throws {TypeError} for a group, which is a part of its application, and for anything else
 */
export function appOf(router: Router, api: string): RequestHandler {
  const app = apps.get(router)
  if (app === undefined) {
    throw new TypeError(
      `${api}: router must be that of a Server or an App, got ${showValue(router)}. Pass server.router() or app.router.`,
    )
  }
  return app
}
