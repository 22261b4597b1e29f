import type { ConnectOptions, ProtocolClient, TestProtocol } from './client.ts'
import { connectH1 } from './h1-client.ts'
import { connectH2 } from './h2-client.ts'

/** Opens a client for a server that has the certificate of `testCertificate()` where the protocol needs one. */
export function connect(protocol: TestProtocol, options: ConnectOptions): Promise<ProtocolClient> {
  if (protocol === 'h3') return connectH3(options)
  if (protocol === 'h2' || protocol === 'h2c') return connectH2({ ...options, tls: protocol === 'h2' })
  return connectH1({ ...options, tls: protocol === 'h1+tls' })
}

/**
 * Opens an HTTP/3 client. Its code is loaded by this call, so that only tests of HTTP/3 load the native QUIC library;
 * `@fw/testing/h3` has it with everything that a test of single frames needs.
 */
export async function connectH3(options: ConnectOptions): Promise<ProtocolClient> {
  const client = await import('./h3-client.ts')
  return client.connectH3(options)
}
