import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { connect, rawExchange, testCertificate, type ClientRequest } from '@fw/testing'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accessLog, AccessLogFormat, RequestLogger, type AccessLogConfig } from '../src/index.ts'
import { fakeContext, type FakeRequest } from './fake-context.ts'
import { meaningOf, parseCombined, parseCommon, UNSAFE } from './parse-entry.ts'

/** Requests for each property; `FW_FUZZ_RUNS` for a longer search. */
const RUNS = Number(process.env['FW_FUZZ_RUNS'] ?? 1000)

const sink = new MemorySink()

beforeAll(() => setLevel(Level.Trace))
beforeEach(() => {
  sink.clear()
  setSinks([sink])
})
afterEach(() => setSinks([]))
afterAll(() => setLevel(Level.Info))

/** What somebody would try who wants to be taken for another part of an entry, another entry, or the terminal's owner. */
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

/** Bytes, one character each: at random, of UTF-8 text, or hostile ones with either around them. */
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

const NAMES = [
  'user-agent',
  'referer',
  'x-request-id',
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'traceparent',
] as const

const headers = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(latin1, fc.array(latin1, { maxLength: 3 })))

const request: fc.Arbitrary<Required<Pick<FakeRequest, 'method' | 'path' | 'rawQuery' | 'headers'>>> = fc.record({
  method: fc.constantFrom('GET', 'POST', "!#$%&'*+.^_`|~0"),
  path: latin1.map((path) => `/${path.replaceAll('?', '')}`),
  rawQuery: latin1,
  headers,
})
const status = fc.constantFrom(0, 200, 204, 404, 499, 500, 599)

const REQUEST_HEADERS = ['User-Agent', 'referer', 'x-request-id', '__proto__']
const RESPONSE_HEADERS = ['x-echo', 'constructor']
const CONFIG: AccessLogConfig = {
  requestHeaders: REQUEST_HEADERS,
  responseHeaders: RESPONSE_HEADERS,
  logTraceContext: true,
}

/** The text of the one entry of a request, whose response has a field with the bytes of its user agent. */
async function entryOf(format: AccessLogFormat, described: FakeRequest, responded: number): Promise<string> {
  sink.clear()
  const { ctx, finish } = fakeContext(described, { 'x-echo': described.headers?.['user-agent'] ?? [] })
  await accessLog({ ...CONFIG, format })(ctx, () => Promise.resolve())
  finish({ status: responded, aborted: responded === 0 })
  expect(sink.size()).toBe(1)
  return sink.messages()[0] ?? ''
}

/** The captured headers that an entry must show, in the order of the configuration. */
function captured(names: readonly string[], fields: NonNullable<FakeRequest['headers']>): [string, string][] {
  return names.flatMap((name) => {
    const values = [Object.hasOwn(fields, name.toLowerCase()) ? fields[name.toLowerCase()] : []].flat()
    return values.length === 0 ? [] : [[name, meaningOf(values.join(', '))]]
  })
}

describe('whatever a request holds', () => {
  it('its Combined entry is one of the documented grammar, and says what the request held', async () => {
    await fc.assert(
      fc.asyncProperty(request, status, async (described, responded) => {
        const { headers: shown, ...parts } = parseCombined(
          await entryOf(AccessLogFormat.Combined, described, responded),
        )
        expect(parts).toEqual({
          tags: responded === 0 ? '[ABORTED] ' : '',
          method: described.method,
          path: meaningOf(described.path),
          query: described.rawQuery === '' ? undefined : meaningOf(described.rawQuery),
          status: responded || 499,
          protocol: 'HTTP/1.1',
        })
        const echo = { 'x-echo': described.headers['user-agent'] ?? [] }
        const wanted = [...captured(REQUEST_HEADERS, described.headers), ...captured(RESPONSE_HEADERS, echo)]
        expect(shown.filter(([name]) => name !== 'trace_id')).toEqual(wanted)
      }),
      { numRuns: RUNS },
    )
  })

  it('its Common entry is one of the documented form, and says what the request held', async () => {
    await fc.assert(
      fc.asyncProperty(request, status, async (described, responded) => {
        const parts = parseCommon(await entryOf(AccessLogFormat.Common, described, responded))
        expect(parts).toMatchObject({ method: described.method, path: meaningOf(described.path) })
        expect(parts.query ?? '').toBe(meaningOf(described.rawQuery))
      }),
      { numRuns: RUNS },
    )
  })

  it('its Json entry is an object with the documented keys, and says what the request held', async () => {
    await fc.assert(
      fc.asyncProperty(request, status, async (described, responded) => {
        const text = await entryOf(AccessLogFormat.Json, described, responded)
        expect(UNSAFE.exec(text)).toBeNull()
        const entry = JSON.parse(text) as Record<string, unknown>
        expect(Object.keys(entry)).toEqual(JSON_KEYS.filter((key) => REQUIRED.has(key) || key in entry))
        expect(sink.records()[0]?.data).toEqual(entry)
        expect(entry).toMatchObject({ method: described.method, path: meaningOf(described.path) })
        expect(entry['query'] ?? '').toBe(meaningOf(described.rawQuery))
        expect(Object.entries(entry['request_headers'] ?? {})).toEqual(captured(REQUEST_HEADERS, described.headers))
      }),
      { numRuns: RUNS },
    )
  })

  it('the prefix of its RequestLogger is closed by its own brackets', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (described) => {
        sink.clear()
        const { ctx } = fakeContext(described)
        await accessLog()(ctx, () => Promise.resolve())
        ctx.local(RequestLogger).info('message')
        const text = sink.messages()[0] ?? ''
        expect(text).toMatch(/^(\[[!#-Z^-~]{1,128}\] )?\[[^ "[\]]+ [^ [\]]+\] message$/)
        expect(UNSAFE.exec(text)).toBeNull()
      }),
      { numRuns: RUNS },
    )
  })
})

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

/** Requests over sockets cost more. */
const SOCKET_RUNS = Math.ceil(RUNS / 10)

/** Sends requests of random bytes to a server of this format; whether they are refused is not the question. */
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

describe('random bytes over a socket', () => {
  it('of HTTP/1.1 give one well-formed entry for each request', async () => {
    const samples = fc.sample(fc.tuple(latin1, latin1, latin1), SOCKET_RUNS)
    const texts = await entriesOver(AccessLogFormat.Combined, async (port) => {
      for (const [path, query, value] of samples) {
        const head = `GET /${path}?${query} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${value}\r\nConnection: close\r\n\r\n`
        await rawExchange(port, Buffer.from(head, 'latin1'))
      }
    })
    const entries = texts.map((text) => parseCombined(text))
    // A line break among the bytes can make two requests of one, on the way to the server already.
    expect(entries.length).toBeGreaterThanOrEqual(samples.length)
    expect(new Set(entries.map(({ status: responded }) => responded))).toEqual(new Set([200, 400]))
  })

  it.each(['h2c', 'h3'] as const)('of %s give well-formed entries', async (protocol) => {
    const samples = fc.sample(fc.tuple(latin1, latin1, latin1), SOCKET_RUNS)
    const texts = await entriesOver(
      AccessLogFormat.Json,
      async (port) => {
        const client = await connect(protocol, { port })
        for (const [path, query, value] of samples) {
          const sent: ClientRequest = { path: `/${path}?${query}`, headers: [['user-agent', value]] }
          // Most of these are not even sent, or refused.
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
