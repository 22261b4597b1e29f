import { once } from 'node:events'
import { connect as netConnect } from 'node:net'
import { Server, type ServerOptions } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { sse } from '@fw/sse'
import {
  closed,
  connect,
  eachProtocol,
  type ProtocolClient,
  rawExchange,
  type RunningServer,
  type ServerDemand,
} from '@fw/testing'
import type { Context } from '@fw/types'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accessLog } from '../src/index.ts'

const sink = new MemorySink()

beforeAll(() => {
  setLevel(Level.Info)
  setSinks([sink])
})
beforeEach(() => sink.clear())
afterAll(() => setSinks([]))

/** Returns the logged entries without durations and server records. */
const entries = (): string[] =>
  sink
    .messages()
    .filter((message) => /^(\[ABORTED\] )?\S+ \S+ \d{3} /.test(message))
    .map((message) => message.replace(/ \d+\.\d\dms - 127\.0\.0\.1 /, ' '))

/** Waits for entries and checks their number. An extra entry could be logged only in the same turn. */
async function nextEntries(count: number): Promise<string[]> {
  const givenUpMs = performance.now() + 30_000
  while (entries().length < count) {
    if (performance.now() > givenUpMs) throw new Error(`No ${count} entries but: ${entries().join('\n')}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(entries()).toHaveLength(count)
  return entries()
}

type Limits = NonNullable<ServerOptions['limits']>

const LIMITS: Limits = { maxFields: 20, maxBodyBytes: 1000 }
/** Use these limits only in tests that must exceed them. On a busy machine, other tests could exceed them too. */
const SHORT_LIMITS: Limits = { ...LIMITS, bodyStallTimeoutMs: 500, headTimeoutMs: 1000 }

/** Resolves when the exchange has ended. */
const over = (ctx: Context): Promise<void> => new Promise((resolve) => ctx.onFinish(() => resolve()))

/** Returns a request body that never ends. */
async function* stalling(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('some')
  await new Promise((resolve) => setTimeout(resolve, 10_000).unref())
}

function makeServer({ tls, http3 }: Partial<ServerDemand> = {}, limits = LIMITS): Server {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3: http3 ?? false, limits })
  // Use the access log twice: each request must still be logged once.
  const router = server.router().use(accessLog({ logProtocol: true }), accessLog({ logProtocol: false }))
  router.post('/body', async (ctx) => `${(await ctx.bytes()).byteLength}`)
  router.get('/wait', (ctx) => {
    waiting++
    return over(ctx)
  })
  router.get('/upgrade', (ctx) => {
    const { socket } = ctx.exchange.upgrade?.() ?? {}
    socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n').resume()
  })
  router.get('/hints', (ctx) => {
    ctx.exchange.inform(103, ['link', '</style.css>'])
    return 'hello'
  })
  router.get('/crash', async (ctx) => {
    const body = ctx.startResponse()
    body.write(Buffer.from('some'))
    await body.drained()
    throw new Error('after the head')
  })
  router.get('/cut', (ctx) => {
    ctx.responseHeaders.set('content-length', '10')
    ctx.startResponse().write(Buffer.from('some'))
  })
  router.get('/events', async (ctx) => {
    const stream = await sse(ctx, { heartbeatMs: 0 })
    await stream.data('one')
    if (ctx.rawQuery === 'endless') await over(ctx)
    else await stream.data('two')
  })
  const typed = router.group('/typed').use(accessLog({ logProtocol: false, responseHeaders: ['content-type'] }))
  typed.get('/started', (ctx) => {
    ctx.responseHeaders.set('content-type', 'text/csv')
    ctx.startResponse().write(Buffer.from('1,2'))
  })
  typed.get('/text', () => 'one')
  typed.get('/json', async () => ({ one: 1 }))
  typed.get('/events', async (ctx) => (await sse(ctx, { heartbeatMs: 0 })).comment(''))
  return server
}

let port = 0
/** Number of requests whose handlers are waiting. */
let waiting = 0

/** Requests a path and reads the whole response. An HTTP/3 reset can discard sent bytes, even the head. */
async function wholeResponse(client: ProtocolClient, path: string): Promise<Uint8Array> {
  const response = await client.request({ path })
  return response.bytes()
}

async function start(demand: ServerDemand, limits = LIMITS): Promise<RunningServer> {
  const server = makeServer(demand, limits)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  port = Number(url.port)
  return { port, close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('an access log', start, (client, protocol) => {
  it('logs an entry for a handler that fails after the head', async () => {
    await expect(wholeResponse(client(), '/crash')).rejects.toBeInstanceOf(Error)
    expect(await nextEntries(1)).toEqual(['[ABORTED] GET /crash 200 OK (4 B)'])
  })

  it('logs an entry for a response that is shorter than announced', async () => {
    await expect(wholeResponse(client(), '/cut')).rejects.toBeInstanceOf(Error)
    expect(await nextEntries(1)).toEqual(['[ABORTED] GET /cut 200 OK (4 B)'])
  })

  it.each([
    ['/typed/started', 'text/csv'],
    ['/typed/text', 'text/plain; charset=utf-8'],
    ['/typed/json', 'application/json'],
    ['/typed/events', 'text/event-stream'],
  ])('logs the fields of the sent head for %s', async (path, type) => {
    const response = await client().request({ path })
    const { byteLength } = await response.bytes()
    expect(await nextEntries(1)).toEqual([`GET ${path} 200 OK (${byteLength} B) [content-type: ${type}]`])
  })

  it('logs an entry at the end of an event stream, with all its bytes', async () => {
    const response = await client().request({ path: '/events' })
    const text = await response.text()
    expect(await nextEntries(1)).toEqual([`GET /events 200 OK (${text.length} B)`])
  })

  it('logs an entry when the client of an event stream disconnects', async () => {
    const response = await client().request({ path: '/events?endless' })
    const first = await response.body[Symbol.asyncIterator]().next()
    expect(entries()).toEqual([])
    response.abort()
    const size = (first.value as Uint8Array).byteLength
    expect(await nextEntries(1)).toEqual([`[ABORTED] GET /events?endless 200 OK (${size} B)`])
  })

  it('logs an entry for each request on a connection that breaks', async () => {
    waiting = 0
    const own = await connect(protocol, { port })
    const asked = [own.request({ path: '/wait?1' }), own.request({ path: '/wait?2' })]
    const results = Promise.allSettled(asked)
    await expect.poll(() => waiting).toBe(2)
    await own.close()
    await results
    expect((await nextEntries(2)).toSorted()).toEqual([
      '[ABORTED] GET /wait?1 499 Client Closed Request (0 B)',
      '[ABORTED] GET /wait?2 499 Client Closed Request (0 B)',
    ])
  })

  it('logs an entry for a body that is too large', async () => {
    const response = await client().request({ path: '/body', body: new Uint8Array(1001) })
    await response.bytes()
    expect(await nextEntries(1)).toEqual([expect.stringMatching(/^POST \/body 413 Content Too Large \(\d+ B\)$/)])
  })

  it('logs one entry for a request that the protocol engine refuses', async () => {
    // HTTP/3 resets it without a response.
    await client()
      .request({ path: '/refused#x' })
      .then((response) => response.bytes())
      .catch(() => {})
    expect(await nextEntries(1)).toEqual([
      expect.stringMatching(/^(\[ABORTED\] )?(GET \/refused#x|- -) 400 Bad Request \(0 B\)$/),
    ])
  })
})

eachProtocol(
  'an access log, for a request whose body stalls',
  (demand) => start(demand, SHORT_LIMITS),
  (client) => {
    it('logs an entry', async () => {
      const response = await client().request({ path: '/body', body: stalling() })
      expect(response.status).toBe(408)
      response.abort()
      expect(await nextEntries(1)).toEqual([expect.stringMatching(/^POST \/body 408 Request Timeout \(\d+ B\)$/)])
    })
  },
)

eachProtocol('an access log, for a request with too many fields', start, (client) => {
  it('logs one entry', async () => {
    const headers = Array.from({ length: 30 }, (_, i): [string, string] => [`x-${i}`, ''])
    const response = await client().request({ path: '/many', headers })
    expect(response.status).toBe(431)
    expect(await nextEntries(1)).toEqual([
      expect.stringMatching(/^(GET \/many|- -) 431 Request Header Fields Too Large \(0 B\)$/),
    ])
  })
})

/** RFC 9113 §4.1 */
function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, streamId]), payload])
}

describe('an access log over HTTP/2', () => {
  /** GET http://a/ with a field name in upper case, which is malformed (RFC 9113 §8.2). */
  const MALFORMED = Buffer.from('\x82\x86\x84\x41\x01a\x00\x01X\x011', 'latin1')

  it.each<[string, Buffer, string]>([
    ['a malformed request, which is reset', frame(0x1, 0x5, 1, MALFORMED), 'GET /'],
    // RFC 9113 §6.1: the server must close the connection.
    ['a connection error', frame(0x0, 0, 0, Buffer.from('data')), '- -'],
  ])('logs one entry for %s', async (_, sent, known) => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = netConnect(Number(url.port), '127.0.0.1')
    socket.on('error', () => {}).resume()
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    socket.write(frame(0x4, 0, 0, Buffer.alloc(0)))
    socket.write(sent)
    expect(await nextEntries(1)).toEqual([`[ABORTED] ${known} 400 Bad Request (0 B)`])
    socket.destroy()
    // The server may already have closed the connection.
    await closed(socket)
    await server.close({ drainMs: 0 })
    expect(entries()).toHaveLength(1)
  })
})

describe('an access log over HTTP/1.1', () => {
  it.each([
    ['a malformed request', 'GET /p HTTP/1.1\r\nHost : x\r\n\r\n', /^GET \/p 400 Bad Request/],
    ['bytes that are not HTTP', '\x16\x03\x01\x02\0\x01\0\r\n\r\n', /^- - 400 Bad Request/],
    ['a target that is too long', `GET /${'p'.repeat(8000)} HTTP/1.1\r\n`, /^\S+ \S+ 414 URI Too Long/],
    [
      'a target that is not ASCII',
      'GET /caf\xc3\xa9?a b HTTP/1.1\r\nHost: x\r\n\r\n',
      /^GET \/caf\u00e9\?a\\x20b 400 Bad Request/,
    ],
    ['a password in a target', 'CONNECT me:pw@h:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^CONNECT h:443 400 Bad Request/],
    ['another version', 'GET /p HTTP/3.1\r\nHost: x\r\n\r\n', /^\S+ \S+ 505 HTTP Version Not Supported/],
  ])('logs one entry for %s', async (_, bytes, expected) => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await rawExchange(Number(url.port), bytes, { timeoutMs: 5000 })
    expect(await nextEntries(1)).toEqual([expect.stringMatching(expected)])
  })

  it('logs one entry for an incomplete head', async () => {
    await using server = makeServer({}, SHORT_LIMITS)
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await rawExchange(Number(url.port), 'GET /p HTTP/1.1\r\nHost: x\r\n', { timeoutMs: 5000 })
    expect(await nextEntries(1)).toEqual([expect.stringMatching(/^GET \/p 408 Request Timeout/)])
  })

  it.each([
    ['within a field', 'GET /p?q HTTP/1.1\r\nHost: x\r\nUser-', 'GET /p?q'],
    ['within the request line', 'GET /p', '- -'],
  ])('logs an entry for a client that disconnects %s', async (_, bytes, known) => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await rawExchange(Number(url.port), bytes, { halfClose: true })
    expect(await nextEntries(1)).toEqual([`[ABORTED] ${known} 499 Client Closed Request (0 B)`])
  })

  it('logs one entry when an upgraded connection ends', async () => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = netConnect(Number(url.port), '127.0.0.1')
    socket.write('GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n')
    await once(socket, 'data')
    expect(entries()).toEqual([])
    socket.end()
    expect(await nextEntries(1)).toEqual(['GET /upgrade 101 Switching Protocols (0 B)'])
  })

  it('logs one entry for a response that follows informational responses', async () => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const { text } = await rawExchange(Number(url.port), 'GET /hints HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 103 .*HTTP\/1\.1 200 /s)
    expect(await nextEntries(1)).toEqual(['GET /hints 200 OK (5 B)'])
  })

  it('does not log a connection without a request', async () => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await rawExchange(Number(url.port), '', { halfClose: true })
    await rawExchange(Number(url.port), 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await nextEntries(1)).toEqual([expect.stringMatching(/^GET \/ 404 /)])
  })
})
