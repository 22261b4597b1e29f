import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as openTlsSocket } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import {
  connect,
  eachProtocol,
  testCertificate,
  type ClientResponse,
  type ProtocolClient,
  type ServerDemand,
} from '@fw/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Context, Server } from '../src/index.ts'

const MIB = 2 ** 20
/** Size of a response that exceeds the kernel buffers, in bytes. */
const BODY_BYTES = 12 * MIB
const LIMIT_BYTES = 60 * MIB
const HUGE_BYTES = 64 * MIB
const CONNECTION_BYTES = 8 * MIB
const CLIENTS = 12

const shared = Buffer.alloc(BODY_BYTES, 's')

/** Functions that create a new body for each response. */
const fresh: Readonly<Record<string, () => unknown>> = {
  bytes: () => Buffer.alloc(BODY_BYTES, 'b'),
  text: () => 'é'.repeat(BODY_BYTES / 2),
  ascii: () => 'a'.repeat(BODY_BYTES),
  json: () => ({ value: 'j'.repeat(BODY_BYTES) }),
}

let server: Server
let begun = 0
/** Number of `/effect` handlers that have run, and a promise that resolves when all have. */
let effects = 0
let allBegun = Promise.withResolvers<undefined>()

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  server = new Server({
    limits: { maxBufferedBytesPerConnection: CONNECTION_BYTES, maxBufferedBytes: LIMIT_BYTES },
  })
  const router = server.router()
  router.use((_ctx, next) => {
    begun++
    return next()
  })
  router.get('/', () => 'hello')
  for (const [name, body] of Object.entries(fresh)) {
    router.get(`/sync/${name}`, body)
    router.get(`/async/${name}`, async () => {
      await sleep(50)
      return body()
    })
  }
  router.post('/effect', async () => {
    if (++effects === CLIENTS) allBegun.resolve(undefined)
    await allBegun.promise
    return Buffer.alloc(BODY_BYTES)
  })
  router.get('/shared', async () => {
    await sleep(50)
    return shared
  })
  router.get('/stream', () => parts(MIB, BODY_BYTES / MIB))
  router.get('/random/:seed', (ctx: Context) => pattern(Number(ctx.params.seed), 2 * MIB))
  router.get('/huge', () => 'é'.repeat(HUGE_BYTES / 2))
  router.post('/collect', async (ctx) => `${(await ctx.bytes()).byteLength}`)
  const address = await server.listen({ port: 0, host: '127.0.0.1', http3, ...(tls === undefined ? {} : { tls }) })
  return { port: address.port ?? 0, close: () => server.close({ drainMs: 0 }) }
}

async function* parts(bytes: number, count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    await sleep(1)
    yield Buffer.alloc(bytes, 'p')
  }
}

function pattern(seed: number, bytes: number): Buffer {
  return Buffer.alloc(bytes, randomBytesOf(seed))
}

const seeds = new Map<number, Buffer>()
function randomBytesOf(seed: number): Buffer {
  const known = seeds.get(seed) ?? randomBytes(1021)
  seeds.set(seed, known)
  return known
}

beforeAll(() => log.setSinks([]))

