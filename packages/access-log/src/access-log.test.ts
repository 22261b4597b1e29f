import { createLogger, Level, MemorySink, setLevel, setSinks } from '@fw/log'
import type { Context, Outcome, Refusal } from '@fw/types'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeContext, type FakeContext, type FakeRequest } from '../test/fake-context.ts'
import { accessLog, AccessLogFormat, logger, RequestLogger, type AccessLogConfig } from './index.ts'

const sink = new MemorySink()
let nowMs = 0

beforeEach(() => {
  sink.clear()
  setSinks([sink])
  setLevel(Level.Trace)
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => {
  setSinks([])
  setLevel(Level.Info)
})

/** Runs one `accessLog` for each configuration, the first one outermost. */
async function run(configs: readonly AccessLogConfig[], request: FakeRequest = {}): Promise<FakeContext> {
  const fake = fakeContext(request)
  const enter = async ([first, ...rest]: readonly AccessLogConfig[]): Promise<void> => {
    if (first !== undefined) accessLog(first)(fake.ctx, () => enter(rest))
  }
  await enter(configs)
  return fake
}

const entries = (): [number, string][] => sink.records().map(({ level, message }) => [level, message])

function fail(message: string): never {
  throw new Error(message)
}

const methodAndDuration = ({ method }: Context, ns: number): string => `${method}\n${ns}`

describe('accessLog', () => {
  it('logs one entry when the exchange has ended', async () => {
    nowMs = 1000
    const { finish } = await run([{}], { path: '/a', rawQuery: 'b=1' })
    expect(entries()).toEqual([])
    nowMs = 1012.5
    finish({ status: 404, bodyBytes: 9 })
    expect(entries()).toEqual([[3, 'GET /a?b=1 404 Not Found 12.50ms - 127.0.0.1 (9 B) [HTTP/1.1]']])
  })

  it('sets the location of entries to its own call', async () => {
    const { finish } = await run([{}])
    finish()
    expect(sink.records()[0]?.location).toMatchObject({ file: import.meta.filename, functionName: 'enter' })
  })

  it('writes entries and messages to the configured logger', async () => {
    const own = new MemorySink()
    const shop = createLogger({ sinks: [own] }).with({ app: 'shop' })
    const { ctx, finish } = await run([{ logger: shop }], { path: '/a' })
    ctx.local(RequestLogger).info('from the handler')
    finish()
    expect(sink.messages()).toEqual([])
    expect(own.messages()).toEqual(['[GET /a] from the handler', expect.stringMatching(/^GET \/a 200 /)])
    expect(own.records().map(({ fields }) => fields)).toEqual([{ app: 'shop' }, { app: 'shop' }])
  })

  it('writes entries of every level to the configured sinks, and messages to the logger', async () => {
    setLevel(Level.Info)
    const own = new MemorySink()
    const { ctx, finish } = await run([{ sinks: [own], normalLevel: 'debug' }], { path: '/a' })
    ctx.local(RequestLogger).info('from the handler')
    finish()
    expect(own.messages()).toEqual([expect.stringMatching(/^GET \/a 200 /)])
    expect(own.records()[0]?.location?.file).toBe(import.meta.filename)
    expect(sink.messages()).toEqual(['[GET /a] from the handler'])
  })

  it.each(['combined', 'common', 'json', 'fields'] as const)(
    'passes the fields of an entry in format %s to sinks',
    async (format) => {
      nowMs = 0
      const { finish } = await run([{ format }], { path: '/a', rawQuery: 'b=1', headers: { 'x-request-id': 'r-1' } })
      nowMs = 12.5
      finish({ bodyBytes: 9 })
      expect(sink.records()[0]?.data).toEqual({
        method: 'GET',
        path: '/a',
        status: 200,
        phrase: 'OK',
        duration_ns: 12_500_000,
        bytes: 9,
        query: 'b=1',
        client_ip: '127.0.0.1',
        protocol: 'HTTP/1.1',
        correlation_id: 'r-1',
      })
    },
  )

  it('passes the text of a customFormatter to sinks without fields', async () => {
    const { finish } = await run([{ customFormatter: () => 'mine' }])
    finish()
    expect(sink.records()).toMatchObject([{ message: 'mine', data: undefined }])
  })

  it('uses method, path and status as the text in format fields', async () => {
    const { finish } = await run([{ format: 'fields' }], { path: '/a b"' })
    finish({ status: 404, aborted: true })
    expect(sink.messages()).toEqual(['[ABORTED] GET /a\\x20b\\" 404'])
  })

  it("uses one generated ID for a request's entry and messages", async () => {
    const { ctx, finish } = await run([{ generateRequestId: true, format: 'json' }], { path: '/a' })
    const log = ctx.local(RequestLogger)
    log.info('from the handler')
    log.with({ user: 7 }).info('again')
    finish()
    const [first, second, entry] = sink.records()
    expect(log.id).toMatch(/^[0-9a-f]{16}$/)
    expect(first).toMatchObject({
      message: `[${log.id}] [GET /a] from the handler`,
      fields: { correlation_id: log.id },
    })
    expect(second?.fields).toEqual({ correlation_id: log.id, user: 7 })
    expect(entry?.data).toMatchObject({ correlation_id: log.id })
    expect(entry?.message).toContain(`"correlation_id":"${log.id}"`)
  })

  it('adds the request ID to messages as a field', async () => {
    const { ctx } = await run([{}], { headers: { 'x-request-id': 'r-1' } })
    ctx.local(RequestLogger).info('x')
    expect(sink.records()[0]).toMatchObject({ message: '[r-1] [GET /] x', fields: { correlation_id: 'r-1' } })
  })

  it('is exported as logger', () => {
    expect(logger).toBe(accessLog)
  })

  it('logs 499 if the client disconnected before the head, otherwise the status that was sent', async () => {
    ;(await run([{}])).finish({ status: 0, aborted: true })
    ;(await run([{}])).finish({ status: 200, bodyBytes: 5, aborted: true })
    expect(sink.messages()).toEqual([
      expect.stringMatching(/^\[ABORTED\] GET \/ 499 Client Closed Request /),
      expect.stringMatching(/^\[ABORTED\] GET \/ 200 OK .*\(5 B\)/),
    ])
  })

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('counts no body bytes for a %s response with %i', async (method, status) => {
    ;(await run([{}], { method })).finish({ status, bodyBytes: 1000 })
    expect(sink.messages()[0]).toContain('(0 B)')
  })

  it('marks a request as slow only if it exceeds the threshold', async () => {
    for (const ns of [500_000_000, 500_000_001]) {
      nowMs = 0
      const { finish } = await run([{ slowThreshold: 500_000_000n, slowLevel: Level.Debug }])
      nowMs = ns / 1e6
      finish()
    }
    expect(entries()).toEqual([
      [2, expect.stringMatching(/^GET /)],
      [1, expect.stringMatching(/^\[SLOW\] GET /)],
    ])
  })

  it('writes the braces of an entry unchanged', async () => {
    const { finish } = await run([{}], { path: '/{}', rawQuery: '{0}%s' })
    finish()
    expect(sink.messages()[0]).toMatch(/^GET \/\{\}\?\{0\}%s 200 OK /)
  })

  it('writes captured values and redacts secret ones', async () => {
    const { finish } = await run(
      [{ requestHeaders: ['Authorization', 'accept'], redactHeaders: ['authorization'], redactQuery: ['token'] }],
      { rawQuery: 'token=1&a=2', headers: { authorization: 'Bearer x', accept: ['a', 'b'] } },
    )
    finish()
    expect(sink.messages()[0]).toMatch(/^GET \/\?token=REDACTED&a=2 .* \[Authorization: REDACTED\] \[accept: a, b\]$/)
  })
})

it('throws an error that shows the call if accessLog itself is passed as middleware', () => {
  const { ctx } = fakeContext()
  expect(() => accessLog(ctx as unknown as AccessLogConfig)).toThrow('got a context. Write router.use(accessLog()).')
})

describe('accessLog with skipPaths or skipIf', () => {
  it('skips a request whose path equals one of skipPaths, regardless of query and status', async () => {
    for (const path of ['/healthz', '/healthz/', '/%68ealthz']) {
      ;(await run([{ skipPaths: ['/healthz'] }], { path, rawQuery: 'x' })).finish({ status: 500 })
    }
    expect(sink.messages()).toEqual([
      expect.stringContaining('GET /healthz/?x '),
      expect.stringContaining('GET /%68ealthz?x '),
    ])
  })

  it('calls skipIf when the status is known', async () => {
    const skipIf = vi.fn((ctx: Context) => ctx.status < 400)
    for (const status of [200, 404]) {
      const { ctx, finish } = await run([{ skipIf }])
      ctx.status = status
      finish({ status })
    }
    expect(skipIf).toHaveBeenCalledTimes(2)
    expect(sink.messages()).toEqual([expect.stringContaining('404')])
  })

  it('logs the request if skipIf throws', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    ;(await run([{ skipIf: () => fail('broken predicate') }])).finish()
    expect(sink.size()).toBe(1)
    expect(warn).toHaveBeenCalledWith('skipIf of accessLog threw: Error: broken predicate', 'AccessLogWarning')
  })

  it('logs the request if skipIf returns a promise, and handles its rejection', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    vi.resetModules()
    const { accessLog: freshAccessLog } = await import('./access-log.ts')
    const skipIf = (async () => fail('later')) as unknown as () => boolean
    const { ctx, finish } = fakeContext()
    freshAccessLog({ skipIf })(ctx, async () => {})
    finish()
    expect(warn.mock.calls).toEqual([
      [
        'skipIf of accessLog threw: TypeError: accessLog: skipIf must return a boolean, got a promise. Make it synchronous.',
        'AccessLogWarning',
      ],
    ])
  })

  it('does not format a skipped entry', async () => {
    setLevel(Level.Error)
    const customFormatter = vi.fn(() => 'text')
    const skipIf = vi.fn(() => false)
    ;(await run([{ customFormatter, skipIf, serverErrorLevel: Level.Off }])).finish()
    ;(await run([{ customFormatter, skipIf, serverErrorLevel: Level.Off }])).finish({ status: 500 })
    expect(customFormatter).not.toHaveBeenCalled()
    expect(skipIf).not.toHaveBeenCalled()
    expect(sink.size()).toBe(0)
  })
})

