import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { settle } from './settle.ts'

it('what was sent has arrived, and its response too, though the process stood still for longer than was waited', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  await once(socket, 'connect')
  socket.write('hello')
  const settled = settle(10)
  for (const until = performance.now() + 50; performance.now() < until;);
  await settled
  expect(received).toBe('hello')
  socket.destroy()
  server.close()
})

it('as many milliseconds are waited as are asked for', async () => {
  const startMs = performance.now()
  await settle(50)
  // Timers of Node.js count whole milliseconds, and may be early by a part of one each.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(40)
})
