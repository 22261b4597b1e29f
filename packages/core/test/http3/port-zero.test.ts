import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connectH3 } from '@fw/testing/h3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHttp3, type Http3Server } from '../serve-http3.ts'

/**
 * Starts a server, and returns a function that injects a packet from port 0. Sending from port 0 requires privileges.
 */
async function serve(): Promise<{ server: Http3Server; receive: (packet: Buffer) => void }> {
  const sockets: Socket[] = []
  const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket)
  subscribe('udp.socket', onSocket)
  const server = await serveHttp3((exchange) => exchange.respond(200, [], 'hello'))
  unsubscribe('udp.socket', onSocket)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const [socket] = sockets
  if (socket === undefined) throw new Error('The server has no socket')
  const receive = (packet: Buffer): void => {
    socket.emit('message', packet, { address: '127.0.0.1', family: 'IPv4', port: 0, size: packet.length })
  }
  return { server, receive }
}

/** Returns a client's first packet. */
async function initialPacket(): Promise<Buffer> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  onTestFinished(() => void socket.close())
  await once(socket, 'listening')
  const received = once(socket, 'message')
  // The client times out, because no server responds.
  connectH3({ port: socket.address().port }).catch(() => {})
  const [packet] = (await received) as [Buffer]
  return packet
}

const PACKETS: readonly (readonly [what: string, make: () => Promise<Buffer>])[] = [
  ['has an unknown connection ID', () => Promise.resolve(Buffer.alloc(60, 0x40))],
  ['begins a connection', initialPacket],
  [
    'has an unknown QUIC version',
    async () => {
      const packet = await initialPacket()
      packet.writeUInt32BE(0x1a2a3a4a, 1)
      return packet
    },
  ],
]

describe('a packet from port 0', () => {
  it.each(PACKETS)('is ignored if it %s', async (_what, make) => {
    const { server, receive } = await serve()
    const packet = await make()
    expect(() => receive(packet)).not.toThrow()
    const client = await server.connect()
    expect(await (await client.request({ path: '/' })).text()).toBe('hello')
  })
})
