import { connectH3 } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { serveHttp3 } from '../serve-http3.ts'
import { inRoundTrips } from './round-trips.ts'
import { UdpProxy } from './udp-proxy.ts'

const MIB = 2 ** 20

describe('the congestion window', () => {
  it('grows with every round trip (RFC 9002 §7.3.1)', async () => {
    await using server = await serveHttp3((exchange) => exchange.respond(200, [], Buffer.alloc(MIB)))
    await using proxy = await UdpProxy.open(server.port)
    const roundTrips = inRoundTrips(proxy)
    try {
      const client = await connectH3({ port: proxy.port, streamWindow: 2 * MIB })
      const response = await client.request({ path: '/' })
      expect(await response.bytes()).toHaveLength(MIB)
      // The response takes 78 round trips with a window that never grows, and 43 with one that grows occasionally.
      expect(roundTrips.count()).toBeLessThan(25)
      await client.close()
    } finally {
      clearInterval(roundTrips.timer)
    }
  })
})
