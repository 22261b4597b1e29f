import { checkOptions, type OptionKinds, text, withFix } from '@fw/options'
import type { Router } from '@fw/types'
import { appOf } from '../app/app-of.ts'
import { memoryRequest } from '../memory/request.ts'
import { plainResponse } from '../memory/response.ts'

/** Facts about the client that a `Request` does not contain. */
export interface FetchPeer {
  /** The client's IP address, for `ctx.remoteAddress`. Default `undefined`. */
  readonly remoteAddress?: string | undefined
}

const PEER_KINDS: OptionKinds<FetchPeer> = {
  remoteAddress: withFix(text, "Pass the client's IP address as text, or omit it."),
}

/** Replacements to suggest for names that runtimes use in their second argument. */
const MEANT: Readonly<Record<string, string>> = {
  remoteAddr: 'remoteAddress: info.remoteAddr.hostname',
  ip: 'remoteAddress',
  address: 'remoteAddress',
}

/**
 * Returns a function that runs the routes: it accepts a `Request` and returns a `Response`, as Deno, Bun and edge
 * runtimes expect.
 *
 * The returned function rejects with a TypeError if its second argument is not a `FetchPeer`.
 *
 * @throws {TypeError} if `router` is not the router of a `Server` or an `App`
 *
 * @example
 * const handler = toFetchHandler(server.router())
 * export default { fetch: (request: Request) => handler(request) }
 */
export function toFetchHandler(router: Router): (request: Request, peer?: FetchPeer) => Promise<Response> {
  const app = appOf(router, 'toFetchHandler')
  return async (request, peer) => {
    if (peer !== undefined) checkOptions('toFetchHandler', peer, PEER_KINDS, MEANT)
    // Other runtimes do not read a `Response` through its public properties.
    return plainResponse(await app.respond(memoryRequest(request), peer?.remoteAddress))
  }
}
