import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect as openSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as openTls } from 'node:tls'
import * as log from '@fw/log'
import { connect, eachProtocol, type ServerDemand, testCertificate } from '@fw/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type ConnectionTrace,
  type MiddlewareTrace,
  type Refusal,
  type RequestTrace,
  Server,
  toNodeHandler,
} from '../src/index.ts'

const LARGE_BYTES = 8 * 2 ** 20
const PROTOCOLS = { h1: 'HTTP/1.1', 'h1+tls': 'HTTP/1.1', h2: 'HTTP/2.0', h2c: 'HTTP/2.0', h3: 'HTTP/3.0' } as const

/** Stream IDs of the first three requests on a connection. */
const STREAMS = {
  h1: [undefined, undefined, undefined],
  'h1+tls': [undefined, undefined, undefined],
  h2: [1, 3, 5],
  h2c: [1, 3, 5],
  h3: [0, 4, 8],
} as const

/** Waits for a condition, long enough for a busy machine. */
function waitUntil(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, { timeout: 30_000 })
}

let server: Server
let release: (() => void) | undefined

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  server = new Server()
  const router = server.router()
  router.get('/', () => 'hello')
  router.get('/large', () => Buffer.alloc(LARGE_BYTES))
  router.get('/stream', async function* () {
    yield 'a'
    await sleep(5)
    yield 'b'
  })
  router.get('/held', async () => {
    await new Promise<void>((resolve) => (release = resolve))
    return 'released'
  })
  router.post('/length', async (ctx) => `${(await ctx.bytes()).byteLength}`)
  const address = await server.listen({ port: 0, host: '127.0.0.1', http3, ...(tls === undefined ? {} : { tls }) })
  return { port: address.port ?? 0, close: () => server.close({ drainMs: 0 }) }
}

const undo: (() => void)[] = []
function subscribe<Message>(name: string): Message[] {
  const messages: Message[] = []
  const listener = (message: unknown): void => void messages.push(message as Message)
  channel(name).subscribe(listener)
  undo.push(() => channel(name).unsubscribe(listener))
  return messages
}
afterEach(() => {
  for (const each of undo.splice(0)) each()
})
beforeAll(() => log.setSinks([]))

/** Returns the last element. */
function last<Item>(items: readonly Item[]): Item {
  const item = items.at(-1)
  if (item === undefined) throw new Error('There is no element')
  return item
}

/** Reports whether numbers are in order. */
function isOrdered(numbers: readonly (number | undefined)[]): boolean {
  return numbers.every((each, at) => each !== undefined && (at === 0 || each >= (numbers[at - 1] ?? Infinity)))
}

function steps({ timing }: RequestTrace): (number | undefined)[] {
  return [timing.received, timing.parsed, timing.routed, timing.answered, timing.flushed]
}

