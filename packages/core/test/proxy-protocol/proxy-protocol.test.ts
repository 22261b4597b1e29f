import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { createLogger, Level, MemorySink } from '@fw/log'
import {
  closed,
  connect,
  newTestCertificate,
  rawExchange,
  tempFolder,
  testCertificate,
  type TestProtocol,
} from '@fw/testing'
import type { ConnectionTrace } from '@fw/types'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ListenOptions, Server, type ServerOptions, StartupError } from '../../src/index.ts'
import { FROM_LOOPBACK, REQUEST, seen, serve } from './proxied-server.ts'
import { balance, BINARY, dial, header, LOCAL, TEXT } from './send-header.ts'

let tls: { key: string; cert: string }

beforeAll(async () => {
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})

/** Sends a request on a connection that stays open. @returns The first bytes of the response, or `closed` */
async function open(port: number, start: string | Buffer): Promise<string> {
  const socket = await dial(port)
  socket.write(start)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return Promise.race([once(socket, 'data').then(String), closed(socket).then(() => 'closed')])
}

describe('a connection with a PROXY header', () => {
  it.each<[TestProtocol, string]>([
    ['h1', 'HTTP/1.1'],
    ['h2c', 'HTTP/2.0'],
    ['h1+tls', 'HTTP/1.1'],
    ['h2', 'HTTP/2.0'],
  ])('has the address of the header over %s', async (client, protocol) => {
    const { port } = await serve(client === 'h1' || client === 'h2c' ? {} : { tls })
    for (const [start, address, trust] of [
      [TEXT, '203.0.113.9', { trustsProxy: false }],
      [BINARY, '2001:db8::9', { trustsProxy: false }],
      [LOCAL, '127.0.0.1', {}],
      ['PROXY UNKNOWN\r\n', '127.0.0.1', {}],
    ] as const) {
      const expected = { protocol, remoteAddress: address, clientAddress: address, ...trust }
      expect(await seen(client, (await balance(port, start)).port)).toEqual(expected)
      // All in one segment.
      expect(await seen(client, (await balance(port, start, 0)).port)).toEqual(expected)
    }
  })

  it.each([
    ['version 1', TEXT, '203.0.113.9'],
    ['version 2', BINARY, '2001:db8::9'],
  ])('can arrive in any split: %s', async (_, start, address) => {
    const { port } = await serve()
    const bytes = Buffer.concat([Buffer.from(start), Buffer.from(REQUEST)])
    const splits = Array.from(bytes, (_byte, at) => [bytes.subarray(0, at), bytes.subarray(at)])
    splits.push(Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1)))
    const exchanges = splits.map((slices) =>
      rawExchange(
        port,
        slices.filter(({ length }) => length > 0),
      ),
    )
    for (const { text, ended } of await Promise.all(exchanges)) {
      expect(text).toContain(`"remoteAddress":"${address}"`)
      expect(ended).toBe('fin')
    }
  })

  it('can be cut anywhere before TLS', async () => {
    const { port } = await serve({ tls })
    // Six positions around the end of the header, and some within it.
    for (const cutAt of [1, 12, 16, 51, 52, 53, 57]) {
      const { port: balancer } = await balance(port, BINARY, cutAt)
      expect(await seen('h2', balancer)).toMatchObject({ remoteAddress: '2001:db8::9' })
    }
  })

  it('can precede a TLS handshake that selects a certificate by name', async () => {
    const named = await newTestCertificate('a.example')
    const { port } = await serve({ tls: [tls, { key: named.key, cert: named.cert }] })
    const socket = connectTls({
      socket: await dial((await balance(port, TEXT, 20)).port),
      servername: 'a.example',
      ca: named.cert,
      ALPNProtocols: ['http/1.1'],
    })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    expect(socket.authorized).toBe(true)
    socket.write(REQUEST)
    expect(String(Buffer.concat(await socket.toArray()))).toContain('"remoteAddress":"203.0.113.9"')
  })

  it('keeps its address for all requests of the connection', async () => {
    const { port } = await serve()
    const client = await connect('h1', { port: (await balance(port, TEXT)).port })
    for (let request = 0; request < 3; request++) {
      expect(await (await client.request({ path: '/' })).text()).toContain('"remoteAddress":"203.0.113.9"')
    }
    await client.close()
  })

  it.each([
    ['with', BINARY],
    ['without', LOCAL],
  ])('counts once %s an address: a second one belongs to the client, and is a malformed request', async (_, start) => {
    const { port, records } = await serve()
    expect((await rawExchange(port, Buffer.concat([start, Buffer.from(TEXT + REQUEST)]))).text).toMatch(
      /^HTTP\/1\.1 400 /,
    )
    expect(records(Level.Warn)).toEqual([])
  })

  it('is the peer for trustProxy', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.77' }
    for (const [proxies, clientAddress] of [
      [['203.0.113.0/24'], '192.0.2.77'],
      // The balancer is not the peer.
      [['127.0.0.0/8'], '203.0.113.9'],
    ] as const) {
      const { port } = await serve({}, { trustProxy: { proxies, header: 'x-forwarded-for' } })
      const balancer = await balance(port, TEXT)
      expect(await seen('h1', balancer.port, headers)).toMatchObject({ remoteAddress: '203.0.113.9', clientAddress })
    }
  })

  it('shows its address and port in records, refusals and traces', async () => {
    const traces: ConnectionTrace[] = []
    const onOpen = (trace: unknown): void => void traces.push(trace as ConnectionTrace)
    subscribe('fw.connection.open', onOpen)
    onTestFinished(() => void unsubscribe('fw.connection.open', onOpen))
    const { port, records } = await serve()
    await rawExchange(port, `${TEXT}BAD\r\n\r\n`)
    expect(records(Level.Debug)).toContain('Connection from 203.0.113.9 port 56324 (http, HTTP/1.1)')
    expect(records(Level.Debug)).toContainEqual(expect.stringMatching(/^Rejected a request from 203\.0\.113\.9: 400 /))
    expect(traces).toMatchObject([{ remoteAddress: '203.0.113.9', remotePort: 56_324 }])
  })

  it('shows its address in the record of a failed TLS handshake', async () => {
    const { port, records } = await serve({ tls })
    await rawExchange(port, `${TEXT}GET / HTTP/1.1\r\n\r\n`)
    expect(records(Level.Debug)).toContainEqual(expect.stringMatching(/^TLS handshake with 203\.0\.113\.9 failed: /))
  })

  it('counts for the client in maxConnectionsPerAddress, not for the proxy', async () => {
    const { port } = await serve({}, { limits: { maxConnectionsPerAddress: 1 } })
    expect(await open(port, TEXT)).toContain('200')
    expect(await open(port, BINARY)).toContain('200')
    expect(await open(port, LOCAL)).toContain('200')
    expect(await open(port, TEXT)).toBe('closed')
    expect(await open(port, TEXT.replace('203.0.113.9', '203.0.113.8'))).toContain('200')
  })

  it('counts an IPv4 client once on a dual-stack listener, with and without an address in the header', async () => {
    const { port } = await serve({ host: '::' }, { limits: { maxConnectionsPerAddress: 1 } })
    // The socket of this connection has the address ::ffff:127.0.0.1.
    expect(await open(port, LOCAL)).toContain('200')
    expect(await open(port, TEXT.replace('203.0.113.9', '127.0.0.1'))).toBe('closed')
  })
})

