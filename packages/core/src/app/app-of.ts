import { showValue, withCode } from '@fw/options'
import type { Exchange, Refusal, Router } from '@fw/types'
import type { MemoryRequest } from '../memory/request.ts'

/** The part of `App` that adapters use. */
interface RequestHandler {
  handle(exchange: Exchange): void
  /** Reports whether the application handles a request, even if only with a redirect or an error. */
  takes(method: string, target: string): boolean
  /** Responds to a request without a socket. */
  respond(request: MemoryRequest, remoteAddress: string | undefined): Promise<Response>
  /** Notifies middleware of a request that was rejected before routing, for logs. */
  refused(refusal: Refusal): void
}

const apps = new WeakMap<Router, RequestHandler>()

/** Registers the application of a root router for `appOf`. */
export function rememberApp(router: Router, app: RequestHandler): void {
  apps.set(router, app)
}

/**
 * Returns the application of a root router.
 *
 * @param api Name of the called function, with which the error message begins
 * @throws {TypeError} if `router` is a group or not a router
 */
export function appOf(router: Router, api: string): RequestHandler {
  const app = apps.get(router)
  if (app === undefined) {
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(
        `${api}: router must be the router of a Server or an App, got ${showValue(router)}. Pass server.router() or app.router.`,
      ),
    )
  }
  return app
}