eachProtocol('a request trace', start, (client, protocol) => {
  let flushed: RequestTrace[]
  let ended: RequestTrace[]
  beforeEach(() => {
    flushed = subscribe('fw.request.flushed')
    ended = subscribe('tracing:fw.request:asyncEnd')
  })
  const until = (count: number): Promise<unknown> => waitUntil(() => flushed.length >= count && ended.length >= count)

  it.each([
    ['a short response', { path: '/' }],
    ['a large response', { path: '/large' }],
    ['a streamed response', { path: '/stream' }],
    ['a response without a body', { path: '/', method: 'HEAD' }],
    ['a response to a body', { path: '/length', method: 'POST', body: Buffer.alloc(100_000) }],
    ['a missing route', { path: '/missing' }],
  ])('contains ordered times for %s', async (_, request) => {
    const before = performance.now()
    await (await client().request(request)).bytes()
    await until(1)
    expect(flushed).toHaveLength(1)
    expect(flushed[0]).toBe(ended[0])
    const times = [before, ...steps(last(flushed)), performance.now()]
    expect(times).toSatisfy(isOrdered)
  })

  it('reports when the response head was sent, not when the stream ended', async () => {
    await (await client().request({ path: '/stream' })).bytes()
    await until(1)
    const { answered = 0, flushed: end = 0 } = last(flushed).timing
    expect(end - answered).toBeGreaterThanOrEqual(4)
  })

  it('counts the requests on a connection, with one object for the connection', async () => {
    const own = await connect(protocol, { port: server.address().port ?? 0 })
    for (let request = 0; request < 3; request++) await (await own.request({ path: '/' })).bytes()
    const other = await connect(protocol, { port: server.address().port ?? 0 })
    await (await other.request({ path: '/' })).bytes()
    await until(4)
    const [first, , third, foreign] = flushed
    expect(flushed.map(({ nth }) => nth)).toEqual([1, 2, 3, 1])
    expect(third?.connection).toBe(first?.connection)
    expect(foreign?.connection?.id).not.toBe(first?.connection?.id)
    expect(first?.connection).toMatchObject({ protocol: PROTOCOLS[protocol], remoteAddress: '127.0.0.1' })
    expect(first?.connection?.openedAt).toBeLessThanOrEqual(first?.timing.received ?? 0)
    const streams = flushed.slice(0, 3).map(({ stream }) => stream)
    expect(streams).toEqual(STREAMS[protocol])
    await Promise.all([own.close(), other.close()])
  })

  it("contains the connection's handshake", async () => {
    await (await client().request({ path: '/' })).bytes()
    await until(1)
    const tls = flushed[0]?.connection?.tls
    const hasTls = protocol !== 'h1' && protocol !== 'h2c'
    const { handshakeMs = 1, ...rest } = tls ?? {}
    expect(rest).toEqual(hasTls ? { version: 'TLSv1.3', resumed: false } : {})
    expect(handshakeMs).toBeGreaterThan(0)
  })

  it('publishes when a connection opens and closes, with the same object', async () => {
    const opened = subscribe<ConnectionTrace>('fw.connection.open')
    const closed = subscribe<ConnectionTrace>('fw.connection.close')
    const own = await connect(protocol, { port: server.address().port ?? 0 })
    await (await own.request({ path: '/' })).bytes()
    await until(1)
    expect(opened).toEqual([flushed[0]?.connection])
    expect(closed).toEqual([])
    await own.close()
    await waitUntil(() => closed.length > 0)
    expect(closed).toHaveLength(1)
    expect(closed[0]).toBe(opened[0])
    expect(closed[0]).toMatchObject({ protocol: PROTOCOLS[protocol] })
    expect(closed[0]?.closedAt).toBeGreaterThanOrEqual(closed[0]?.openedAt ?? Infinity)
  })

  it('contains no last-byte time if the client disconnects before the response', async () => {
    const own = await connect(protocol, { port: server.address().port ?? 0 })
    const response = own.request({ path: '/held' }).catch(() => {})
    await waitUntil(() => release !== undefined)
    await own.close().catch(() => {})
    await waitUntil(() => ended.length === 1)
    release?.()
    release = undefined
    await response
    expect(ended[0]?.outcome?.aborted).toBe(true)
    expect([ended[0]?.timing.answered, ended[0]?.timing.flushed]).toEqual([undefined, undefined])
    expect(flushed).toEqual([])
  })

  it('is published on fw.request.refused for a request that no handler receives', async () => {
    const refused = subscribe<Refusal>('fw.request.refused')
    const own = await connect(protocol, { port: server.address().port ?? 0 })
    const path = `/${'a'.repeat(12_000)}`
    const response = await own.request({ path })
    expect(response.status).toBe(414)
    await waitUntil(() => refused.length > 0)
    expect(refused).toEqual([
      expect.objectContaining({ status: 414, reason: 'Request line too long', protocol: PROTOCOLS[protocol] }),
    ])
    expect(ended).toEqual([])
    await own.close()
  })
})

