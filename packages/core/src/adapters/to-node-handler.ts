import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Router } from '@fw/types'
import { appOf } from '../app/app-of.ts'
import { NodeExchange } from './node-exchange.ts'
import { judgeNodeRequest, refuseNodeRequest } from './node-verdict.ts'

/**
 * Listener for `request` events in `node:http`, `node:https` and `node:http2`. Also works as Express and Connect
 * middleware.
 */
export type NodeHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
  next?: () => void,
) => void

/**
 * Returns a request listener for a Node.js server that runs the routes. It never throws, and answers 404 if no route
 * matches. It rejects the requests that a `Server` rejects, such as one with an invalid host. The routes limit body
 * sizes. All other limits, and logging, are up to the Node.js server.
 *
 * If the caller passes `next`, the listener calls it for requests whose path and method match no route. The router's
 * middleware does not run for them.
 *
 * @throws {TypeError} if `router` is not the router of a `Server` or an `App`
 *
 * @example
 * createServer(toNodeHandler(server.router())).listen(8080)
 *
 * @example
 * express().use(toNodeHandler(server.router()), express.json(), others)   // before body parsers
 */
export function toNodeHandler(router: Router): NodeHandler {
  const app = appOf(router, 'toNodeHandler')
  return (request, response, next) => {
    if (next !== undefined && !app.takes(request.method ?? '', request.url ?? '')) {
      next()
      return
    }
    const verdict = judgeNodeRequest(request)
    if (verdict.kind === 'ok') app.handle(new NodeExchange(request, response, verdict.value))
    else app.refused(refuseNodeRequest(request, response, verdict))
  }
}
