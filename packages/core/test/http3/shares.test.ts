import { connectH3, type H3Client } from '@fw/testing/h3'
import type { Exchange } from '@fw/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHttp3 } from '../serve-http3.ts'
import { inRoundTrips } from './round-trips.ts'
import { UdpProxy } from './udp-proxy.ts'

const LARGE_BYTES = 16 * 2 ** 20
const SMALL_BYTES = 50_000

const LARGE_RESPONSES: readonly (readonly [how: string, answer: (exchange: Exchange) => void])[] = [
  ['in one call', (exchange) => exchange.respond(200, [], Buffer.alloc(LARGE_BYTES))],
  [
    'in parts',
    (exchange) =>
      void (async () => {
        exchange.start(200, [])
        for (let bytes = 0; bytes < LARGE_BYTES; bytes += 2 ** 16) {
          if (!exchange.write(Buffer.alloc(2 ** 16))) await exchange.drained()
        }
        exchange.end()
      })(),
  ],
]

/** Connects a client with large windows over a long path, so that only the path limits its responses. */
async function connect(respondLarge: (exchange: Exchange) => void): Promise<H3Client> {
  const server = await serveHttp3((exchange) => {
    if (exchange.target === '/large') respondLarge(exchange)
    else exchange.respond(200, [], Buffer.alloc(SMALL_BYTES))
  })
  const proxy = await UdpProxy.open(server.port)
  const { timer } = inRoundTrips(proxy)
  const client = await connectH3({ port: proxy.port, streamWindow: 2 * LARGE_BYTES })
  onTestFinished(async () => {
    clearInterval(timer)
    await client.close()
    await server[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })
  return client
}

describe('a saturated path', () => {
  it.each(LARGE_RESPONSES)('is shared by all responses, even with a large one sent %s', async (_how, respondLarge) => {
    const client = await connect(respondLarge)
    const large = await client.request({ path: '/large' })
    let largeBytes = 0
    const reading = (async () => {
      for await (const slice of large.body) largeBytes += slice.length
    })().catch(() => {})
    const responses = await Promise.all([1, 2, 3].map(() => client.request({ path: '/small' })))
    const small = await Promise.all(responses.map((response) => response.bytes()))
    expect(small.map((bytes) => bytes.length)).toEqual([SMALL_BYTES, SMALL_BYTES, SMALL_BYTES])
    expect(largeBytes).toBeGreaterThan(0)
    expect(largeBytes).toBeLessThan(LARGE_BYTES / 4)
    client.connection.vanish()
    await reading
  })
})
