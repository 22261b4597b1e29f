import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { closed } from './closed.ts'

describe('closed', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['ends', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('resolves before and after the server %s the connection', async (_how, close) => {
    const server = createServer(close).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {}).resume()
    await closed(socket)
    expect(socket.closed).toBe(true)
    await closed(socket)
    server.close()
  })
})
