import { once } from 'node:events'
import { type Http2Server, type ServerHttp2Stream, createServer } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it } from 'vitest'
import { testCertificate } from './certificate.ts'
import type { ProtocolClient } from './client.ts'
import { connectH2 } from './h2-client.ts'
import { settle } from './settle.ts'

async function scripted(
  respond: (stream: ServerHttp2Stream) => void,
): Promise<AsyncDisposable & { client: ProtocolClient; server: Http2Server }> {
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    respond(stream)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = await connectH2({ port: (server.address() as AddressInfo).port })
  return {
    client,
    server,
    async [Symbol.asyncDispose]() {
      await client.close()
      server.close()
    },
  }
}

it.each([
  ['with NO_ERROR', (stream: ServerHttp2Stream) => stream.destroy()],
  ['with INTERNAL_ERROR', (stream: ServerHttp2Stream) => stream.destroy(new Error('broken'))],
])('rejects the body of a stream that was reset %s', async (_name, reset) => {
  await using server = await scripted((stream) => {
    stream.respond({ ':status': 200 })
    stream.write('half', () => reset(stream))
  })
  const response = await server.client.request({ path: '/' })
  await expect(response.text()).rejects.toThrow(Error)
  await expect(response.trailers).rejects.toThrow(Error)
})

it('throws if the body is shorter than its Content-Length', async () => {
  await using server = await scripted((stream) => {
    stream.respond({ ':status': 200, 'content-length': 10 })
    stream.end('four')
  })
  const response = await server.client.request({ path: '/' })
  await expect(response.text()).rejects.toThrow(Error)
})

it('throws if the stream ends without a response', async () => {
  await using server = await scripted((stream) => stream.destroy(new Error('broken')))
  await expect(server.client.request({ path: '/' })).rejects.toThrow(Error)
})

it('rejects a response with a malformed date', async () => {
  await using server = await scripted((stream) => {
    stream.respond({ ':status': 200, date: 'now' })
    stream.end()
  })
  await expect(server.client.request({ path: '/' })).rejects.toThrow('IMF-fixdate')
})

it('sends host as :authority', async () => {
  await using server = await scripted((stream) => stream.respond({ ':status': 204 }, { endStream: true }))
  const received = once(server.server, 'stream') as Promise<[unknown, Record<string, string>]>
  await server.client.request({ path: '/', headers: [['host', 'example.test']] })
  expect((await received)[1]).toMatchObject({ ':authority': 'example.test' })
  expect((await received)[1]).not.toHaveProperty('host')
})

it('resets the stream if the request body throws, instead of ending it', async () => {
  const arrived = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<number>()
  await using server = await scripted((stream) => {
    stream.on('data', () => arrived.resolve())
    stream.on('end', () => ended.resolve(-1))
    stream.on('aborted', () => ended.resolve(stream.rstCode))
  })
  const body = (async function* () {
    yield Buffer.from('first')
    await arrived.promise
    throw new Error('no more')
  })()
  await expect(server.client.request({ path: '/', body })).rejects.toThrow('no more')
  expect(await ended.promise).toBeGreaterThan(0)
})

it('opens a new connection after the server has closed the first one', async () => {
  let furtherSessions = 0
  await using server = await scripted((stream) => stream.respond({ ':status': 204 }, { endStream: true }))
  server.server.on('session', () => furtherSessions++)
  await server.client.request({ path: '/' })
  server.server.once('stream', (stream: ServerHttp2Stream) => stream.session?.close())
  await server.client.request({ path: '/' })
  await server.client.request({ path: '/' })
  expect(furtherSessions).toBe(1)
})

it('rejects if ALPN selects a protocol other than HTTP/2', async () => {
  const server = createTlsServer({ ...(await testCertificate()), ALPNProtocols: ['http/1.1'] })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await expect(connectH2({ port: (server.address() as AddressInfo).port, tls: true })).rejects.toThrow(Error)
  server.close()
})

it('rejects if the server does not support HTTP/2', async () => {
  const server = createTcpServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await expect(connectH2({ port: (server.address() as AddressInfo).port })).rejects.toThrow(Error)
  server.close()
})

it('reads a response without DATA frames', async () => {
  await using server = await scripted((stream) => stream.respond({ ':status': 200 }, { endStream: true }))
  for (const method of ['GET', 'HEAD']) {
    const response = await server.client.request({ method, path: '/' })
    await settle(20)
    expect(await response.text()).toBe('')
  }
})

it('reads a body after its stream has closed', async () => {
  await using server = await scripted((stream) => {
    stream.respond({ ':status': 200 })
    stream.end('kept')
  })
  const response = await server.client.request({ path: '/' })
  await settle(20)
  expect(await response.text()).toBe('kept')
})
