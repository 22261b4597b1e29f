import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '@fw/types'
import { settle } from '@fw/testing'
import { connectH3 } from '@fw/testing/h3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { echo, serveHttp3 } from '../serve-http3.ts'
import { UdpProxy } from './udp-proxy.ts'

const PAGE = Buffer.alloc(100_000, 'x')

async function start(handle: (exchange: Exchange) => void) {
  const server = await serveHttp3(handle)
  const proxy = await UdpProxy.open(server.port)
  const client = await connectH3({ port: proxy.port })
  onTestFinished(async () => {
    await client.close()
    await proxy[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return { server, proxy, client }
}

describe('a client whose port changes (RFC 9000 §9)', () => {
  it('keeps its connection through many changes', async () => {
    const ports: (number | undefined)[] = []
    const { proxy, client } = await start((exchange) => {
      ports.push(exchange.remotePort)
      exchange.respond(200, [], PAGE)
    })
    const { connection } = client
    const expected: number[] = []
    for (let i = 0; i < 12; i++) {
      // The first request from a new port arrives before the port is validated.
      expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(PAGE.length)
      expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(PAGE.length)
      expected.push(proxy.sourcePort)
      await proxy.rebind()
    }
    expect(client.connection).toBe(connection)
    expect(ports.filter((_port, i) => i % 2 === 1)).toEqual(expected)
  })

  it('loses no bytes in a running upload and download', async () => {
    const { proxy, client } = await start(echo)
    const response = client.request({ path: '/', body: slowly(), headers: [] })
    // The transfer is now in progress and far from its end.
    await settle(250)
    await proxy.rebind()
    expect(await (await response).bytes()).toHaveLength(50 * 10_000)
  })

  it('receives at most three times the bytes that it has sent until its new port is validated', async () => {
    const { proxy, client } = await start((exchange) => exchange.respond(200, [], PAGE))
    await (await client.request({ path: '/' })).bytes()
    await proxy.rebind()
    const bytes = { 'to-server': 0, 'to-client': 0 }
    proxy.onDatagram = (direction, datagram) => {
      bytes[direction] += datagram.byteLength
      // The client does not receive packets at the new port.
      return direction === 'to-server'
    }
    const request = client.request({ path: '/' }).catch(() => undefined)
    await expect.poll(() => bytes['to-client']).toBeGreaterThan(0)
    await settle(700)
    expect(bytes['to-client']).toBeLessThanOrEqual(3 * bytes['to-server'])
    client.connection.vanish()
    await request
  })
})

describe("an attacker that copies a client's packets", () => {
  it("receives nothing if the client's packets arrive first", async () => {
    const { proxy, client, server } = await start((exchange) => exchange.respond(200, [], PAGE))
    const attacker = await listen()
    proxy.onDatagram = (direction, datagram) => {
      if (direction === 'to-server') setTimeout(() => attacker.send(datagram, server.port), 5)
      return true
    }
    for (let i = 0; i < 3; i++) {
      expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(PAGE.length)
    }
    await settle(50)
    expect(attacker.received).toBe(0)
  })

  it('receives at most three times its bytes if its packets arrive first, and the client still receives its response', async () => {
    const { proxy, client, server } = await start((exchange) => exchange.respond(200, [], PAGE))
    await (await client.request({ path: '/' })).bytes()
    const attacker = await listen()
    let sent = 0
    let count = 0
    proxy.onDatagram = (direction, datagram) => {
      if (direction === 'to-client' || count++ % 6 !== 0) return true
      sent += datagram.byteLength
      attacker.send(datagram, server.port)
      return false
    }
    expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(PAGE.length)
    expect(attacker.received).toBeLessThanOrEqual(3 * sent)
  })
})

interface Attacker {
  readonly received: number
  send(datagram: Uint8Array, port: number): void
}

async function listen(): Promise<Attacker> {
  const socket = createSocket('udp4')
  let received = 0
  socket.on('message', (datagram) => (received += datagram.byteLength))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  let isClosed = false
  onTestFinished(() => {
    isClosed = true
    socket.close()
  })
  return {
    get received() {
      return received
    },
    send(datagram, port) {
      if (!isClosed) socket.send(datagram, port, '127.0.0.1')
    },
  }
}

async function* slowly(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 50; i++) {
    yield Buffer.alloc(10_000, i)
    await sleep(10)
  }
}
