import type { Router } from '@fw/types'
import { appOf } from '../app/app-of.ts'
import { memoryRequest } from '../memory/request.ts'
import { plainResponse } from '../memory/response.ts'

/** What a `Request` does not tell. */
export interface FetchPeer {
  /** IP address of the peer, for `ctx.remoteAddress`. */
  readonly remoteAddress?: string | undefined
}

/**
 * Makes a function from `Request` to `Response` of the routes, as other servers and runtimes take it.
 *
 * @throws {TypeError} if the router is not that of a server or an application
 *
 * @example
 * const handler = toFetchHandler(server.router())
 * export default { fetch: (request: Request) => handler(request) }
 */
export function toFetchHandler(router: Router): (request: Request, peer?: FetchPeer) => Promise<Response> {
  const app = appOf(router, 'toFetchHandler')
  return async (request, peer) => {
    // Other runtimes look into a `Response` by other ways than its properties.
    return plainResponse(await app.respond(memoryRequest(request), peer?.remoteAddress))
  }
}
