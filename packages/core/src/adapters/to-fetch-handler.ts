import { checkOptions, type OptionKinds, text, withFix } from '@fw/options'
import type { Router } from '@fw/types'
import { appOf } from '../app/app-of.ts'
import { MemoryExchange } from '../memory/exchange.ts'
import { memoryRequest } from '../memory/request.ts'
import { plainResponse } from '../memory/response.ts'

/** What a `Request` does not tell. */
export interface FetchPeer {
  /** IP address of the peer, for `ctx.remoteAddress`. */
  readonly remoteAddress?: string | undefined
}

const PEER_KINDS: OptionKinds<FetchPeer> = {
  remoteAddress: withFix(text, 'Pass the IP address of the client as text, or omit it.'),
}

/** What to write instead of what runtimes pass as a second argument. */
const MEANT: Readonly<Record<string, string>> = {
  remoteAddr: 'remoteAddress: info.remoteAddr.hostname',
  ip: 'remoteAddress',
  address: 'remoteAddress',
}

/**
 * Makes a function from `Request` to `Response` of the routes, as other servers and runtimes take it.
 *
 * The promise of the function rejects with a TypeError if its second argument is not a `FetchPeer`.
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
    if (peer !== undefined) checkOptions('toFetchHandler', peer, PEER_KINDS, MEANT)
    const exchange = new MemoryExchange(memoryRequest(request), peer?.remoteAddress)
    app.handle(exchange)
    // Other runtimes look into a `Response` by other ways than its properties.
    return plainResponse(await exchange.response)
  }
}
