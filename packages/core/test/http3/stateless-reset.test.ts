import { newTestCertificate, settle } from '@fw/testing'
import { connectH3 } from '@fw/testing/h3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenHttp3, type Http3Listener } from '../../src/http3/engine.ts'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'
import { UdpProxy } from './udp-proxy.ts'

interface Start {
  readonly key: string
  readonly cert: string
  readonly reusePort?: boolean
}

async function start(options: Start): Promise<Http3Listener> {
  const listener = await listenHttp3({
    host: '127.0.0.1',
    port: 0,
    engineHost: {
      limits: DEFAULT_LIMITS,
      altSvc: '',
      onRefused: () => {},
      onRequest: (exchange) => exchange.respond(200, [], 'hello'),
    },
    ...options,
  })
  onTestFinished(() => listener.destroy())
  return listener
}

/**
 * Connects a client to one server, and then redirects its packets to another.
 *
 * @param timeoutMs Milliseconds to wait for the reset, well below the client's idle timeout
 * @returns Whether the connection ended in that time
 */
async function isReset(before: Start, after: Start, timeoutMs = 400): Promise<boolean> {
  const [first, second] = [await start(before), await start(after)]
  await using proxy = await UdpProxy.open(first.address.port)
  const client = await connectH3({ port: proxy.port })
  await (await client.request({ path: '/' })).bytes()
  proxy.serverPort = second.address.port
  const request = client.request({ path: '/' }).catch(() => undefined)
  const wasReset = await Promise.race([client.connection.closed.then(() => true), settle(timeoutMs).then(() => false)])
  client.connection.vanish()
  await request
  return wasReset
}

describe('a stateless reset (RFC 9000 §10.3)', () => {
  it("closes a client's connection immediately after a server restart", async () => {
    const credentials = await newTestCertificate()
    expect(await isReset(credentials, credentials, 15_000)).toBe(true)
  })

  it('is ignored by the client if the server has a different key', async () => {
    expect(await isReset(await newTestCertificate(), await newTestCertificate())).toBe(false)
  })

  it('is not sent by a process that shares its port, because another process can own the connection', async () => {
    const credentials = { ...(await newTestCertificate()), reusePort: true }
    expect(await isReset(credentials, credentials)).toBe(false)
  })
})
