import { once } from 'node:events'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { testCertificate } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as log from '@fw/log'
import { Server } from '../../src/index.ts'
import { serveEngines } from '../serve-engines.ts'
import { Flag, FrameType, Setting, data, frame, settings, uint32 } from './frames.ts'
import { headers } from './hpack.ts'
import { PREFACE, RawClient, request, serverSettings } from './raw-client.ts'
import { serveEcho } from './serve-echo.ts'

/** Connects over TLS. Returns the error if the handshake fails. */
async function agree(offered: string[], options: ConnectionOptions = {}): Promise<TLSSocket | Error> {
  log.setSinks([])
  const { key, cert } = await testCertificate()
  const server = new Server({ tls: { key, cert } })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: offered, ...options })
  onTestFinished(async () => {
    socket.destroy()
    await server.close({ drainMs: 0 })
  })
  return once(socket, 'secureConnect').then(
    () => socket,
    (error: unknown) => error as Error,
  )
}

describe('a TLS connection', () => {
  it.each([
    [['h2'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [['h2c', 'http/1.1'], 'http/1.1'],
    [['http/1.0', 'http/1.1'], 'http/1.1'],
    [['http/1.0', 'h2'], 'h2'],
    [['http/1.0'], 'http/1.0'],
    [[], false],
  ])('responds to ALPN %j with %s (RFC 9113 §3.2)', async (offered, protocol) => {
    expect(await agree(offered)).toMatchObject({ alpnProtocol: protocol })
  })

  it('rejects ALPN without a supported protocol (RFC 7301 §3.2)', async () => {
    expect(await agree(['h3'])).toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' })
  })

  it('rejects TLS 1.1 (RFC 9113 §9.2)', async () => {
    expect(await agree(['h2'], { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' })).toBeInstanceOf(Error)
  })
})

describe('a TLS 1.2 connection', () => {
  it('rejects renegotiation (RFC 9113 §9.2.1)', async () => {
    const socket = await agree(['h2'], { maxVersion: 'TLSv1.2' })
    if (socket instanceof Error) throw socket
    const outcome = await new Promise<Error | null>((resolve) => {
      // The server refuses with an alert, which can cause an error event instead of a call to the callback.
      socket.once('error', resolve)
      socket.renegotiate({}, resolve)
    })
    expect(String(outcome)).toContain('no renegotiation')
  })
})

describe('the connection preface (RFC 9113 §3.3, §3.4)', () => {
  it('is accepted with prior knowledge, byte by byte', async () => {
    const { port } = await serveEcho()
    const client = await RawClient.connect(port, { preface: false, acknowledges: false })
    for (const byte of Buffer.concat([Buffer.from(PREFACE), settings(), headers(1, request())])) {
      client.send(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })

  it('can arrive in one packet with the first requests, before the server has sent its SETTINGS', async () => {
    const { port } = await serveEcho()
    const client = await RawClient.connect(port, { preface: false })
    client.send(PREFACE, settings([Setting.HEADER_TABLE_SIZE, 0]), headers(1, request()), headers(3, request()))
    await expect.poll(() => [client.outcome(1), client.outcome(3)]).toEqual(['status 200', 'status 200'])
  })

  it('consists of SETTINGS when the server sends it', async () => {
    const { client } = await serveEcho()
    expect(client.frames[0]).toMatchObject({ type: FrameType.SETTINGS, flags: 0, streamId: 0 })
  })

  it('is rejected if it is invalid', async () => {
    const { port, exchanges } = await serveEcho()
    const client = await RawClient.connect(port, { preface: false })
    client.send(PREFACE.replace('SM', 'SN'), settings(), headers(1, request()))
    await expect.poll(() => client.isClosed).toBe(true)
    expect(exchanges).toEqual([])
  })
})

describe('a SETTINGS frame (RFC 9113 §6.5)', () => {
  it('announces the limits, no push, and no extended CONNECT (RFC 8441 §3)', async () => {
    const { client } = await serveEcho({ maxConcurrentStreams: 7, maxHeadBytes: 1000 })
    const announced = serverSettings(client)
    expect(announced.get(Setting.MAX_CONCURRENT_STREAMS)).toBe(7)
    expect(announced.get(Setting.ENABLE_PUSH)).toBe(0)
    expect(announced.get(Setting.MAX_HEADER_LIST_SIZE)).toBe(1000)
    expect(announced.get(Setting.ENABLE_CONNECT_PROTOCOL) ?? 0).toBe(0)
  })

  it('is acknowledged each time (§6.5.3)', async () => {
    const { client } = await serveEcho()
    const acknowledged = (): number => client.of(FrameType.SETTINGS).filter(({ flags }) => flags === Flag.ACK).length
    client.send(settings([Setting.MAX_CONCURRENT_STREAMS, 1]), settings([0xfafa, 1]), settings())
    await expect.poll(acknowledged).toBe(4)
  })

  it('does not delay requests if the client never acknowledges it', async () => {
    const { client } = await serveEcho({}, { acknowledges: false })
    expect(await client.serves(1)).toBe(true)
  })

  it("limits the server's frames by MAX_FRAME_SIZE, without requiring frames of that size (§4.2)", async () => {
    const { port } = await serveEngines((exchange) => exchange.respond(200, [], Buffer.alloc(50_000)))
    const client = await RawClient.connect(port, { settings: [[Setting.MAX_FRAME_SIZE, 20_000]] })
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    const sizes = client.of(FrameType.DATA, 1).map(({ payload }) => payload.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(50_000)
  })
})

describe('a stream above maxConcurrentStreams (RFC 9113 §5.1.2)', () => {
  it('is refused before the client acknowledges the limit, and its request does not run', async () => {
    const { client, exchanges } = await serveEcho({ maxConcurrentStreams: 2 }, { acknowledges: false })
    client.send(...[1, 3, 5].map((id) => headers(id, request('POST'), 0)))
    await expect.poll(() => client.outcome(5)).toBe('stream REFUSED_STREAM')
    client.send(data(1, 'x', Flag.END_STREAM))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
    expect(exchanges).toHaveLength(2)
  })

  it('is refused after the client acknowledges the limit', async () => {
    const { client, exchanges } = await serveEcho({ maxConcurrentStreams: 2 })
    await client.ping()
    client.send(...[1, 3, 5].map((id) => headers(id, request('POST'), 0)))
    await expect.poll(() => client.outcome(5)).toBe('stream REFUSED_STREAM')
    client.send(data(1, 'x', Flag.END_STREAM))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
    expect(await client.serves(7)).toBe(true)
    expect(exchanges).toHaveLength(3)
  })
})

describe('a PING frame (RFC 9113 §6.7)', () => {
  it('is acknowledged with the same bytes', async () => {
    const { client } = await serveEcho()
    const payload = Buffer.from([0, 1, 2, 3, 4, 5, 6, 255])
    await client.ping(payload)
    expect(client.of(FrameType.PING)).toMatchObject([{ flags: Flag.ACK, payload }])
  })
})

describe('a GOAWAY frame (RFC 9113 §6.8)', () => {
  it('closes the connection after the open streams if the client sends it without an error', async () => {
    let exchange: Exchange | undefined
    const { port } = await serveEngines((received) => (exchange = received))
    const client = await RawClient.connect(port)
    client.send(headers(1, request()), frame(FrameType.GOAWAY, 0, 0, Buffer.alloc(8 + 'debug data'.length)))
    await client.ping()
    exchange?.respond(200, [], 'x')
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    await expect.poll(() => client.isClosed).toBe(true)
  })

  it('aborts the open streams if the client sends it with an error', async () => {
    const { client, outcomes, refusals } = await serveEcho()
    client.send(headers(1, request('POST'), 0))
    client.send(frame(FrameType.GOAWAY, 0, 0, Buffer.concat([uint32(0), uint32(2)])))
    await expect.poll(() => client.isClosed).toBe(true)
    expect(outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
    expect(refusals).toEqual([])
  })

  it('announces the shutdown first, serves requests in transit, then names the last stream', async () => {
    const exchanges: Exchange[] = []
    const { port, listener } = await serveEngines((exchange) => exchanges.push(exchange))
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => exchanges.length).toBe(1)
    const drained = listener.drain()
    await expect.poll(() => client.goaway).toBe('NO_ERROR')
    expect(client.lastStreamId).toBe(2 ** 31 - 1)
    // Send a request that was in transit, then acknowledge the server's PING.
    client.send(headers(3, request()))
    const [ping] = client.of(FrameType.PING)
    client.send(frame(FrameType.PING, Flag.ACK, 0, ping?.payload))
    await expect.poll(() => client.lastStreamId).toBe(3)
    client.send(headers(5, request()))
    await client.ping()
    expect(exchanges).toHaveLength(2)
    for (const exchange of exchanges) exchange.respond(200, [], 'x')
    await drained
    await expect.poll(() => client.isClosed).toBe(true)
    expect([1, 3, 5].map((id) => client.outcome(id))).toEqual(['status 200', 'status 200', 'closed'])
  })

  it('names the last stream after drainIdleMs if the client does not answer the PING', async () => {
    const { port, listener } = await serveEngines(() => {}, { drainIdleMs: 50 })
    const client = await RawClient.connect(port)
    const drained = listener.drain()
    await expect.poll(() => client.lastStreamId).toBe(2 ** 31 - 1)
    await expect.poll(() => client.lastStreamId).toBe(0)
    await drained
  })
})

describe('a client that sends RST_STREAM (RFC 9113 §6.4)', () => {
  it.each([0, 8])('aborts only that exchange with code %i', async (code) => {
    const exchanges: Exchange[] = []
    const { port, outcomes } = await serveEngines((exchange) => exchanges.push(exchange))
    const client = await RawClient.connect(port)
    client.send(headers(1, request()), headers(3, request()))
    await expect.poll(() => exchanges.length).toBe(2)
    client.send(frame(FrameType.RST_STREAM, 0, 1, uint32(code)))
    await expect.poll(() => outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
    exchanges[1]?.respond(200, [], 'x')
    await expect.poll(() => client.outcome(3)).toBe('status 200')
  })
})
