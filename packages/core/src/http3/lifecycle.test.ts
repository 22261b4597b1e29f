import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import type { Exchange } from '@fw/types'
import { settle, testCertificate } from '@fw/testing'
import { clientInitial, encodeFields, H3Frame, h3Frame, h3RequestFields } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { bodyOf, outcomeOf, serveHttp3 } from '../../test/serve-http3.ts'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { listenHttp3 } from './engine.ts'

function hello(exchange: Exchange): void {
  exchange.respond(200, [], 'hello')
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe('drain', () => {
  it('waits for in-flight requests, refuses new ones, and closes with H3_NO_ERROR', async () => {
    const exchanges: Exchange[] = []
    await using server = await serveHttp3((exchange) => void exchanges.push(exchange))
    const client = await server.connect()
    const { connection } = client
    const running = client.request({ path: '/' })
    await expect.poll(() => exchanges.length).toBe(1)

    const drained = server.listener.drain()
    await connection.goaway
    const head = h3Frame(H3Frame.HEADERS, encodeFields(h3RequestFields({ path: '/' }, 'GET', connection)))
    // This request and the first GOAWAY cross in transit.
    const crossing = await connection.openStream()
    await crossing.send(head, { end: true })
    await expect.poll(() => connection.goaways).toEqual([2 ** 62, 8])
    const late = await connection.openStream()
    await late.send(head, { end: true })
    await expect(late.readAll()).rejects.toThrow('code 0x10b')

    exchanges[1]?.respond(200, [], 'crossed')
    expect((await crossing.readAll()).toString()).toContain('crossed')
    exchanges[0]?.respond(200, [], Buffer.alloc(300_000, 'x'))
    expect(await (await running).bytes()).toHaveLength(300_000)
    expect(await connection.closed).toEqual({ by: 'server', isApplication: true, code: 0x100 })
    await drained
    expect(exchanges).toHaveLength(2)
    await expect(server.connect({ connectTimeoutMs: 300 })).rejects.toThrow('No QUIC connection')
  })

  it('delivers the whole response that was sent just before the drain', async () => {
    let drained: Promise<void> | undefined
    await using server = await serveHttp3((exchange) => {
      exchange.respond(200, [], Buffer.alloc(10_000))
      drained = server.listener.drain()
    })
    const client = await server.connect()
    expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(10_000)
    expect(await client.connection.closed).toMatchObject({ by: 'server', code: 0x100 })
    await drained
  })

  it('resolves immediately if no request is running', async () => {
    await using server = await serveHttp3(hello)
    const [used, unused] = [await server.connect(), await server.connect()]
    await (await used.request({ path: '/' })).bytes()
    await server.listener.drain()
    expect(await used.connection.closed).toMatchObject({ by: 'server', code: 0x100 })
    expect(await unused.connection.closed).toMatchObject({ by: 'server', code: 0x100 })
  })

  it('frees the port', async () => {
    const server = await serveHttp3(hello)
    await server.listener.drain()
    const socket = createSocket('udp4').bind(server.port, '127.0.0.1')
    await once(socket, 'listening')
    expect(socket.address().port).toBe(server.port)
    socket.close()
  })
})

it('ends in-flight requests and notifies their handlers on destroy', async () => {
  const outcomes: unknown[] = []
  await using server = await serveHttp3((exchange) => {
    exchange.start(200, [])
    void outcomeOf(exchange).then((outcome) => outcomes.push(outcome))
  })
  const client = await server.connect()
  const response = await client.request({ path: '/' })
  await server.listener.destroy()
  await expect(response.bytes()).rejects.toThrow('The connection ended')
  expect(outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: true }])
})

