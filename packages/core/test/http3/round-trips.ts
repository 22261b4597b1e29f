import type { UdpProxy } from './udp-proxy.ts'

/** A round trip is over when nothing has come in so many milliseconds, in each of which something could have. */
const QUIET_TICKS = 20

/**
 * Lets a client's datagrams through only when the server has nothing more to say.
 *
 * @returns How often that was; stops with `clearInterval(timer)`
 */
export function inRoundTrips(proxy: UdpProxy): { readonly count: () => number; readonly timer: NodeJS.Timeout } {
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