describe('customFormatter', () => {
  it.each([AccessLogFormat.Custom, AccessLogFormat.Json])('formats the text with format %s', async (format) => {
    nowMs = 0
    const { finish } = await run([{ format, customFormatter: methodAndDuration, slowThreshold: 1 }])
    nowMs = 2
    finish()
    expect(sink.messages()).toEqual(['[SLOW] GET\n2000000'])
  })

  it('receives redacted content like the other formats, and 499 for a client that disconnected', async () => {
    const config: AccessLogConfig = {
      customFormatter: ({ method }, _, { path, query, status, bytes }) =>
        `${method} ${path}?${query} ${status} ${bytes}`,
      redactQuery: ['token'],
    }
    ;(await run([config], { rawQuery: 'token=s' })).finish({ bodyBytes: 7 })
    ;(await run([config])).finish({ status: 0, aborted: true })
    expect(sink.messages()).toEqual(['GET /?token=REDACTED 200 7', '[ABORTED] GET /? 499 0'])
  })

  it.each([
    () => fail('broken formatter'),
    () => 7 as unknown as string,
    (async () => fail('later')) as unknown as () => string,
  ])('logs the entry in Combined if it fails', async (customFormatter) => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    ;(await run([{ format: AccessLogFormat.Json, customFormatter }])).finish()
    expect(sink.messages()).toEqual([expect.stringMatching(/^GET \/ 200 OK /)])
  })
})

