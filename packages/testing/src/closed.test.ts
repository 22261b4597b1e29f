import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { closed } from './closed.ts'

it.each<[string, (socket: Socket) => void]>([
  ['in order', (socket) => socket.end()],
  ['by a reset', (socket) => socket.resetAndDestroy()],
])('a socket that is closed %s by the server is closed, now and later', async (_how, close) => {
  const server = createServer(close).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  await closed(socket)
  expect(socket.closed).toBe(true)
  await closed(socket)
  server.close()
})
