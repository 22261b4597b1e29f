import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { settle, testCertificate } from '@fw/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Server, type ServerOptions } from '../index.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

async function serve(options: ServerOptions = {}): Promise<{ server: Server; socket: Socket }> {
  const { key, cert } = await testCertificate()
  const server = new Server({ tls: { key, cert }, ...options })
  server.router().get('/', () => 'hello')
  onTestFinished(() => server.close({ drainMs: 0 }))
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1').resume()
  await once(socket, 'connect')
  await settle(50)
  return { server, socket }
}

describe('a TLS handshake in progress while the server closes', () => {
  it('completes and serves one request', async () => {
    const { server, socket } = await serve({ limits: { drainIdleMs: 60_000 } })
    const closed = server.close()
    const secure = connectTls({ socket, rejectUnauthorized: false }).setEncoding('latin1')
    secure.write(REQUEST)
    const text = (await secure.toArray()).join('')
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close[^]*hello$/)
    await closed
  })

  it.each([0, 1])('is aborted after drainIdleMs: %i, long before its own timeout', async (drainIdleMs) => {
    const { server, socket } = await serve({ limits: { drainIdleMs, tlsHandshakeTimeoutMs: 0 } })
    await server.close({ drainMs: 600_000 })
    await expect.poll(() => socket.destroyed).toBe(true)
  })
})

it('serves HTTP/2 on a connection that was accepted before the server began to close', async () => {
  const server = new Server()
  server.router().get('/', () => 'hello')
  const { url, port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  await settle(50)
  const closed = server.close()
  const session = connectHttp2(url, { createConnection: () => socket })
  await expect(once(session, 'goaway')).resolves.toBeDefined()
  await closed
})