describe('sampleRate', () => {
  it('logs the configured share of entries at random', async () => {
    const random = vi.spyOn(Math, 'random')
    for (const chance of [0, 0.24, 0.25, 0.99]) {
      random.mockReturnValue(chance)
      ;(await run([{ sampleRate: 0.25 }], { path: `/${chance}` })).finish()
    }
    expect(sink.messages().map((text) => text.split(' ')[1])).toEqual(['/0', '/0.24'])
  })

  it.each<[string, Partial<Outcome>]>([
    ['a 4xx entry', { status: 404 }],
    ['a 5xx entry', { status: 500 }],
    ['an entry that is aborted before the head', { status: 0, aborted: true }],
    ['an entry that is aborted after the head', { status: 200, aborted: true }],
  ])('does not apply to %s', async (_, outcome) => {
    ;(await run([{ sampleRate: 0 }])).finish(outcome)
    expect(sink.size()).toBe(1)
  })

  it('does not apply to a slow entry', async () => {
    const { finish } = await run([{ sampleRate: 0, slowThreshold: 1 }])
    nowMs += 1
    finish()
    expect(sink.messages()).toEqual([expect.stringMatching(/^\[SLOW\] GET /)])
  })

  it('does not affect the RequestLogger', async () => {
    const { ctx, finish } = await run([{ sampleRate: 0 }])
    ctx.local(RequestLogger).info('x')
    finish()
    expect(sink.messages()).toEqual(['[GET /] x'])
  })
})

