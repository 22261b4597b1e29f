import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connectH3 } from '@fw/testing/h3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHttp3 } from '../serve-http3.ts'

/** Client with a link-local address, whose zone names the network interface. */
const CLIENT = { address: 'fe80::1%eth0', family: 'IPv6', port: 4433 }

describe('an HTTP/3 listener', () => {
  it('serves a client with a link-local address, and sends to its zone', async () => {
    const sockets: Socket[] = []
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket)
    subscribe('udp.socket', onSocket)
    await using _ = await serveHttp3((exchange) => exchange.respond(200, [], exchange.remoteAddress ?? ''))
    unsubscribe('udp.socket', onSocket)
    const [socket] = sockets
    if (socket === undefined) throw new Error('The server has no socket')

    // Few machines have such an address for tests, so use a socket with a fake address.
    const front = createSocket('udp4').bind(0, '127.0.0.1')
    onTestFinished(() => void front.close())
    await once(front, 'listening')
    let clientPort = 0
    const sentTo = new Set<string>()
    front.on('message', (packet, { port }) => {
      clientPort = port
      socket.emit('message', packet, { ...CLIENT, size: packet.length })
    })
    Object.assign(socket, {
      send: (packet: Uint8Array, port: number, host: string) => {
        sentTo.add(`${host} ${port}`)
        front.send(packet, clientPort, '127.0.0.1')
      },
    })

    const client = await connectH3({ port: front.address().port })
    expect(await (await client.request({ path: '/' })).text()).toBe(CLIENT.address)
    await client.close()
    expect(sentTo).toEqual(new Set(['fe80::1%eth0 4433']))
  })
})