eachProtocol('server.stats', start, (client, protocol) => {
  it('counts connections and requests in flight', async () => {
    const zero = { 'HTTP/1.1': 0, 'HTTP/2.0': 0, 'HTTP/3.0': 0 }
    const name = PROTOCOLS[protocol]
    // The shared client is connected after this call.
    await (await client().request({ path: '/' })).bytes()
    await waitUntil(() => server.stats().requests[name] === 0)
    const before = server.stats()
    expect(before.requests).toEqual(zero)
    const own = await connect(protocol, { port: server.address().port ?? 0 })
    const response = own.request({ path: '/held' })
    await waitUntil(() => release !== undefined)
    expect(server.stats().requests).toEqual({ ...zero, [name]: 1 })
    expect(server.stats().connections[name]).toBe(before.connections[name] + 1)
    release?.()
    release = undefined
    await (await response).bytes()
    await waitUntil(() => server.stats().requests[name] === 0)
    await own.close()
    await waitUntil(() => server.stats().connections[name] === before.connections[name])
  })
})

describe('a connection', () => {
  it('changes its protocol when the HTTP/2 preface arrives', async () => {
    const { port, close } = await start({ tls: undefined, http3: false })
    const opened = subscribe<ConnectionTrace>('fw.connection.open')
    const socket = openSocket({ port, host: '127.0.0.1' })
    await waitUntil(() => opened.length > 0)
    expect(opened[0]?.protocol).toBe('HTTP/1.1')
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    await waitUntil(() => opened[0]?.protocol === 'HTTP/2.0')
    expect(opened).toHaveLength(1)
    socket.destroy()
    await close()
  })

  it('reports a resumed session', async () => {
    const { key, cert } = await testCertificate()
    const { port, close } = await start({ tls: { key, cert }, http3: false })
    const opened = subscribe<ConnectionTrace>('fw.connection.open')
    let session: Buffer | undefined
    for (let client = 0; client < 2; client++) {
      const socket = openTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...(session && { session }) })
      const ticket = once(socket, 'session') as Promise<[Buffer]>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      await socket.resume().toArray()
      session ??= (await ticket)[0]
    }
    expect(opened.map(({ tls }) => tls?.resumed)).toEqual([false, true])
    await close()
  })

  it('records the time of the first byte of a head that arrives in two parts', async () => {
    const { port, close } = await start({ tls: undefined, http3: false })
    const opened = subscribe<ConnectionTrace>('fw.connection.open')
    const flushed = subscribe<RequestTrace>('fw.request.flushed')
    const socket = openSocket({ port, host: '127.0.0.1' })
    await waitUntil(() => opened.length > 0)
    socket.write('GET / HTTP/1.1\r\n')
    // The server runs in this process, so it reads the first part in one of these turns.
    for (let turn = 0; turn < 10; turn++) await sleep(1)
    const between = performance.now()
    socket.write('Host: a\r\n\r\n')
    await waitUntil(() => flushed.length > 0)
    const { received, parsed } = last(flushed).timing
    expect([received, between, parsed]).toSatisfy(isOrdered)
    socket.destroy()
    await close()
  })

  it('waits for a slow client before it records the last byte of a response', async () => {
    const { port, close } = await start({ tls: undefined, http3: false })
    const handled = subscribe<RequestTrace>('tracing:fw.request:end')
    const flushed = subscribe<RequestTrace>('fw.request.flushed')
    const socket = openSocket({ port, host: '127.0.0.1' }).pause()
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    await waitUntil(() => handled.length > 0)
    await sleep(20)
    expect(flushed).toEqual([])
    const resumed = performance.now()
    socket.resume()
    await waitUntil(() => flushed.length > 0)
    const { answered, flushed: end } = last(flushed).timing
    expect([answered, resumed, end]).toSatisfy(isOrdered)
    socket.destroy()
    await close()
  })

  it('publishes each of several pipelined requests once', async () => {
    const { port, close } = await start({ tls: undefined, http3: false })
    const flushed = subscribe<RequestTrace>('fw.request.flushed')
    const socket = openSocket({ port, host: '127.0.0.1' })
    socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5))
    await waitUntil(() => flushed.length === 5)
    expect(flushed.map(({ nth }) => nth)).toEqual([1, 2, 3, 4, 5])
    socket.destroy()
    await close()
  })
})

