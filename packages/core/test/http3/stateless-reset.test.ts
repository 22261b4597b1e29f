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
 * A client of one server, whose packets then reach another.
 *
 * @param timeoutMs How long it waits to be told, well below the time after which it gives up by itself
 * @returns Whether its connection ended before
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

describe('a client whose server has restarted (RFC 9000 §10.3)', () => {
  it('is told at once by the new process that its connection is gone', async () => {
    const credentials = await newTestCertificate()
    expect(await isReset(credentials, credentials, 15_000)).toBe(true)
  })

  it('is not told by a server with another key, who is nobody to say so', async () => {
    expect(await isReset(await newTestCertificate(), await newTestCertificate())).toBe(false)
  })

  it('is not told by a process that shares the port, as the connection may stand in another', async () => {
    const credentials = { ...(await newTestCertificate()), reusePort: true }
    expect(await isReset(credentials, credentials)).toBe(false)
  })
})
