import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { settle } from './settle.ts'

describe('settle', () => {
  it('waits for a round trip even if the process stalls longer than the given time', async () => {
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

  it('waits for the given time', async () => {
    const startMs = performance.now()
    await settle(50)
    // Node.js timers have a resolution of one millisecond, so each timer can fire a fraction of a millisecond early.
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(40)
  })
})
