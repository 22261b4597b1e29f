import { afterAll, beforeAll, describe } from 'vitest'
import { testCertificate } from './certificate.ts'
import type { ProtocolClient, TestProtocol } from './client.ts'
import { connect } from './connect.ts'

/** What a server under test must serve: clear text or TLS on a TCP port, and HTTP/3 on the UDP port of the same number. */
export interface ServerDemand {
  readonly tls: { key: string; cert: string } | undefined
  readonly http3: boolean
}

/** A server under test, on 127.0.0.1. */
export interface RunningServer {
  readonly port: number
  close(): Promise<void>
}

/** Which protocols to run; all of them unless given. */
export interface EachProtocolOptions {
  readonly protocols?: readonly TestProtocol[]
}

/** Every protocol, in the order the suites run. */
export const TEST_PROTOCOLS: readonly TestProtocol[] = ['h1', 'h1+tls', 'h2', 'h2c', 'h3']

/**
 * Runs one suite against every protocol: same server, same requests, same expectations.
 *
 * Each protocol gets a server and a client of its own, started before its tests and closed after them. Closing the
 * client fails if the server sent something after a complete response.
 *
 * @example
 * eachProtocol('greeting', start, (client) => {
 *   it('responses', async () => {
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
      if (client === undefined) throw new Error('The client is there inside of tests only')
      return client
    }, protocol)
  })
}