describe('a connection without a PROXY header from a listed address', () => {
  it.each([
    ['an HTTP request', REQUEST],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS record', '\x16\x03\x01\x02\x00'],
    ['an address of the wrong family', 'PROXY TCP4 ::1 ::1 1 2\r\n'],
    ['a header of more than 4,096 bytes', header(0x20, 0, Buffer.alloc(4081)).toString('latin1')],
    ['a wrong checksum', header(0x20, 0, Buffer.from('03000400000000', 'hex')).toString('latin1')],
  ])('closes without a response: %s', async (_, bytes) => {
    const { port, records } = await serve()
    const { text, ended } = await rawExchange(port, bytes + REQUEST)
    expect(text).toBe('')
    expect(ended).not.toBe('open')
    expect(records(Level.Warn)).toEqual([
      expect.stringMatching(
        /^Connections closed without a PROXY header: 1\. The last was from 127\.0\.0\.1: its PROXY|^Connections .*: its first/,
      ),
    ])
  })

  it('closes when the peer ends it within the header', async () => {
    const { port, records } = await serve()
    expect(await rawExchange(port, TEXT.slice(0, -1), { halfClose: true })).toMatchObject({ text: '', ended: 'fin' })
    expect(records(Level.Warn)).toEqual([expect.stringContaining('it ended within its PROXY header')])
  })

  it('writes one record for many of them', async () => {
    const { port, records } = await serve()
    for (let count = 0; count < 5; count++) await rawExchange(port, REQUEST)
    expect(records(Level.Warn)).toHaveLength(1)
  })

  it('is not a fault if it closes before its first byte, as health checks do', async () => {
    const { port, records } = await serve()
    expect(await rawExchange(port, '', { halfClose: true })).toMatchObject({ ended: 'fin' })
    const reset = await dial(port)
    reset.resetAndDestroy()
    await expect
      .poll(() =>
        records(Level.Debug).filter(
          (each) => each === 'Connection from 127.0.0.1 closed before its PROXY header: the peer closed it',
        ),
      )
      .toHaveLength(2)
    expect(records(Level.Warn)).toEqual([])
  })

  it('accepts a header up to maxHeaderBytes', async () => {
    const { port } = await serve({ proxyProtocol: { ...FROM_LOOPBACK, maxHeaderBytes: 5000 } })
    const exchange = (bytes: number): Promise<{ text: string }> =>
      rawExchange(port, Buffer.concat([header(0x20, 0, Buffer.alloc(bytes - 16)), Buffer.from(REQUEST)]))
    expect((await exchange(5000)).text).toContain('200 OK')
    expect((await exchange(5001)).text).toBe('')
  })
})

