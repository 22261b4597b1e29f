import { connectH1 } from '@fw/testing'
import { Server } from '@fw/core'
import type { Router } from '@fw/types'

/** A complete response. Its content coding is not decoded. */
export interface Response {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A server under test on a port of 127.0.0.1. */
export interface Served extends AsyncDisposable {
  readonly port: number
  /** Sends a request with only `host` and the given fields. Does not follow redirects. */
  ask(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Response>
}

/** Starts a server with the given routes. */
export async function serve(routes: (router: Router) => void): Promise<Served> {
  const server = new Server()
  routes(server.router())
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(url.port)
  const client = await connectH1({ port })
  return {
    port,
    async ask(path, headers = {}, method = 'GET') {
      const response = await client.request({ method, path, headers: Object.entries(headers) })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close({ drainMs: 0 })
    },
  }
}
