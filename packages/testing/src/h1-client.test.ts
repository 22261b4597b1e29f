import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ProtocolClient } from './client.ts'
import { connectH1 } from './h1-client.ts'
import { MalformedResponse } from './response-error.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n'

/** Starts a server that writes the next of these responses for each received chunk, regardless of its content. */
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

it('reuses a connection for the next request', async () => {
  await using server = await scripted(`${HEAD}Content-Length: 1\r\n\r\na`, `${HEAD}Content-Length: 1\r\n\r\nb`)
  expect(await (await server.client.request({ path: '/' })).text()).toBe('a')
  expect(await (await server.client.request({ path: '/' })).text()).toBe('b')
  expect(server.sockets).toHaveLength(1)
})

it.each([
  ['has "connection: close"', `${HEAD}Connection: close\r\nContent-Length: 1\r\n\r\na`],
  ['has "close" in a list of connection options', `${HEAD}Connection: x, Close\r\nContent-Length: 1\r\n\r\na`],
])('opens a new connection after a response that %s', async (_name, received) => {
  await using server = await scripted(received)
  await (await server.client.request({ path: '/' })).text()
  await (await server.client.request({ path: '/' })).text()
  expect(server.sockets).toHaveLength(2)
})

it('opens a new connection after the server has closed the idle connection', async () => {
  await using server = await scripted(`${HEAD}Content-Length: 0\r\n\r\n`)
  await server.client.request({ path: '/' })
  const [first] = server.sockets
  first?.end()
  await once(first!, 'close')
  await server.client.request({ path: '/' })
  expect(server.sockets).toHaveLength(2)
})

it.each([
  ['content in the response to HEAD', 'HEAD', `${HEAD}Content-Length: 3\r\n\r\nabc`],
  ['bytes after the end of the body', 'GET', `${HEAD}Content-Length: 1\r\n\r\nabc`],
  ['a 101 without an upgrade request', 'GET', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['Content-Length in a 1xx', 'GET', `HTTP/1.1 103 x\r\nContent-Length: 0\r\n\r\n${HEAD}Content-Length: 0\r\n\r\n`],
])('rejects %s', async (_name, method, received) => {
  await using server = await scripted(received)
  await expect(server.client.request({ method, path: '/' }).then((response) => response.text())).rejects.toThrow(
    MalformedResponse,
  )
})

it('rejects on close if the server sent a response without a request', async () => {
  await using server = await scripted(`${HEAD}Content-Length: 0\r\n\r\n`)
  await server.client.request({ path: '/' })
  server.sockets[0]?.write(`${HEAD}Content-Length: 0\r\n\r\n`)
  await once(server.sockets[0]!, 'close')
  await expect(server.client.close()).rejects.toThrow('without a request')
})

it('throws if the connection closes without a response', async () => {
  await using server = await scripted()
  const received = server.client.request({ path: '/' })
  while (server.sockets.length === 0) await setTimeout(1)
  server.sockets[0]?.end()
  await expect(received).rejects.toThrow('without a response')
})

it('throws the error from a request body', async () => {
  await using server = await scripted()
  const body = (async function* () {
    yield Buffer.from('first')
    throw new Error('no more')
  })()
  await expect(server.client.request({ path: '/', body })).rejects.toThrow('no more')
})

it('rejects on connect if no server is listening', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await expect(connectH1({ port })).rejects.toThrow('ECONNREFUSED')
})
