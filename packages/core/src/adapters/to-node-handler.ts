import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Router } from '@fw/types'
import { appOf } from '../app/app-of.ts'
import { NodeExchange } from './node-exchange.ts'
import { judgeNodeRequest, refuseNodeRequest } from './node-verdict.ts'

/** A listener of `request` events of `node:http`, `node:https` and `node:http2`; a middleware of Express and Connect. */
export type NodeHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
  next?: () => void,
) => void

/**
 * Makes a listener for servers of Node.js of the routes. It answers every request, with 404 if no route does, and does
 * not throw. It refuses the requests that the engines of a `Server` refuse, such as one for an invalid host. Other limits
 * and logs are those of the Node.js server; limits on bodies are those of the routes.
 *
 * As a middleware it leaves to `next` what no route takes for its method, untouched: middleware of the routes does not run.
 *
 * @throws {TypeError} if the router is not that of a server or an application
 *
 * @example
 * createServer(toNodeHandler(server.router())).listen(8080)
 *
 * @example
 * express().use(toNodeHandler(server.router()), express.json(), others)   // before what reads bodies
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
