import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { settle } from '@fw/testing'
import { clientInitial } from '@fw/testing/h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveHttp3, type Http3Server } from '../serve-http3.ts'

let server: Http3Server

beforeAll(async () => void (server = await serveHttp3((exchange) => exchange.respond(200, [], 'hello'))))
afterAll(() => server[Symbol.asyncDispose]())

/** Returns the number of bytes received in response to datagrams within 1.5 s, which includes retransmissions. */
async function responded(...datagrams: readonly Uint8Array[]): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  let bytes = 0
  socket.on('message', (datagram) => (bytes += datagram.byteLength))
  for (const datagram of datagrams) socket.send(datagram, server.port, '127.0.0.1')
  await settle(1500)
  socket.close()
  return bytes
}

/** Returns an initial packet with an unknown QUIC version. */
function unknownVersion(): Buffer {
  const packet = Buffer.alloc(1200, 8)
  packet.writeUInt8(0xc0, 0)
  packet.writeUInt32BE(0x0a1a2a3a, 1)
  return packet
}

describe('an unvalidated address', () => {
  it.concurrent('receives at most three times the bytes that it sent, including retransmissions (RFC 9000 §8.1)', async () => {
    const first = clientInitial(server.port)
    const bytes = await responded(first)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(3 * first.byteLength)
  })

  it.concurrent('receives fewer bytes than it sent for an unknown version (§6.1)', async () => {
    const bytes = await responded(unknownVersion())
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(1200)
  })

  it.concurrent('receives fewer bytes than it sent for an unknown connection (§10.3.3)', async () => {
    const strays = Array.from({ length: 50 }, (_, i) => Buffer.alloc(40, 0x40 + (i % 0x40)))
    const bytes = await responded(...strays)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(50 * 40)
  })

  it.concurrent('receives no bytes for an invalid initial packet', async () => {
    expect(await responded(clientInitial(server.port).subarray(0, 1199), Buffer.alloc(1400, 0xff))).toBe(0)
  })
})