describe('a request to a Node.js server', () => {
  it('has times but no connection', async () => {
    const flushed = subscribe<RequestTrace>('fw.request.flushed')
    const own = new Server()
    own.router().get('/', () => 'hello')
    const adapted = createServer(toNodeHandler(own.router())).listen(0, '127.0.0.1')
    await once(adapted, 'listening')
    const { port } = adapted.address() as AddressInfo
    await (await fetch(`http://127.0.0.1:${port}/`)).text()
    await waitUntil(() => flushed.length > 0)
    expect(flushed[0]).toMatchObject({ connection: undefined, stream: undefined, nth: undefined })
    expect(steps(last(flushed))).toSatisfy(isOrdered)
    adapted.close()
    adapted.closeAllConnections()
  })
})

describe('a request without a socket', () => {
  it('has times but no connection', async () => {
    const flushed = subscribe<RequestTrace>('fw.request.flushed')
    const own = new Server()
    own.router().get('/', () => 'hello')
    await own.fetch('/')
    expect(flushed).toHaveLength(1)
    expect(flushed[0]).toMatchObject({ connection: undefined, stream: undefined, nth: undefined })
    expect(steps(last(flushed))).toSatisfy(isOrdered)
  })

  it('is published on fw.request.refused', async () => {
    const refused = subscribe<Refusal>('fw.request.refused')
    await new Server().fetch('/', { headers: { expect: 'x' } })
    expect(refused).toEqual([expect.objectContaining({ status: 417, reason: 'Unknown expectation' })])
  })
})

function closest(): string {
  return 'answered'
}

/** Sends one request that succeeds and one that fails, and returns the published events. */
async function run(...events: string[]): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const event of events) {
    const name = `tracing:fw.middleware:${event}`
    const listener = (message: unknown): void => {
      const { name: middleware, context, error } = message as MiddlewareTrace
      seen.push([event, middleware, context.path, ...(error === undefined ? [] : [(error as Error).message])])
    }
    channel(name).subscribe(listener)
    undo.push(() => channel(name).unsubscribe(listener))
  }
  const own = new Server({ logger: log.logger })
  const router = own.router()
  router.use(async function outer(_ctx, next) {
    await next()
  })
  router.use(function inner(_ctx, next) {
    return next()
  })
  router.get('/fails', () => Promise.reject(new Error('no')))
  router.get(
    '/',
    {
      use: closest,
    },
    () => 'never',
  )
  await own.fetch('/')
  await own.fetch('/fails')
  return seen
}

describe('the tracing channel fw.middleware', () => {
  it('publishes each middleware function with its name', async () => {
    expect(await run('start', 'asyncEnd', 'error')).toEqual([
      ['start', 'outer', '/'],
      ['start', 'inner', '/'],
      ['start', 'closest', '/'],
      ['asyncEnd', 'inner', '/'],
      ['asyncEnd', 'outer', '/'],
      ['start', 'outer', '/fails'],
      ['start', 'inner', '/fails'],
      ['error', 'inner', '/fails', 'no'],
      ['asyncEnd', 'inner', '/fails', 'no'],
      ['error', 'outer', '/fails', 'no'],
      ['asyncEnd', 'outer', '/fails', 'no'],
    ])
  })

  it('publishes the end of a synchronous middleware function', async () => {
    expect((await run('end')).slice(0, 3)).toEqual([
      ['end', 'closest', '/'],
      ['end', 'inner', '/'],
      ['end', 'outer', '/'],
    ])
  })

  it('sets a bound store inside the middleware function', async () => {
    const store = new AsyncLocalStorage<string>()
    const { start: starts } = tracingChannel<MiddlewareTrace, string>('fw.middleware')
    starts.bindStore(store, ({ name }) => name)
    undo.push(() => starts.unbindStore(store))
    const own = new Server()
    own.router().use(async function named(_ctx, next) {
      await next()
    })
    own.router().get('/', async () => {
      await Promise.resolve()
      return store.getStore()
    })
    expect(await (await own.fetch('/')).text()).toBe('named')
  })
})
