import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { QuicheTimer } from './timer.ts'

it('comes after the packets that were received while the event loop stood still', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  onTestFinished(() => void socket.close())
  await once(socket, 'listening')
  const order: string[] = []
  socket.on('message', () => order.push('packet'))
  const timer = new QuicheTimer({ timeout: () => 20, onTimeout: () => void order.push('quiche') }, () => {
    order.push('service')
  })
  await setImmediate()
  // Timers come next, and the packet when they have.
  timer.arm()
  socket.send('x', socket.address().port, '127.0.0.1')
  for (const until = performance.now() + 50; performance.now() < until;);
  await expect.poll(() => order).toEqual(['packet', 'quiche', 'service'])
})

it('does not come once it is cleared, not even where its time has come and what was received is read first', async () => {
  let calls = 0
  const timer = new QuicheTimer({ timeout: () => 20, onTimeout: () => void calls++ }, () => calls++)
  await setImmediate()
  // Both are due in the next turn, one after the other.
  timer.arm()
  const cleared = setTimeout(30).then(() => timer.clear())
  for (const until = performance.now() + 50; performance.now() < until;);
  await cleared
  await setTimeout(50)
  expect(calls).toBe(0)
})