eachProtocol('a server whose clients are not reading', start, (client, protocol) => {
  const open = (): Promise<ProtocolClient> => connect(protocol, { port: server.address().port ?? 0 })
  const clients: ProtocolClient[] = []
  afterEach(async () => {
    await Promise.allSettled(clients.splice(0).map((each) => each.close()))
    await vi.waitUntil(() => server.stats().buffered.bytes === 0, { timeout: 30_000 })
  })

  /** Sends each request on its own connection, and reads no body. */
  async function stall(path: string, count: number, method = 'GET'): Promise<ClientResponse[]> {
    const responses: Promise<ClientResponse>[] = []
    for (let i = 0; i < count; i++) {
      const each = await open()
      clients.push(each)
      responses.push(each.request({ path, method }))
    }
    const settled = await Promise.allSettled(responses)
    return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  }

  const ways = ['sync', 'async'].flatMap((way) => Object.keys(fresh).map((name) => `/${way}/${name}`))
  it.each(ways)('stays below the process limit for responses of %s', async (path) => {
    let most = 0
    const timer = setInterval(() => (most = Math.max(most, server.stats().buffered.bytes)), 1)
    const responses = await stall(path, CLIENTS)
    const refused = responses.filter(({ status }) => status === 503)
    clearInterval(timer)
    // The last response to start below the limit can exceed it.
    expect(most).toBeLessThan(LIMIT_BYTES + BODY_BYTES + CLIENTS * 128 * 1024)
    expect(responses.every(({ status }) => status === 200 || status === 503)).toBe(true)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
    expect(server.stats().buffered).toMatchObject({ limitBytes: LIMIT_BYTES, connectionLimitBytes: CONNECTION_BYTES })
    expect(server.stats().buffered.refused).toBeGreaterThanOrEqual(refused.length)
  })

  it('refuses the response to a POST without Retry-After, because its handler has run', async () => {
    effects = 0
    allBegun = Promise.withResolvers()
    const responses = await stall('/effect', CLIENTS, 'POST')
    const refused = responses.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => null))
  })

  it('counts a buffer once if many responses send it', async () => {
    const { refused } = server.stats().buffered
    const responses = await stall('/shared', CLIENTS)
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: CLIENTS }, () => 200))
    const { buffered } = server.stats()
    expect(buffered.refused).toBe(refused)
    expect(buffered.bytes).toBeLessThan(2 * BODY_BYTES)
    expect(buffered.connections).toBe(CLIENTS)
    expect(buffered.largestConnectionBytes).toBeGreaterThanOrEqual(BODY_BYTES / 2)
  })

  it('stays below the process limit for streams with large parts', async () => {
    await stall('/stream', 3 * CLIENTS)
    await sleep(200)
    expect(server.stats().buffered.bytes).toBeLessThan(LIMIT_BYTES + 2 * MIB)
  })

  it('closes connections whose clients are not reading, and then serves other clients', async () => {
    const { closed } = server.stats().buffered
    await stall('/async/bytes', CLIENTS)
    await expect.poll(() => server.stats().buffered.closed, { timeout: 10_000 }).toBeGreaterThan(closed)
    const other = await open()
    clients.push(other)
    expect((await other.request({ path: '/' })).status).toBe(200)
  })

  it('sends a whole response that is larger than the limit', async () => {
    const response = await client().request({ path: '/huge' })
    let received = 0
    for await (const slice of response.body) received += slice.byteLength
    expect([response.status, received]).toEqual([200, HUGE_BYTES])
  })

  it('sends intact responses to a client that reads late', async () => {
    const paths = Array.from({ length: 8 }, (_, seed) => seed)
    const own = await open()
    clients.push(own)
    const responses = paths.map(async (seed) => own.request({ path: `/random/${seed}` }))
    await sleep(100)
    for (const [seed, asked] of responses.entries()) {
      const response = await asked
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.bytes()).equals(pattern(seed, 2 * MIB))).toBe(true)
    }
  })

  it('counts a large request head until its exchange has ended', async () => {
    const own = await open()
    clients.push(own)
    effects = 0
    allBegun = Promise.withResolvers()
    const headers = ['a', 'b'].map((name) => [name, name.repeat(4000)] as const)
    const response = own.request({ path: '/effect', method: 'POST', headers })
    await expect.poll(() => effects).toBe(1)
    expect(server.stats().buffered.bytes).toBeGreaterThan(8000)
    expect(server.stats().buffered.bytes).toBeLessThan(10_000)
    allBegun.resolve(undefined)
    expect((await (await response).bytes()).byteLength).toBe(BODY_BYTES)
    await expect.poll(() => server.stats().buffered.bytes).toBe(0)
  })

  it('does not count a complete body that no handler read after the response', async () => {
    const own = await open()
    clients.push(own)
    effects = CLIENTS - 1
    allBegun = Promise.withResolvers()
    const response = await own.request({ path: '/effect', method: 'POST', body: Buffer.alloc(1000) })
    expect((await response.bytes()).byteLength).toBe(BODY_BYTES)
    await expect.poll(() => server.stats().buffered.bytes).toBe(0)
  })

  it('counts a request body that a handler collects until it is complete', async () => {
    const own = await open()
    clients.push(own)
    const more = Promise.withResolvers<undefined>()
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(300_000)
      await more.promise
      yield Buffer.alloc(1000)
    }
    const response = own.request({ path: '/collect', body: body() })
    await expect.poll(() => server.stats().buffered.bytes).toBeGreaterThanOrEqual(300_000)
    more.resolve(undefined)
    expect(await (await response).text()).toBe('301000')
    await expect.poll(() => server.stats().buffered.bytes).toBe(0)
  })
})

