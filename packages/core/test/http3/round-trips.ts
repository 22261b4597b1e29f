import type { UdpProxy } from './udp-proxy.ts'

/** Number of consecutive 1 ms ticks without a datagram after which a round trip ends. */
const QUIET_TICKS = 20

/**
 * Forwards a client's datagrams only when the server has sent all of its datagrams.
 *
 * @returns The number of round trips. Stop it with `clearInterval(timer)`
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