describe('logTraceContext', () => {
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }

  it('appends the trace ID to Combined, after captured headers', async () => {
    ;(await run([{ logTraceContext: true, requestHeaders: ['traceparent'] }], { headers })).finish()
    expect(sink.messages()[0]).toMatch(/ \[traceparent: 00-.*-01\] \[trace_id: 0af7651916cd43dd8448eb211c80319c\]$/)
  })

  it('adds trace and parent to Json and to RequestLogger records', async () => {
    const { ctx, finish } = await run([{ logTraceContext: true, format: AccessLogFormat.Json }], { headers })
    ctx.local(RequestLogger).info('x')
    finish()
    const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c', parent_id: 'b7ad6b7169203331' }
    const [record, entry] = sink.records()
    expect(record).toMatchObject({ message: '[GET /] x', fields: trace })
    expect(Object.entries(JSON.parse(entry?.message ?? '') as object).slice(-2)).toEqual(Object.entries(trace))
  })

  it.each<[string, AccessLogConfig, FakeRequest]>([
    ['by default', {}, { headers }],
    ['without the field', { logTraceContext: true }, {}],
    ['when it is malformed', { logTraceContext: true }, { headers: { traceparent: '00-1-2-3] [x: y' } }],
  ])('omits the trace %s', async (_, config, request) => {
    const { ctx, finish } = await run([config], request)
    ctx.local(RequestLogger).info('x')
    finish()
    expect(sink.records()[0]?.fields).toBeUndefined()
    expect(sink.messages()[1]).toMatch(/\[HTTP\/1\.1\]$/)
  })
})

describe('an inner accessLog', () => {
  const COMMON: AccessLogConfig = { format: AccessLogFormat.Common }

  it('replaces the outer one', async () => {
    ;(await run([{}, COMMON])).finish()
    expect(sink.messages()).toEqual([expect.stringMatching(/^127\.0\.0\.1 - "GET \/ HTTP\/1\.1" 200 /)])
  })

  it('does not inherit skipPaths', async () => {
    ;(await run([{ skipPaths: ['/'] }, COMMON])).finish()
    expect(sink.size()).toBe(1)
  })

  it('can skip a request that the outer one would log', async () => {
    ;(await run([{}, { skipPaths: ['/'] }])).finish()
    expect(sink.size()).toBe(0)
  })

  it('overrides the outer correlation header', async () => {
    const headers = { 'x-request-id': 'outer', 'x-trace': 'inner' }
    const { ctx } = await run([{}, { correlationHeader: 'X-Trace' }], { headers })
    ctx.local(RequestLogger).info('x')
    expect(sink.messages()).toEqual(['[inner] [GET /] x'])
  })
})

