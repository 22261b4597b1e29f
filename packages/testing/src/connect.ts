import type { ConnectOptions, ProtocolClient, TestProtocol } from './client.ts'
import { connectH1 } from './h1-client.ts'
import { connectH2 } from './h2-client.ts'

/** Opens a client for a server that has the certificate of `testCertificate()` where the protocol needs one. */
export async function connect(protocol: TestProtocol, options: ConnectOptions): Promise<ProtocolClient> {
  if (protocol === 'h3') {
    // Loaded here, so that only the tests of HTTP/3 load the native QUIC library.
    const file: string = './h3-client.ts'
    const { connectH3 } = (await import(file)) as { connectH3: (o: ConnectOptions) => Promise<ProtocolClient> }
    return connectH3(options)
  }
  if (protocol === 'h2' || protocol === 'h2c') return connectH2({ ...options, tls: protocol === 'h2' })
  return connectH1({ ...options, tls: protocol === 'h1+tls' })
}
