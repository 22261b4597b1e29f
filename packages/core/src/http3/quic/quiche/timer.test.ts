import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { QuicheTimer } from './timer.ts'

describe('QuicheTimer', () => {
  it('fires after the packets that arrived while the event loop was blocked', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    onTestFinished(() => void socket.close())
    await once(socket, 'listening')
    const order: string[] = []
    socket.on('message', () => order.push('packet'))
    const timer = new QuicheTimer({ timeout: () => 20, onTimeout: () => void order.push('quiche') }, () => {
      order.push('service')
    })
    await setImmediate()
    // The next turn runs timers first, then reads the packet.
    timer.arm()
    socket.send('x', socket.address().port, '127.0.0.1')
    for (const until = performance.now() + 50; performance.now() < until;);
    await expect.poll(() => order).toEqual(['packet', 'quiche', 'service'])
  })

  it('does not fire after clear, even if it is already due', async () => {
    let calls = 0
    const timer = new QuicheTimer({ timeout: () => 20, onTimeout: () => void calls++ }, () => calls++)
    await setImmediate()
    // Both timers are due in the next turn, in this order.
    timer.arm()
    const cleared = setTimeout(30).then(() => timer.clear())
    for (const until = performance.now() + 50; performance.now() < until;);
    await cleared
    await setTimeout(50)
    expect(calls).toBe(0)
  })
})
