import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ProtocolClient } from './client.ts'
import { connectH1 } from './h1-client.ts'
import { MalformedResponse } from './response-error.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n'

/** A server that answers the requests of each connection, whatever they are, with these bytes one after another. */
async function scripted(
  ...responses: string[]
): Promise<AsyncDisposable & { client: ProtocolClient; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const left = [...responses]
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', () => socket.write(left.shift() ?? '', 'latin1'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = await connectH1({ port: (server.address() as AddressInfo).port })
  return {
    client,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await client.close()
    },
  }
}

it('keeps a connection for the next request', async () => {
  await using server = await scripted(`${HEAD}Content-Length: 1\r\n\r\na`, `${HEAD}Content-Length: 1\r\n\r\nb`)
  expect(await (await server.client.request({ path: '/' })).text()).toBe('a')
  expect(await (await server.client.request({ path: '/' })).text()).toBe('b')
  expect(server.sockets).toHaveLength(1)
})

it.each([
  ['says "connection: close"', `${HEAD}Connection: close\r\nContent-Length: 1\r\n\r\na`],
  ['says it in a list', `${HEAD}Connection: x, Close\r\nContent-Length: 1\r\n\r\na`],
])('opens another connection after a response that %s', async (_name, received) => {
  await using server = await scripted(received)
  await (await server.client.request({ path: '/' })).text()
  await (await server.client.request({ path: '/' })).text()
  expect(server.sockets).toHaveLength(2)
})

it('closes an idle connection that the server closes, and opens another', async () => {
  await using server = await scripted(`${HEAD}Content-Length: 0\r\n\r\n`)
  await server.client.request({ path: '/' })
  const [first] = server.sockets
  first?.end()
  await once(first!, 'close')
  await server.client.request({ path: '/' })
  expect(server.sockets).toHaveLength(2)
})

it.each([
  ['content after the response to HEAD', 'HEAD', `${HEAD}Content-Length: 3\r\n\r\nabc`],
  ['bytes after the end of the body', 'GET', `${HEAD}Content-Length: 1\r\n\r\nabc`],
  ['an upgrade that was not asked for', 'GET', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a length on a 1xx', 'GET', `HTTP/1.1 103 x\r\nContent-Length: 0\r\n\r\n${HEAD}Content-Length: 0\r\n\r\n`],
])('refuses %s', async (_name, method, received) => {
  await using server = await scripted(received)
  await expect(server.client.request({ method, path: '/' }).then((response) => response.text())).rejects.toThrow(
    MalformedResponse,
  )
})

it('refuses a response that nobody asked for, at the next occasion', async () => {
  await using server = await scripted(`${HEAD}Content-Length: 0\r\n\r\n`)
  await server.client.request({ path: '/' })
  server.sockets[0]?.write(`${HEAD}Content-Length: 0\r\n\r\n`)
  await once(server.sockets[0]!, 'close')
  await expect(server.client.close()).rejects.toThrow('nobody asked for')
})

it('throws where the connection ends without a response', async () => {
  await using server = await scripted()
  const received = server.client.request({ path: '/' })
  while (server.sockets.length === 0) await setTimeout(1)
  server.sockets[0]?.end()
  await expect(received).rejects.toThrow('without a response')
})

it('throws what a body throws', async () => {
  await using server = await scripted()
  const body = (async function* () {
    yield Buffer.from('first')
    throw new Error('no more')
  })()
  await expect(server.client.request({ path: '/', body })).rejects.toThrow('no more')
})

it('fails at once where nobody listens', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await expect(connectH1({ port })).rejects.toThrow('ECONNREFUSED')
})
