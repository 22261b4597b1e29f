import assert from 'node:assert/strict'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { accessLog, AccessLogFormat, RequestLogger, type AccessLogConfig } from '../src/index.ts'
import { fakeContext } from '../test/fake-context.ts'
import { meaningOf, parseCombined, parseCommon, UNSAFE } from '../test/parse-entry.ts'

/** A request. Text values are bytes, one character each, or contain characters above U+00FF. */
interface Input {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** Status of the response; 0 if the client disconnected before the response head. */
  readonly status: number
}

/** Strings that would forge a part of an entry, a whole entry or a terminal command. */
const HOSTILE: readonly string[] = [
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
  'token=secret&',
  '%74oken=secret',
  ...['\u2028', '\u202e', '\u00ad', '\u200b', '\u2060', '\ufeff', '\ud800', '\u00e9\u20ac\u{1f600}'].flatMap((each) => [
    each,
    Buffer.from(each).toString('latin1'),
  ]),
]
const NAMES = [
  'user-agent',
  'referer',
  'x-request-id',
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'traceparent',
] as const
const REQUEST_HEADERS = ['User-Agent', 'referer', 'x-request-id', '__proto__']
const RESPONSE_HEADERS = ['x-echo', 'constructor']
const SECRET = 'secret'
const CONFIG: AccessLogConfig = {
  requestHeaders: REQUEST_HEADERS,
  responseHeaders: RESPONSE_HEADERS,
  logTraceContext: true,
}

/** The documented grammar of Combined, plus the characters that entries escape. `E` matches an escape. */
const E = String.raw`\\(?:[\\"]|x[0-9a-f]{2}|u[0-9a-f]{4})`
const COMBINED = new RegExp(
  String.raw`^(\[SLOW\] )?(\[ABORTED\] )?(-|[!#$%&'*+.^_\`|~0-9A-Za-z-]+) ([^ \\"\x00-\x1f\x7f-\x9f]|E)+ \d{3} (-|[A-Z][A-Za-z' -]*) \d+\.\d\dms - (-|[0-9a-f.:]+) \((\d+ B|\d+\.\d KB)\) \[(-|HTTP/(1\.1|2\.0|3\.0))\]( \[[^\s:[\]]+: ([^\\"[\]\x00-\x1f\x7f-\x9f]|E)*\])*$`.replaceAll(
    '|E)',
    `|${E})`,
  ),
)

const sink = new MemorySink()
setSinks([sink])
setLevel(Level.Trace)

const target: FuzzTarget<Input> = {
  parser: 'access-log entries in all formats, and the lines of a RequestLogger',
  generate: (random) => ({
    method: random.pick(['GET', 'POST', "!#$%&'*+.^_`|~0"]),
    path: `/${text(random).replaceAll('?', '')}`,
    query: text(random),
    headers: Object.fromEntries(
      NAMES.filter(() => random.chance(0.4)).map((name) => [
        name,
        [text(random), ...random.list(0.2, () => text(random))],
      ]),
    ),
    status: random.pick([0, 200, 204, 404, 499, 500, 599]),
  }),
  async check(input) {
    await checkCombined(input)
    await checkCommon(input)
    await checkJson(input)
    await checkRequestLogger(input)
    await checkRedaction(input)
  },
}
export default target

function text(random: Random): string {
  if (random.chance(0.003)) return random.pick(HOSTILE).repeat(random.below(1000))
  const parts = random.list(0.6, () => (random.chance(0.3) ? randomBytes(random, 10) : random.pick(HOSTILE)))
  return random.chance(0.2) ? mutate(parts.join(''), random, HOSTILE) : parts.join('')
}

/** Returns the text of a request's only entry. The response contains the user agent in a field. */
async function entryOf(input: Input, config: AccessLogConfig): Promise<string> {
  sink.clear()
  const { method, path, query: rawQuery, headers, status } = input
  const { ctx, finish } = fakeContext({ method, path, rawQuery, headers }, { 'x-echo': headers['user-agent'] ?? [] })
  await accessLog({ ...CONFIG, ...config })(ctx, () => Promise.resolve())
  finish({ status, aborted: status === 0 })
  assert.equal(sink.size(), 1)
  const entry = sink.messages()[0] ?? ''
  assert.doesNotMatch(entry, UNSAFE)
  return entry
}

async function checkCombined(input: Input): Promise<void> {
  const entry = await entryOf(input, { format: AccessLogFormat.Combined })
  assert.match(entry, COMBINED)
  const { headers, ...parts } = parseCombined(entry)
  assert.deepEqual(parts, {
    tags: input.status === 0 ? '[ABORTED] ' : '',
    method: input.method,
    path: meaningOf(input.path),
    query: input.query === '' ? undefined : meaningOf(input.query),
    status: input.status || 499,
    protocol: 'HTTP/1.1',
  })
  const echo = { 'x-echo': input.headers['user-agent'] ?? [] }
  const expected = [...captured(REQUEST_HEADERS, input.headers), ...captured(RESPONSE_HEADERS, echo)]
  assert.deepEqual(
    headers.filter(([name]) => name !== 'trace_id'),
    expected,
  )
}

async function checkCommon(input: Input): Promise<void> {
  const { method, path, query = '' } = parseCommon(await entryOf(input, { format: AccessLogFormat.Common }))
  assert.deepEqual([method, path, query], [input.method, meaningOf(input.path), meaningOf(input.query)])
}

async function checkJson(input: Input): Promise<void> {
  const entry = JSON.parse(await entryOf(input, { format: AccessLogFormat.Json })) as Record<string, unknown>
  assert.deepEqual(
    Object.keys(entry),
    JSON_KEYS.filter((key) => REQUIRED.has(key) || key in entry),
  )
  assert.deepEqual(
    [entry['method'], entry['path'], entry['query'] ?? ''],
    [input.method, meaningOf(input.path), meaningOf(input.query)],
  )
  assert.deepEqual(Object.entries(entry['request_headers'] ?? {}), captured(REQUEST_HEADERS, input.headers))
}

async function checkRequestLogger({ method, path, query: rawQuery, headers }: Input): Promise<void> {
  sink.clear()
  const { ctx } = fakeContext({ method, path, rawQuery, headers })
  await accessLog()(ctx, () => Promise.resolve())
  ctx.local(RequestLogger).info('message')
  const line = sink.messages()[0] ?? ''
  assert.match(line, /^(\[[!#-Z^-~]{1,128}\] )?\[[^ "[\]]+ [^ [\]]+\] message$/)
  assert.doesNotMatch(line, UNSAFE)
}

/** Checks that an entry does not contain a value that `URLSearchParams` finds under a redacted name. */
async function checkRedaction(input: Input): Promise<void> {
  const entry = await entryOf(input, { format: AccessLogFormat.Json, redactQuery: ['token'] })
  const { query = '' } = JSON.parse(entry) as { query?: string }
  const values = new URLSearchParams(input.query).getAll('token').filter((value) => value.includes(SECRET))
  if (values.length > 0) {
    const shown = new URLSearchParams(query).getAll('token')
    assert.ok(!shown.some((value) => value.includes(SECRET)), 'A redacted value is shown')
  }
}

/** Returns the captured headers that an entry must contain, in configuration order. */
function captured(names: readonly string[], fields: Input['headers']): [string, string][] {
  return names.flatMap((name) => {
    const values = Object.hasOwn(fields, name.toLowerCase()) ? (fields[name.toLowerCase()] ?? []) : []
    return values.length === 0 ? [] : [[name, meaningOf(values.join(', '))]]
  })
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