describe('a connection over a Unix socket', () => {
  it.each([
    ['from the client of the header', TEXT, { remoteAddress: '203.0.113.9', clientAddress: '203.0.113.9' }],
    ['without an address, as a trusted proxy', LOCAL, { clientAddress: '192.0.2.77' }],
  ])('is %s', async (_, start, expected) => {
    await using folder = await tempFolder()
    const { path } = await serve(
      { path: folder.join('x.sock'), proxyProtocol: { from: ['unix'] } },
      { trustProxy: { proxies: ['10.0.0.0/8'], header: 'x-forwarded-for' } },
    )
    const balancer = await balance(path, start)
    const addresses = await seen('h1', balancer.port, { 'x-forwarded-for': '192.0.2.77' })
    expect(addresses).toEqual({ protocol: 'HTTP/1.1', trustsProxy: true, ...expected })
  })

  it('closes without a header', async () => {
    await using folder = await tempFolder()
    const { path, records } = await serve({
      path: folder.join('x.sock'),
      proxyProtocol: { from: ['unix', '10.0.0.0/8'] },
    })
    const socket = await dial(path)
    socket.end(REQUEST)
    expect(await socket.toArray()).toEqual([])
    expect(records(Level.Warn)).toEqual([expect.stringContaining('The last was from a Unix socket: its first bytes')])
  })
})

describe('a server that closes', () => {
  it('waits a short time for a header and its request', async () => {
    const server = new Server({ limits: { drainIdleMs: 60_000 }, logger: createLogger({ sinks: [new MemorySink()] }) })
    server.router().get('/', () => 'served')
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1', proxyProtocol: FROM_LOOPBACK })
    const socket = await dial(port)
    socket.write(TEXT.slice(0, 20))
    await rawExchange(port, `${TEXT}${REQUEST}`)
    await expect.poll(() => server.stats().connections['HTTP/1.1']).toBe(0)
    const closing = server.close({ drainMs: 600_000 })
    socket.write(TEXT.slice(20) + REQUEST)
    expect(String(Buffer.concat(await socket.toArray()))).toContain('served')
    await closing
  })

  it('serves a header and a request that have arrived, even with drainIdleMs 0', async () => {
    const server = new Server({ limits: { drainIdleMs: 0 }, logger: createLogger({ sinks: [new MemorySink()] }) })
    server.router().get('/', () => 'served')
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1', proxyProtocol: FROM_LOOPBACK })
    const socket = await dial(port)
    await rawExchange(port, `${TEXT}${REQUEST}`)
    // The kernel receives the bytes before the server begins to close, and the server reads them afterwards.
    socket.write(TEXT + REQUEST)
    const closing = server.close({ drainMs: 600_000 })
    expect(String(Buffer.concat(await socket.toArray()))).toContain('served')
    await closing
  })

  it.each([
    [20, false],
    [20, true],
    [0, false],
    [0, true],
  ])('destroys connections without a header after drainIdleMs: %i, with TLS %j', async (drainIdleMs, isEncrypted) => {
    const server = new Server({ limits: { drainIdleMs }, logger: createLogger({ sinks: [new MemorySink()] }) })
    const proxyProtocol = { ...FROM_LOOPBACK, timeoutMs: 0 }
    const listen = { port: 0, host: '127.0.0.1', proxyProtocol, ...(isEncrypted ? { tls } : {}) }
    const { port = 0 } = await server.listen(listen)
    const socket = await dial(port)
    socket.write(TEXT.slice(0, 20))
    // The server has accepted the first connection when it has served the second one.
    await rawExchange(port, `${TEXT}BAD\r\n\r\n`)
    await server.close({ drainMs: 600_000 })
    expect(await socket.toArray()).toEqual([])
  })
})

describe('a listener with HTTP/3', () => {
  it.each<[ServerOptions, ListenOptions]>([
    [{ http3: true }, {}],
    [{}, { http3: true }],
    [{ http3: true }, { workers: 2 }],
  ])('refuses proxyProtocol: %j, %j', async (options, listen) => {
    await using server = new Server({ ...options, tls, logger: createLogger({ sinks: [new MemorySink()] }) })
    const listening = server.listen({ port: 0, host: '127.0.0.1', proxyProtocol: FROM_LOOPBACK, ...listen })
    await expect(listening).rejects.toThrow(StartupError)
    await expect(listening).rejects.toMatchObject({
      code: 'FW_HTTP3_UNAVAILABLE',
      message: 'HTTP/3 has no PROXY protocol. Set http3: false for this listener, or omit proxyProtocol',
    })
  })

  it('accepts proxyProtocol on another listener', async () => {
    const { port } = await serve({ http3: false, tls }, { http3: true })
    expect(await seen('h2', (await balance(port, TEXT)).port)).toMatchObject({ remoteAddress: '203.0.113.9' })
  })
})
