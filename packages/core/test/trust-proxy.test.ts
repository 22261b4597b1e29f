import { tempFolder, testCertificate } from '@fw/testing'
import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import * as http2 from 'node:http2'
import * as net from 'node:net'
import { describe, expect, it } from 'vitest'
import { Server, toFetchHandler, toNodeHandler, type ServerOptions, type TrustProxy } from '../src/index.ts'

function make(trustProxy: TrustProxy | undefined, options: ServerOptions = {}): Server {
  const server = new Server(trustProxy === undefined ? options : { ...options, trustProxy })
  server
    .router()
    // JSON omits a remote address that is `undefined`.
    .get('/', (ctx) => ({ remote: ctx.remoteAddress, client: ctx.clientAddress ?? null, trusts: ctx.trustsProxy }))
  return server
}

const FORWARDED = '203.0.113.9, 198.51.100.4'

it.each<[TrustProxy | undefined, string, boolean | undefined]>([
  [undefined, '127.0.0.1', undefined],
  [false, '127.0.0.1', false],
  [['127.0.0.0/8'], '198.51.100.4', true],
  [['127.0.0.0/8', '198.51.100.0/24'], '203.0.113.9', true],
  [['10.0.0.0/8'], '127.0.0.1', true],
  [1, '198.51.100.4', true],
  [2, '203.0.113.9', true],
])('identifies the client with trustProxy %j as %s', async (trustProxy, client, trusts) => {
  await using server = make(trustProxy)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(url, { headers: { 'x-forwarded-for': FORWARDED } })
  expect(await response.json()).toEqual({ remote: '127.0.0.1', client, trusts })
})

it('ignores forwarding fields from a client that is not behind a trusted proxy', async () => {
  await using server = make(['10.0.0.0/8'])
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded']) {
    const value = name === 'forwarded' ? 'for=1.1.1.1' : '1.1.1.1'
    expect(await (await fetch(url, { headers: { [name]: value } })).json()).toMatchObject({ client: '127.0.0.1' })
  }
})

it.each<[TrustProxy, string, string | null]>([
  [{ proxies: ['127.0.0.0/8'], header: 'forwarded' }, 'the last forwarded field', '203.0.113.9'],
  [{ proxies: 1, header: 'forwarded' }, 'the last forwarded field', '203.0.113.9'],
  [{ proxies: ['127.0.0.0/8'], header: 'x-real-ip' }, 'no field, because the proxy set no x-real-ip', null],
  [{ proxies: ['10.0.0.0/8'], header: 'forwarded' }, 'no field, because the peer is not a trusted proxy', '127.0.0.1'],
])('reads the client with trustProxy %j from %s', async (trustProxy, _, client) => {
  await using server = make(trustProxy)
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
  // The client sends the first two forwarding fields. The proxy adds the last.
  const headers = ['Host', 'x', 'X-Forwarded-For', '6.6.6.6', 'Forwarded', 'for="', 'Forwarded', 'for=203.0.113.9']
  const sent = http.request({ port, host: '127.0.0.1', headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  expect(JSON.parse((await response.setEncoding('utf8').toArray()).join(''))).toMatchObject({ client })
})

it('reports an IPv4 client of a dual-stack socket with its IPv4 address', async () => {
  await using server = make(undefined)
  const { port } = await server.listen({ port: 0, host: '::' })
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).json()).toMatchObject({ client: '127.0.0.1' })
})

describe('a proxy that connects over a Unix socket', () => {
  it.each<[TrustProxy | undefined, string | null]>([
    [1, '198.51.100.4'],
    [2, '203.0.113.9'],
    [['10.0.0.0/8'], '198.51.100.4'],
    [{ proxies: ['198.51.100.0/24'], header: 'x-forwarded-for' }, '203.0.113.9'],
    [{ proxies: ['10.0.0.0/8'], header: 'x-real-ip' }, null],
    [[], null],
    [0, null],
    [false, null],
    [undefined, null],
  ])('identifies the client with trustProxy %j as %s', async (trustProxy, client) => {
    await using folder = await tempFolder()
    await using server = make(trustProxy)
    const { path = '' } = await server.listen({ path: folder.join('x.sock') })
    const trusts = trustProxy === undefined ? undefined : trustProxy !== false
    expect(await getFrom({ socketPath: path })).toEqual({ client, trusts })
    // HTTP/2 with prior knowledge.
    const session = http2.connect('http://localhost', { createConnection: () => net.connect(path) })
    const stream = session.request({ ':path': '/', 'x-forwarded-for': FORWARDED }).setEncoding('utf8')
    expect(JSON.parse((await stream.toArray()).join(''))).toEqual({ client, trusts })
    session.close()

    const other = http.createServer(toNodeHandler(make(trustProxy).router())).listen(folder.join('y.sock'))
    await once(other, 'listening')
    expect(await getFrom({ socketPath: folder.join('y.sock') })).toEqual({ client, trusts })
    other.close()
  })

  it('is trusted over TLS', async () => {
    await using folder = await tempFolder()
    const { key, cert } = await testCertificate()
    await using server = make(['10.0.0.0/8'], { tls: { key, cert } })
    const { path = '' } = await server.listen({ path: folder.join('x.sock') })
    const headers = { 'x-forwarded-for': FORWARDED }
    const sent = https.get({ socketPath: path, rejectUnauthorized: false, headers, agent: false })
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    const body = (await response.setEncoding('utf8').toArray()).join('')
    expect(JSON.parse(body)).toMatchObject({ client: '198.51.100.4' })
  })

  it('is not mistaken for a peer whose address another runtime does not report', async () => {
    const handler = toFetchHandler(make(['10.0.0.0/8']).router())
    const response = await handler(new Request('http://a/', { headers: { 'x-forwarded-for': FORWARDED } }))
    expect(await response.json()).toEqual({ client: null, trusts: true })
  })
})

async function getFrom(where: http.RequestOptions): Promise<unknown> {
  const sent = http.request({ ...where, headers: { 'x-forwarded-for': FORWARDED }, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  return JSON.parse((await response.setEncoding('utf8').toArray()).join(''))
}

it('applies trustProxy behind a Node.js server', async () => {
  const other = http.createServer(toNodeHandler(make(1).router())).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': FORWARDED } })
  expect(await response.json()).toMatchObject({ client: '198.51.100.4' })
  other.close()
})

it.each<[unknown, RegExp]>([
  [
    true,
    /^Server: option "trustProxy" must be false, .*, got true\. Write { proxies: \['10\.0\.0\.0\/8'\], header: 'x-forwarded-for' }, or/,
  ],
  [
    { proxies: 1 },
    /^Server: option "trustProxy\.header" must be "x-forwarded-for", "x-real-ip" or "forwarded", got undefined\./,
  ],
  [
    ['proxy.example'],
    /^Server: option "trustProxy\[0\]" must be a CIDR block, got "proxy\.example"\. Write, for example, '10\.0\.0\.0\/8'\.$/,
  ],
  [-1, /^Server: option "trustProxy" must be .*, got -1\./],
])('rejects the trustProxy %j', (trustProxy, message) => {
  expect(() => make(trustProxy as TrustProxy)).toThrow(message)
})
