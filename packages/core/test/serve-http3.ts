import type { Exchange, Outcome, Refusal } from '@fw/types'
import { testCertificate } from '@fw/testing'
import { connectH3, type H3Client, type H3ConnectionOptions } from '@fw/testing/h3'
import { listenHttp3, type Http3Listener } from '../src/http3/engine.ts'
import { DEFAULT_LIMITS, type Limits } from '../src/options/limits.ts'

/** An HTTP/3 engine with a handler instead of an application. */
export interface Http3Server {
  readonly listener: Http3Listener
  readonly port: number
  /** Requests that the engine rejected, in order. */
  readonly refused: Refusal[]
  connect(options?: Partial<H3ConnectionOptions>): Promise<H3Client>
  [Symbol.asyncDispose](): Promise<void>
}

/** Serves `handle` on a port of 127.0.0.1. Disposal closes the clients, then the server. */
export async function serveHttp3(
  handle: (exchange: Exchange) => void,
  limits: Partial<Limits> = {},
  allowsTunnels: boolean = false,
): Promise<Http3Server> {
  const { key, cert } = await testCertificate()
  const refused: Refusal[] = []
  const listener = await listenHttp3({
    host: '127.0.0.1',
    port: 0,
    key,
    cert,
    engineHost: {
      limits: { ...DEFAULT_LIMITS, ...limits },
      altSvc: 'h3=":1"',
      allowsTunnels: () => allowsTunnels,
      onRequest: handle,
      onRefused: (refusal) => void refused.push(refusal),
    },
  })
  const { port } = listener.address
  const clients: H3Client[] = []
  return {
    listener,
    port,
    refused,
    async connect(options) {
      const client = await connectH3({ port, ...options })
      clients.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close()
      await listener.destroy()
    },
  }
}

/** Resolves with the outcome of an exchange. */
export function outcomeOf(exchange: Exchange): Promise<Outcome> {
  return new Promise((resolve) => (exchange.onClose = resolve))
}

/** Resolves with the bytes and trailers of a request body, or rejects with its error. */
export function bodyOf(exchange: Exchange): Promise<{ body: Buffer; trailers: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const slices: Uint8Array[] = []
    exchange.body.consume({
      data: (chunk) => void slices.push(chunk),
      end: (trailers) => resolve({ body: Buffer.concat(slices), trailers }),
      error: reject,
    })
  })
}

/** Responds with the request body, with backpressure from the client. */
export function echo(exchange: Exchange): void {
  exchange.start(200, [])
  exchange.body.consume({
    data: (chunk) => {
      if (exchange.write(chunk)) return
      exchange.body.pause()
      void exchange.drained().then(() => exchange.body.resume())
    },
    end: (trailers) => exchange.end(trailers),
    error: (error) => exchange.abort(error),
  })
}
