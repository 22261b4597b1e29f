import { Server, type ServerOptions } from '@fw/core'
import { testCertificate } from '@fw/testing'
import type { Carrier } from './raw-client.ts'

/** A server for one carrier, on 127.0.0.1. */
export interface Served extends AsyncDisposable {
  readonly server: Server
  readonly port: number
}

/** Starts a server. `register` adds its routes, which must exist before the first connection. */
export async function serve(
  carrier: Carrier,
  register: (router: ReturnType<Server['router']>) => void,
  options: ServerOptions = {},
): Promise<Served> {
  const { key, cert } = await testCertificate()
  const hasTls = carrier !== 'h1' && carrier !== 'h2c'
  const server = new Server({ ...options, ...(hasTls && { tls: { key, cert } }), http3: carrier === 'h3' })
  register(server.router())
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  if (port === undefined) throw new Error('The server has no port')
  return { server, port, [Symbol.asyncDispose]: () => server.close({ drainMs: 0 }) }
}
