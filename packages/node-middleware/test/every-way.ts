import { Server } from '@fw/core'
import type { Router } from '@fw/types'
import { type ClientRequest, eachProtocol, type TestProtocol } from '@fw/testing'
import { describe } from 'vitest'

/** A complete response. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request, and returns the response when all of it has arrived. */
export type Send = (request: ClientRequest) => Promise<Received>

/**
 * Runs the same suite over HTTP/1.1, HTTP/2, HTTP/3 and `server.fetch`.
 *
 * @param register Registers the routes and the middleware under test
 */
export function everyWay(
  name: string,
  register: (router: Router) => void,
  suite: (send: Send, way: TestProtocol | 'fetch') => void,
): void {
  eachProtocol(
    name,
    async ({ tls, http3 }) => {
      const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, trustProxy: false })
      register(server.router())
      const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
      return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
    },
    (client, protocol) => {
      suite(async (request) => {
        const response = await client().request(request)
        return { status: response.status, headers: response.headers, text: await response.text() }
      }, protocol)
    },
  )
  describe(`${name} (fetch)`, () => {
    const server = new Server({ trustProxy: false })
    register(server.router())
    suite(async ({ path, method, headers = [], body }) => {
      const init: RequestInit = {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: headers.map(([...field]) => field),
      }
      if (body !== undefined) Object.assign(init, { body, duplex: 'half' })
      const response = await server.fetch(path, init)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }, 'fetch')
  })
}
