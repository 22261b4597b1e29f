import type { ConnectOptions, ProtocolClient, TestProtocol } from './client.ts'
import { connectH1 } from './h1-client.ts'
import { connectH2 } from './h2-client.ts'

/** Opens a client for the given protocol. Over TLS, the server must use the certificate from `testCertificate()`. */
export function connect(protocol: TestProtocol, options: ConnectOptions): Promise<ProtocolClient> {
  if (protocol === 'h3') return connectH3(options)
  if (protocol === 'h2' || protocol === 'h2c') return connectH2({ ...options, tls: protocol === 'h2' })
  return connectH1({ ...options, tls: protocol === 'h1+tls' })
}

/**
 * Opens an HTTP/3 client. The first call loads its code, so that only HTTP/3 tests load the native QUIC library.
 * Tests that send single frames import the client from `@fw/testing/h3` instead.
 */
export async function connectH3(options: ConnectOptions): Promise<ProtocolClient> {
  const client = await import('./h3-client.ts')
  return client.connectH3(options)
}