describe.each(['', ' with TLS'])('an upgraded connection%s', (kind) => {
  async function upgrade(use: (socket: Duplex) => void): Promise<{ client: Duplex; close: () => Promise<void> }> {
    const { key, cert } = await testCertificate()
    const tls = kind === '' ? undefined : { key, cert }
    const { port, close } = await start({ tls, http3: false })
    server.router().get('/upgrade', (ctx) => {
      const { upgrade: takeOver } = ctx.exchange
      if (takeOver === undefined) throw new Error('The request offers no upgrade')
      const { socket } = takeOver()
      socket
        .on('error', () => {})
        .write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
      use(socket)
    })
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
    const client = kind === '' ? openSocket(port, '127.0.0.1') : openTlsSocket(options)
    client.on('error', () => {})
    client.write('GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
    return { client, close }
  }

  it('counts the bytes that its client has not read', async () => {
    const { client, close } = await upgrade((socket) => socket.write(Buffer.alloc(2 * BODY_BYTES)))
    await expect.poll(() => server.stats().buffered.bytes).toBeGreaterThan(BODY_BYTES)
    client.destroy()
    await expect.poll(() => server.stats().buffered.bytes).toBe(0)
    await close()
  })

  it('counts the bytes that its handler has not read', async () => {
    let owned: Duplex | undefined
    const { client, close } = await upgrade((socket) => void (owned = socket.pause()))
    await once(client, 'data')
    client.write(Buffer.alloc(MIB))
    owned?.read(0)
    await expect.poll(() => owned?.readableLength).toBeGreaterThan(10_000)
    await expect.poll(() => server.stats().buffered.bytes).toBe(owned?.readableLength)
    owned?.resume()
    await expect.poll(() => server.stats().buffered.bytes).toBe(0)
    client.destroy()
    await close()
  })
})

describe('a connection at its own limit', () => {
  eachProtocol(
    'with several streams',
    start,
    (client) => {
      it('queues further requests until its client reads, and does not refuse any', async () => {
        begun = 0
        const responses = Array.from({ length: 24 }, async (_, seed) => client().request({ path: `/random/${seed}` }))
        await expect.poll(() => server.stats().buffered.largestConnectionBytes).toBeGreaterThan(CONNECTION_BYTES)
        await sleep(100)
        // The limit is four bodies. The client's windows, the largest body and the last admitted body add to it.
        expect(begun).toBeLessThan(12)
        for (const [seed, asked] of responses.entries()) {
          const response = await asked
          expect(response.status).toBe(200)
          expect(Buffer.from(await response.bytes()).equals(pattern(seed, 2 * MIB))).toBe(true)
        }
        expect(begun).toBe(24)
        await expect.poll(() => server.stats().buffered.bytes).toBe(0)
      })
    },
    { protocols: ['h2', 'h2c', 'h3'] },
  )
})
