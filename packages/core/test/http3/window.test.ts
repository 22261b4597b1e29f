import { connectH3 } from '@fw/testing/h3'
import { expect, it } from 'vitest'
import { serveHttp3 } from '../serve-http3.ts'
import { UdpProxy } from './udp-proxy.ts'

/** A round trip is over when nothing has come in so many milliseconds, in each of which something could have. */
const QUIET_TICKS = 20
const MIB = 2 ** 20

/**
 * Lets a client's datagrams through only when the server has nothing more to say.
 *
 * @returns How often that was; stops with `clearInterval(timer)`
 */
function inRoundTrips(proxy: UdpProxy): { readonly count: () => number; readonly timer: NodeJS.Timeout } {
  let held: Buffer[] = []
  let quietTicks = 0
  let rounds = 0
  proxy.onDatagram = (direction, datagram) => {
    quietTicks = 0
    if (direction === 'to-server') held.push(datagram)
    return direction === 'to-client'
  }
  const timer = setInterval(() => {
    if (++quietTicks < QUIET_TICKS || held.length === 0) return
    rounds++
    const datagrams = held
    held = []
    for (const datagram of datagrams) proxy.forward(datagram)
  }, 1)
  return { count: () => rounds, timer }
}

it('what a connection may send grows with every round trip (RFC 9002 §7.3.1)', async () => {
  await using server = await serveHttp3((exchange) => exchange.respond(200, [], Buffer.alloc(MIB)))
  await using proxy = await UdpProxy.open(server.port)
  const roundTrips = inRoundTrips(proxy)
  try {
    const client = await connectH3({ port: proxy.port, streamWindow: 2 * MIB })
    const response = await client.request({ path: '/' })
    expect(await response.bytes()).toHaveLength(MIB)
    // With a window that never grows it would be 78, and 43 where it grows by chance.
    expect(roundTrips.count()).toBeLessThan(25)
    await client.close()
  } finally {
    clearInterval(roundTrips.timer)
  }
})
