import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { eachProtocol, rawExchange, type ServerDemand, type TestProtocol } from '@fw/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accessLog, AccessLogFormat, RequestLogger } from '../src/index.ts'

/** Distinguishes entries from server records. */
const ENTRY = /^(\[SLOW\] )?(\[ABORTED\] )?(\S+ \S+ \d{3} |\S+ - "|\{)/

const sink = new MemorySink()
/** Number of requests whose handlers are waiting. */
let waiting = 0
const entries = (): string[] => sink.messages().filter((message) => ENTRY.test(message))

/** Waits for an entry. The client can receive its response before the exchange ends and the entry is logged. */
async function nextEntry(): Promise<string> {
  for (let ms = 0; entries().length === 0; ms += 2) {
    if (ms > 5000) throw new Error('No entry was logged')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  // A second entry would be logged in the same turn.
  expect(entries()).toHaveLength(1)
  return entries()[0] ?? ''
}

function makeServer({ tls, http3 }: Partial<ServerDemand> = {}): Server {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3: http3 ?? false })
  const router = server.router().use(accessLog({ responseHeaders: ['x-cache'] }))
  router.get('/hello', (ctx) => {
    ctx.responseHeaders.set('x-cache', 'HIT')
    ctx.local(RequestLogger).info('asked for {}', 'hello')
    return 'hello'
  })
  router.get('/boom', () => {
    throw new Error('on purpose')
  })
  router.get('/stream', async (ctx) => {
    const body = ctx.startResponse()
    for (let i = 0; i < 5; i++) {
      if (!body.write(Buffer.alloc(14_000))) await body.drained()
    }
  })
  router.get('/wait', (ctx) => {
    waiting++
    return new Promise<void>((resolve) => ctx.onFinish(() => resolve()))
  })
  router.get('/endless', async (ctx) => {
    const body = ctx.startResponse()
    body.write(Buffer.from('some'))
    await new Promise<void>((resolve) => ctx.onFinish(() => resolve()))
  })
  router
    .group('/api')
    .use(accessLog({ format: AccessLogFormat.Json, logClientIp: false }))
    .get('/users', () => [1, 2, 3])
  return server
}

const PROTOCOL_TEXT: Record<TestProtocol, string> = {
  h1: 'HTTP/1.1',
  'h1+tls': 'HTTP/1.1',
  h2: 'HTTP/2.0',
  h2c: 'HTTP/2.0',
  h3: 'HTTP/3.0',
}

beforeAll(() => {
  setLevel(Level.Info)
  setSinks([sink])
})
beforeEach(() => sink.clear())
afterAll(() => setSinks([]))

async function start(demand: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = makeServer(demand)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('an access log', start, (client, protocol) => {
  const text = PROTOCOL_TEXT[protocol]
  const line = (request: string, size: string, rest = ''): RegExp =>
    new RegExp(String.raw`^${request} \d+\.\d\dms - 127\.0\.0\.1 \(${size}\) \[${text}\]${rest}$`, 'u')

  it("logs one entry for a response, after its handler's record", async () => {
    const response = await client().request({ path: '/hello?a=b%20c', headers: [['x-request-id', 'r-1']] })
    expect(await response.text()).toBe('hello')
    expect(await nextEntry()).toMatch(
      line(String.raw`GET /hello\?a=b%20c 200 OK`, '5 B', String.raw` \[x-cache: HIT\]`),
    )
    expect(sink.messages()[0]).toBe('[r-1] [GET /hello] asked for hello')
  })

  it('logs one entry for a HEAD request, with 0 B as its size', async () => {
    await (await client().request({ method: 'HEAD', path: '/hello' })).text()
    expect(await nextEntry()).toMatch(line('HEAD /hello 200 OK', '0 B', String.raw` \[x-cache: HIT\]`))
  })

  it('logs one entry for a path without a route', async () => {
    await (await client().request({ path: '/nowhere' })).text()
    expect(await nextEntry()).toMatch(line('GET /nowhere 404 Not Found', String.raw`\d+ B`))
  })

  it('logs one entry for a handler that throws', async () => {
    await (await client().request({ path: '/boom' })).text()
    expect(await nextEntry()).toMatch(line('GET /boom 500 Internal Server Error', String.raw`\d+ B`))
  })

  it('logs one entry at the end of a stream, with the number of bytes', async () => {
    const response = await client().request({ path: '/stream' })
    expect((await response.bytes()).byteLength).toBe(70_000)
    expect(await nextEntry()).toMatch(line('GET /stream 200 OK', String.raw`68\.4 KB`))
  })

  it('logs one entry for a client that disconnects before the head', async () => {
    waiting = 0
    const leaving = new AbortController()
    const request = client().request({ path: '/wait', signal: leaving.signal })
    // Handle the rejection immediately, because it occurs while the test is waiting for something else.
    const outcome = request.catch((error: unknown) => error)
    await expect.poll(() => waiting).toBe(1)
    leaving.abort()
    expect(await outcome).toBeInstanceOf(Error)
    expect(await nextEntry()).toMatch(line(String.raw`\[ABORTED\] GET /wait 499 Client Closed Request`, '0 B'))
  })

  it('logs one entry for a client that disconnects during the body', async () => {
    const response = await client().request({ path: '/endless' })
    await response.body[Symbol.asyncIterator]().next()
    expect(entries()).toEqual([])
    response.abort()
    expect(await nextEntry()).toMatch(line(String.raw`\[ABORTED\] GET /endless 200 OK`, '4 B'))
  })

  it("applies a group's settings to the entries for its requests", async () => {
    await (await client().request({ path: '/api/users?x' })).text()
    const entry = JSON.parse(await nextEntry()) as Record<string, unknown>
    expect(Object.keys(entry)).toEqual([
      'method',
      'path',
      'status',
      'phrase',
      'duration_ns',
      'bytes',
      'query',
      'protocol',
    ])
    expect(entry).toMatchObject({ path: '/api/users', status: 200, bytes: 7, query: 'x', protocol: text })
  })
})

describe('an access log on HTTP/1.1', () => {
  it('logs one entry for a request that the parser refuses', async () => {
    await using server = makeServer()
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await rawExchange(Number(url.port), 'GET /p HTTP/1.1\r\nHost : x\r\n\r\n')
    expect(await nextEntry()).toMatch(
      /^(GET \/p|- -) 400 Bad Request \d+\.\d\dms - 127\.0\.0\.1 \(\d+ B\) \[(HTTP\/1\.1|-)\]$/,
    )
  })

  it('decodes header bytes as UTF-8', async () => {
    const server = new Server()
    server
      .router()
      .use(accessLog({ requestHeaders: ['user-agent'] }))
      .get('/', () => 'x')
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await rawExchange(
      Number(url.port),
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUser-Agent: Voil\u00e0 \u202e] [x\r\n\r\n'),
    )
    expect(await nextEntry()).toMatch(/ \[user-agent: Voilà \\u202e\\x5d \\x5bx\]$/u)
    await server.close()
  })

  it('logs no entry and provides no RequestLogger on a router without an access log', async () => {
    const server = new Server()
    const seen: unknown[] = []
    server.router().get('/', (ctx) => {
      seen.push(ctx.get(RequestLogger))
      try {
        seen.push(ctx.local(RequestLogger))
      } catch (error) {
        seen.push(String(error))
      }
      return 'x'
    })
    expect((await server.fetch('/')).status).toBe(200)
    expect(seen).toEqual([null, expect.stringMatching(/RequestLogger.*router\.use\(accessLog\(\)\)/)])
    expect(entries()).toEqual([])
  })
})
