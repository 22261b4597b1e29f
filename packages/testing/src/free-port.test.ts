import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freePort } from './free-port.ts'

afterEach(() => void vi.restoreAllMocks())

describe('freePort', () => {
  it('returns a port that is free for TCP and UDP', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    await once(socket, 'listening')
    expect([(server.address() as AddressInfo).port, socket.address().port]).toEqual([port, port])
    server.close()
    socket.close()
  })

  it('skips ports that a TCP or UDP socket uses', async () => {
    const [first, second, third] = [await freePort(), await freePort(), await freePort()]
    const server = createServer().listen(first, '127.0.0.1')
    await once(server, 'listening')
    const socket = createSocket('udp4').bind(second, '127.0.0.1')
    await once(socket, 'listening')
    const random = vi.spyOn(Math, 'random')
    for (const port of [first, second, third]) random.mockReturnValueOnce((port + 0.5 - 20_000) / 12_000)
    expect(await freePort()).toBe(third)
    server.close()
    socket.close()
  })
})