describe('the RequestLogger', () => {
  it.each<[FakeRequest, string]>([
    [{ path: '/a', rawQuery: 'b=1' }, '[GET /a] x'],
    [{ headers: { 'x-request-id': 'abc-123' } }, '[abc-123] [GET /] x'],
    [{ headers: { 'x-request-id': 'a] [admin' } }, '[GET /] x'],
    [{ headers: { 'x-request-id': ['a', 'b'] } }, '[GET /] x'],
    [{ path: '/a[1] "\\' }, '[GET /a\\x5b1\\x5d\\x20\\"\\\\] x'],
  ])('logs a message for the request %j as %s', async (request, message) => {
    const { ctx } = await run([{}], request)
    ctx.get(RequestLogger)?.info('x')
    expect(sink.messages()).toEqual([message])
  })

  it('exists for skipped requests', async () => {
    const { ctx } = await run([{ skipPaths: ['/'] }])
    ctx.local(RequestLogger).warn('still here')
    expect(sink.messages()).toEqual(['[GET /] still here'])
  })
})

describe('a request that the engine refused', () => {
  const refusal: Refusal = {
    status: 400,
    reason: 'space before the colon',
    protocol: 'HTTP/1.1',
    remoteAddress: '::ffff:127.0.0.1',
    method: 'GET',
    target: '/p?q',
    bodyBytes: 120,
    durationMs: 1.5,
  }
  /** Notifies the listeners as the application does, the outermost first. */
  async function refuse(configs: readonly AccessLogConfig[], change: Partial<Refusal> = {}): Promise<void> {
    const notified = { ...refusal, ...change }
    for (const config of configs) accessLog(config).refused?.(notified)
    await Promise.resolve()
  }

  it.each<[string, Partial<Refusal>, AccessLogConfig, string]>([
    ['with its known parts', {}, {}, 'GET /p?q 400 Bad Request 1.50ms - 127.0.0.1 (120 B) [HTTP/1.1]'],
    [
      'with dashes for its unknown parts',
      { method: undefined, target: undefined },
      {},
      '- - 400 Bad Request 1.50ms - 127.0.0.1 (120 B) [HTTP/1.1]',
    ],
    [
      'without an invalid method',
      { method: 'G T', target: '/\n' },
      { format: 'common' },
      '127.0.0.1 - "- /\\x0a HTTP/1.1" 400 120 (1.50ms)',
    ],
    [
      'as a bad request without a response',
      { status: 0, bodyBytes: 0 },
      {},
      '[ABORTED] GET /p?q 400 Bad Request 1.50ms - 127.0.0.1 (0 B) [HTTP/1.1]',
    ],
    [
      'in Combined if a formatter needs a context',
      {},
      { customFormatter: methodAndDuration, format: 'custom', logQuery: false },
      'GET /p 400 Bad Request 1.50ms - 127.0.0.1 (120 B) [HTTP/1.1]',
    ],
  ])('is logged %s', async (_, change, config, text) => {
    await refuse([config], change)
    expect(entries()).toEqual([[3, text]])
  })

  it('is not logged below the threshold or on a skipped path', async () => {
    await refuse([{ skipPaths: ['/p'] }])
    await refuse([{ clientErrorLevel: Level.Off }])
    expect(sink.size()).toBe(0)
  })

  it('is logged once with the innermost settings if the root router has several access logs', async () => {
    await refuse([{}, { format: AccessLogFormat.Json, clientErrorLevel: Level.Debug }])
    expect(entries()).toEqual([[1, expect.stringMatching(/^\{"method":"GET","path":"\/p","status":400,/)]])
    sink.clear()
    await refuse([{}, { skipPaths: ['/p'] }])
    expect(entries()).toEqual([])
  })

  it('is logged once for each notification', async () => {
    await refuse([{}])
    await refuse([{}])
    expect(sink.size()).toBe(2)
  })
})
