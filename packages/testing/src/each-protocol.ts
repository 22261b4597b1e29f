import { afterAll, beforeAll, describe } from 'vitest'
import { testCertificate } from './certificate.ts'
import type { ProtocolClient, TestProtocol } from './client.ts'
import { connect } from './connect.ts'

/** Requirements for a server under test. */
export interface ServerDemand {
  /** Certificate for the TCP port; `undefined` for a port without TLS. */
  readonly tls: { key: string; cert: string } | undefined
  /** Whether to serve HTTP/3 on the UDP port with the same number. */
  readonly http3: boolean
}

/** Server under test, on 127.0.0.1. */
export interface RunningServer {
  readonly port: number
  close(): Promise<void>
}

/** Options of `eachProtocol`. */
export interface EachProtocolOptions {
  /** Default: all protocols. */
  readonly protocols?: readonly TestProtocol[]
}

/** All protocols, in the order in which the suites run. */
export const TEST_PROTOCOLS: readonly TestProtocol[] = ['h1', 'h1+tls', 'h2', 'h2c', 'h3']

/**
 * Runs the same suite over every protocol.
 *
 * Each protocol has its own server and client, started before its tests and closed after them. Closing the client
 * fails if the server sent bytes after a complete response.
 *
 * @example
 * eachProtocol('greeting', start, (client) => {
 *   it('responds with 200', async () => {
 *     const response = await client().request({ path: '/' })
 *     expect(response.status).toBe(200)
 *   })
 * })
 */
export function eachProtocol(
  name: string,
  start: (demand: ServerDemand) => Promise<RunningServer>,
  suite: (client: () => ProtocolClient, protocol: TestProtocol) => void,
  options: EachProtocolOptions = {},
): void {
  describe.each(options.protocols ?? TEST_PROTOCOLS)(`${name} (%s)`, (protocol) => {
    let server: RunningServer | undefined
    let client: ProtocolClient | undefined

    beforeAll(async () => {
      const hasTls = protocol !== 'h1' && protocol !== 'h2c'
      const { key, cert } = await testCertificate()
      server = await start({ tls: hasTls ? { key, cert } : undefined, http3: protocol === 'h3' })
      client = await connect(protocol, { port: server.port })
    })
    afterAll(async () => {
      try {
        await client?.close()
      } finally {
        await server?.close()
      }
    })

    suite(() => {
      if (client === undefined) throw new Error('eachProtocol: client() must be called inside a test.')
      return client
    }, protocol)
  })
}
