import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { eachProtocol, tempFolder, testCertificate } from '@fw/testing'
import { MemorySink, setSinks } from '@fw/log'
import { Server, type TrustProxy } from '@fw/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accessLog } from '../src/index.ts'

it.each<[string, TrustProxy | undefined, TrustProxy | undefined, string]>([
  ['the address that the client claims, without a trustProxy', undefined, undefined, '203.0.113.9'],
  ["the address that the server's trustProxy yields", ['127.0.0.0/8'], undefined, '198.51.100.4'],
  ['the peer address if the server trusts no proxy', false, undefined, '127.0.0.1'],
  ['the address in the field that the server trusts', { proxies: 1, header: 'x-real-ip' }, undefined, '192.0.2.7'],
  ["the address in the field that the log's own option trusts", 1, { proxies: 1, header: 'x-real-ip' }, '192.0.2.7'],
  ['no address if the field that the server trusts is absent', { proxies: 1, header: 'forwarded' }, undefined, '-'],
  ["the address that the log's own option yields, not the server's", false, 2, '203.0.113.9'],
])('logs %s', async (_what, ofServer, own, expected) => {
  const sink = new MemorySink()
  setSinks([sink])
  await using server = new Server(ofServer === undefined ? {} : { trustProxy: ofServer })
  server
    .router()
    .use(accessLog(own === undefined ? {} : { trustProxy: own }))
    .get('/', () => 'hello')
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.4', 'x-real-ip': '192.0.2.7' }
  await (await fetch(url, { headers })).text()
  await expect.poll(() => sink.contains(`- ${expected} (`)).toBe(true)
})

eachProtocol(
  'an entry from a server with trustProxy: false',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls && { tls: { key: tls.key, cert: tls.cert } }), http3, trustProxy: false })
    server
      .router()
      .use(accessLog())
      .get('/', () => 'hello')
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port, close: () => server.close() }
  },
  (client) => {
    it.each(['/', '/nowhere'])(
      "logs the peer's address for the path %s, regardless of the address that the request claims",
      async (path) => {
        const sink = new MemorySink()
        setSinks([sink])
        const headers = ['x-forwarded-for', 'x-real-ip'].map((name) => [name, '203.0.113.9'] as const)
        await (await client().request({ path, headers: [...headers, ['forwarded', 'for=203.0.113.9']] })).text()
        await expect.poll(() => sink.contains('- 127.0.0.1 (')).toBe(true)
        expect(sink.contains('203.0.113.9')).toBe(false)
      },
    )
  },
)

it.each<[TrustProxy, TrustProxy | undefined]>([
  [['10.0.0.0/8'], undefined],
  [false, ['10.0.0.0/8']],
  [false, { proxies: 1, header: 'x-forwarded-for' }],
])('logs the address that a proxy reports over a Unix socket (server: %j, log: %j)', async (ofServer, own) => {
  const sink = new MemorySink()
  setSinks([sink])
  await using folder = await tempFolder()
  await using server = new Server({ trustProxy: ofServer })
  server
    .router()
    .use(accessLog(own === undefined ? {} : { trustProxy: own }))
    .get('/', () => 'hello')
  const { path = '' } = await server.listen({ path: folder.join('x.sock') })
  const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.4' }
  const asked = request({ socketPath: path, headers, agent: false }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  await expect.poll(() => sink.contains('- 198.51.100.4 (')).toBe(true)
})

describe('an entry from a listener with proxyProtocol, without any trustProxy', () => {
  const claim = ['GET / HTTP/1.1', 'Host: x', 'Connection: close', 'X-Forwarded-For: 192.0.2.66', '', ''].join('\r\n')

  /** Sends the bytes before a request, which has its own TLS connection if the server has a certificate. */
  async function send(start: string, isEncrypted = false): Promise<MemorySink> {
    const sink = new MemorySink()
    setSinks([sink])
    const { key, cert } = await testCertificate()
    const server = new Server(isEncrypted ? { tls: { key, cert } } : {})
    onTestFinished(() => server.close())
    server
      .router()
      .use(accessLog())
      .get('/', () => 'hello')
    const proxyProtocol = { from: ['127.0.0.1'] }
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1', proxyProtocol })
    const socket: Socket = connect(port, '127.0.0.1')
    socket.write(start)
    const stream = isEncrypted ? connectTls({ socket, rejectUnauthorized: false }) : socket
    stream.write(claim)
    await stream.toArray()
    await expect.poll(() => sink.contains('GET /')).toBe(true)
    return sink
  }

  it.each([false, true])("logs the header's address, not the claimed one, with TLS %j", async (isEncrypted) => {
    const sink = await send('PROXY TCP4 203.0.113.9 198.51.100.1 56324 443\r\n', isEncrypted)
    expect(sink.contains('- 203.0.113.9 (')).toBe(true)
    expect(sink.contains('192.0.2.66')).toBe(false)
  })

  it('logs the claimed address if the header has none', async () => {
    expect((await send('PROXY UNKNOWN\r\n')).contains('- 192.0.2.66 (')).toBe(true)
  })
})
