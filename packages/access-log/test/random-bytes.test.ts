import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { connect, rawExchange, testCertificate, type ClientRequest } from '@fw/testing'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accessLog, AccessLogFormat, type AccessLogConfig } from '../src/index.ts'
import { parseCombined, UNSAFE } from './parse-entry.ts'

const sink = new MemorySink()

beforeAll(() => setLevel(Level.Trace))
beforeEach(() => {
  sink.clear()
  setSinks([sink])
})
afterEach(() => setSinks([]))
afterAll(() => setLevel(Level.Info))

/** Strings that would forge a part of an entry, a whole entry or a terminal command. */
const HOSTILE = [
  '\n',
  '\r\nGET /fake 200 OK 0.10ms - 1.1.1.1 (0 B) [HTTP/1.1]',
  ' 200 OK 1.00ms - 9.9.9.9 (0 B) [HTTP/1.1]',
  '] [x-user: admin',
  '"} {"method":"GET"',
  '","admin":true,"',
  '\\',
  '\\x0a',
  '\\"',
  '"',
  '\x1b[2J\x1b]0;title\x07',
  '\x9b31m',
  '\x7f',
  '\0',
  '%0a%0d%1b',
  '{}',
  '{0}',
  '%s%n',
  '$&',
  '\u2028',
  '\u202e',
  '\u00ad',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\ud800',
  '\u00e9\u20ac\u{1f600}',
] as const

/** Returns bytes, one character each: random bytes or UTF-8 text, with or without hostile strings. */
const latin1 = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.string({ unit: 'binary', maxLength: 6 }).map((text) => Buffer.from(text).toString('latin1')),
      fc.constantFrom(...HOSTILE).map((text) => Buffer.from(text).toString('latin1')),
      fc.constantFrom(...HOSTILE),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''))

const REQUEST_HEADERS = ['User-Agent', 'referer', 'x-request-id', '__proto__']
const RESPONSE_HEADERS = ['x-echo', 'constructor']
const CONFIG: AccessLogConfig = {
  requestHeaders: REQUEST_HEADERS,
  responseHeaders: RESPONSE_HEADERS,
  logTraceContext: true,
}

const JSON_KEYS = [
  'method',
  'path',
  'status',
  'phrase',
  'duration_ns',
  'bytes',
  'query',
  'client_ip',
  'protocol',
  'request_headers',
  'response_headers',
  'correlation_id',
  'slow',
  'aborted',
  'trace_id',
  'parent_id',
]
const REQUIRED: ReadonlySet<string> = new Set([...JSON_KEYS.slice(0, 6), 'client_ip', 'protocol'])

/** The number of requests for each protocol. The fuzz target `access-log` checks many more without sockets. */
const SOCKET_RUNS = 100

/** Sends requests with random bytes to a server that uses this format. Does not check whether the server refuses them. */
async function entriesOver(
  format: AccessLogFormat,
  send: (port: number) => Promise<void>,
  h3 = false,
): Promise<string[]> {
  const { key, cert } = await testCertificate()
  await using server = new Server(h3 ? { tls: { key, cert }, http3: true } : {})
  server
    .router()
    .use(accessLog({ ...CONFIG, format }))
    .get('/*path', () => 'x')
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  setLevel(Level.Info)
  sink.clear()
  await send(Number(url.port))
  await server.close({ drainMs: 0 })
  return sink.messages().filter((text) => !/^(Listening|Closing|Closed)/.test(text))
}

describe('an access log with random bytes from a socket', () => {
  it('logs one well-formed entry for each HTTP/1.1 request', async () => {
    const samples = fc.sample(fc.tuple(latin1, latin1, latin1), SOCKET_RUNS)
    const texts = await entriesOver(AccessLogFormat.Combined, async (port) => {
      for (const [path, query, value] of samples) {
        const head = `GET /${path}?${query} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${value}\r\nConnection: close\r\n\r\n`
        await rawExchange(port, Buffer.from(head, 'latin1'))
      }
    })
    const entries = texts.map((text) => parseCombined(text))
    // A line break in the bytes can split a request in two before it reaches the server.
    expect(entries.length).toBeGreaterThanOrEqual(samples.length)
    expect(new Set(entries.map(({ status: responded }) => responded))).toEqual(new Set([200, 400]))
  })

  it.each(['h2c', 'h3'] as const)('logs well-formed entries for %s', async (protocol) => {
    const samples = fc.sample(fc.tuple(latin1, latin1, latin1), SOCKET_RUNS)
    const texts = await entriesOver(
      AccessLogFormat.Json,
      async (port) => {
        const client = await connect(protocol, { port })
        for (const [path, query, value] of samples) {
          const sent: ClientRequest = { path: `/${path}?${query}`, headers: [['user-agent', value]] }
          // The client or the server rejects most of these requests.
          await client
            .request(sent)
            .then((response) => response.bytes())
            .catch(() => {})
        }
        await (await client.request({ path: '/last' })).bytes()
        await client.close()
      },
      protocol === 'h3',
    )
    expect(texts.length).toBeGreaterThan(1)
    for (const text of texts) {
      expect(UNSAFE.exec(text)).toBeNull()
      const keys = Object.keys(JSON.parse(text) as object)
      expect(keys).toEqual(JSON_KEYS.filter((key) => REQUIRED.has(key) || keys.includes(key)))
    }
  })
})
