import { Server } from '@fw/core'
import type { Router } from '@fw/types'

/** A server under test on a port of 127.0.0.1. */
export interface Served extends AsyncDisposable {
  readonly port: number
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Starts a server with the routes given. */
export async function serve(routes: (router: Router) => void): Promise<Served> {
  const server = new Server()
  routes(server.router())
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
  return {
    port,
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    [Symbol.asyncDispose]: () => server.close({ drainMs: 0 }),
  }
}