describe('a time limit', () => {
  it('closes a connection without requests after a GOAWAY', async () => {
    await using server = await serveHttp3(hello, { sessionIdleTimeoutMs: 300 })
    const { connection } = await server.connect()
    await connection.goaway
    expect(await connection.closed).toEqual({ by: 'server', isApplication: true, code: 0x100 })
  })

  it('keeps a connection with an idle response open', async () => {
    await using server = await serveHttp3(
      (exchange) => {
        exchange.start(200, [])
        setTimeout(() => {
          exchange.write(Buffer.from('at last'))
          exchange.end()
        }, 3500)
      },
      { sessionIdleTimeoutMs: 1 },
    )
    // The server's idle limit is minimal, and the client waits no longer than this.
    const client = await server.connect({ idleTimeoutMs: 1500 })
    expect(await (await client.request({ path: '/' })).text()).toBe('at last')
  })

  it('answers 408 if the head is too slow', async () => {
    await using server = await serveHttp3(hello, { headTimeoutMs: 100 })
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    await stream.send(h3Frame(H3Frame.HEADERS, 'begun', 100))
    const wire = await stream.readAll()
    expect(wire.includes('408')).toBe(true)
    expect(server.refused).toEqual([expect.objectContaining({ status: 408, reason: 'Request head took too long' })])
  })

  it.each(['bodyStallTimeoutMs', 'requestTimeoutMs'])(
    'fails the body with 408 if it is too slow (%s)',
    async (limit) => {
      await using server = await serveHttp3(
        (exchange) => {
          bodyOf(exchange).catch((error: { status: number }) => exchange.respond(error.status, [], null))
        },
        { [limit]: 100 },
      )
      const client = await server.connect()
      const response = await client.request({ path: '/', body: stalling() })
      expect(response.status).toBe(408)
      expect(server.refused).toEqual([])
    },
  )

  it('does not count a blocked event loop against a client whose packets are waiting to be read', async () => {
    const bodies: ReturnType<typeof bodyOf>[] = []
    const whenBegun: (() => void)[] = []
    await using server = await serveHttp3(
      (exchange) => {
        bodies.push(bodyOf(exchange))
        setImmediate(() => {
          for (const act of whenBegun) act()
          // Timers run next, before any packet is read.
          for (const until = performance.now() + 1000; performance.now() < until;);
        })
      },
      { bodyStallTimeoutMs: 500 },
    )
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    whenBegun.push(() => void stream.send(h3Frame(H3Frame.DATA, 'in time'), { end: true }))
    await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(h3RequestFields({ path: '/' }, 'POST', connection))))
    await expect.poll(() => bodies.length).toBe(1)
    expect((await bodies[0])?.body.toString()).toBe('in time')
  })

  it('ends the exchange if the client does not read the response', async () => {
    const outcomes: unknown[] = []
    await using server = await serveHttp3(
      (exchange) => {
        void outcomeOf(exchange).then((outcome) => outcomes.push(outcome))
        exchange.respond(200, [], Buffer.alloc(1_000_000))
      },
      { writeStallTimeoutMs: 100 },
    )
    const client = await server.connect()
    const response = await client.request({ path: '/' })
    await expect.poll(() => outcomes).toEqual([{ status: 200, bodyBytes: 1_000_000, aborted: true }])
    await expect(response.bytes()).rejects.toThrow('code 0x10c')
  })

  it('ends the exchange if the client reads below the minimum rate, as over HTTP/2', async () => {
    const outcomes: unknown[] = []
    await using server = await serveHttp3(
      (exchange) => {
        void outcomeOf(exchange).then((outcome) => outcomes.push(outcome))
        exchange.respond(200, [], Buffer.alloc(1_000_000))
      },
      { writeStallTimeoutMs: 100, minResponseBytesPerSecond: 160_000 },
    )
    const response = await (await server.connect({ streamWindow: 500 })).request({ path: '/' })
    const reading = (async () => {
      // Reads a few KB per second.
      for await (const _slice of response.body) await wait(50)
    })()
    await expect(reading).rejects.toThrow('code 0x10c')
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 1_000_000, aborted: true }])
  })

  it('does not end the exchange of a client that reads continuously', async () => {
    await using server = await serveHttp3((exchange) => exchange.respond(200, [], Buffer.alloc(600_000)), {
      writeStallTimeoutMs: 1000,
    })
    const response = await (await server.connect()).request({ path: '/' })
    let received = 0
    for await (const slice of response.body) {
      received += slice.length
      await wait(40)
    }
    expect(received).toBe(600_000)
  })
})

describe('an HTTP/3 port', () => {
  it('fails with EADDRINUSE if it is in use', async () => {
    await using server = await serveHttp3(hello)
    const { key, cert } = await testCertificate()
    const engineHost = { limits: DEFAULT_LIMITS, altSvc: '', onRequest: hello, onRefused: () => {} }
    await expect(listenHttp3({ host: '127.0.0.1', port: server.port, key, cert, engineHost })).rejects.toThrow(
      expect.objectContaining({ code: 'EADDRINUSE' }),
    )
  })

  it('can be shared by listeners with reusePort', async () => {
    const { key, cert } = await testCertificate()
    const engineHost = { limits: DEFAULT_LIMITS, altSvc: '', onRequest: hello, onRefused: () => {} }
    const options = { host: '127.0.0.1', key, cert, engineHost, reusePort: true }
    const first = await listenHttp3({ ...options, port: 0 })
    const second = await listenHttp3({ ...options, port: first.address.port })
    expect(second.address.port).toBe(first.address.port)
    await Promise.all([first.drain(), second.drain()])
  })

  it('can be bound to an IPv6 address', async () => {
    const { key, cert } = await testCertificate()
    const engineHost = { limits: DEFAULT_LIMITS, altSvc: '', onRequest: hello, onRefused: () => {} }
    const listener = await listenHttp3({ host: '::1', port: 0, key, cert, engineHost })
    expect(listener.address).toMatchObject({ family: 'IPv6', address: '::1' })
    await listener.drain()
  })

  it('answers an unknown QUIC version with the supported versions', async () => {
    await using server = await serveHttp3(hello)
    const response = await ask(server.port, initial(0x0a1a2a3a))
    // RFC 8999 §6: a long header with version 0, the client's connection IDs swapped, then the versions.
    expect(response?.readUInt32BE(1)).toBe(0)
    expect(response?.subarray(-8).includes(Buffer.from([0, 0, 0, 1]))).toBe(true)
  })

  it.each([
    ['a version negotiation', initial(0)],
    ['an unknown version in a small packet', initial(0x0a1a2a3a).subarray(0, 500)],
    ['a packet for an unknown connection that is too small', Buffer.alloc(21, 0x41)],
    ['arbitrary bytes', Buffer.alloc(1200, 0xff)],
    ['a single byte', Buffer.from([0xc0])],
    ['an empty datagram', Buffer.alloc(0)],
    ['a forged token', initial(1, randomBytes(60))],
  ])('does not answer %s', async (_what, packet) => {
    await using server = await serveHttp3(hello)
    expect(await ask(server.port, packet)).toBeUndefined()
    expect(await (await (await server.connect()).request({ path: '/' })).text()).toBe('hello')
  })

  it('answers a packet for an unknown connection with a smaller stateless reset', async () => {
    await using server = await serveHttp3(hello)
    expect(await ask(server.port, Buffer.alloc(50, 0x41))).toHaveLength(42)
  })

  it('accepts no more connections than maxHttp3Connections', async () => {
    await using server = await serveHttp3(hello, { maxHttp3Connections: 2 })
    const [first] = [await server.connect(), await server.connect()]
    await expect(server.connect({ connectTimeoutMs: 300 })).rejects.toThrow('No QUIC connection')
    await first.close()
    expect(await (await (await server.connect()).request({ path: '/' })).text()).toBe('hello')
  })

  it('requires address validation during many handshakes, and then accepts the client', async () => {
    await using server = await serveHttp3(hello)
    for (let i = 0; i < 64; i++) expect(isRetry(await ask(server.port, clientInitial(server.port)))).toBe(false)
    expect(isRetry(await ask(server.port, clientInitial(server.port)))).toBe(true)
    // RFC 9000 §8.1.3: clients can send tokens from a previous server.
    expect(isRetry(await ask(server.port, initial(1, randomBytes(60))))).toBe(true)
    expect(await (await (await server.connect()).request({ path: '/' })).text()).toBe('hello')
  })

  it('drops handshakes that exceed the time limit', async () => {
    await using server = await serveHttp3(hello, { maxHttp3Connections: 1, tlsHandshakeTimeoutMs: 1000 })
    expect(await ask(server.port, clientInitial(server.port))).toBeDefined()
    await expect(server.connect({ connectTimeoutMs: 50 })).rejects.toThrow('No QUIC connection')
    await wait(1200)
    expect(await (await (await server.connect()).request({ path: '/' })).text()).toBe('hello')
  })

  it('keeps no state for an invalid first packet', async () => {
    await using server = await serveHttp3(hello, { maxHttp3Connections: 1 })
    for (let i = 0; i < 3; i++) expect(await ask(server.port, initial(1))).toBeUndefined()
    expect(await (await (await server.connect()).request({ path: '/' })).text()).toBe('hello')
  })
})

async function* stalling(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('begun')
  await wait(5000)
}

/** Returns a client's first packet, with random bytes as its protected part. */
function initial(version: number, token: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(0xc0, 0)
  head.writeUInt32BE(version, 1)
  const ids = Buffer.concat([Buffer.from([8]), randomBytes(8), Buffer.from([8]), randomBytes(8)])
  const rest = Buffer.concat([Buffer.from([token.byteLength]), token, Buffer.from([0x44, 0x00])])
  const packet = Buffer.concat([head, ids, rest])
  return Buffer.concat([packet, randomBytes(1200 - packet.length)])
}

function isRetry(packet: Buffer | undefined): boolean {
  return ((packet?.[0] ?? 0) & 0xf0) === 0xf0
}

/** Returns the first response to a packet, or `undefined` if there is none within 150 ms. */
async function ask(port: number, packet: Uint8Array): Promise<Buffer | undefined> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.send(packet, port, '127.0.0.1')
  const response = once(socket, 'message').then(([message]) => message as Buffer)
  const first = await Promise.race([response, settle(150)])
  socket.close()
  return first ?? undefined
}

it('can be destroyed by a handler, without running the handlers of simultaneous requests', async () => {
  const seen: string[] = []
  await using server = await serveHttp3((exchange) => {
    seen.push(exchange.target)
    void server.listener.destroy()
  })
  const client = await server.connect()
  const responses = ['/1', '/2', '/3'].map((path) => client.request({ path }))
  expect((await Promise.allSettled(responses)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ])
  expect(seen).toHaveLength(1)
})
