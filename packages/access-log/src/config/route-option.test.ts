import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { checkOptions, declaredRouteOptions } from '@fw/options'
import type { Context, RouteOptions } from '@fw/types'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeContext } from '../../test/fake-context.ts'
import { accessLog, AccessLogFormat, RequestLogger, type AccessLogConfig, type RouteAccessLog } from '../index.ts'

const sink = new MemorySink()

beforeEach(() => {
  sink.clear()
  setSinks([sink])
  setLevel(Level.Trace)
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => {
  setSinks([])
  setLevel(Level.Info)
})

/** Requests a route with this option once for each status. The router has an `accessLog` with this configuration. */
async function ask(accessLogOption: RouteAccessLog, config: AccessLogConfig = {}, statuses = [200]): Promise<void> {
  const server = new Server()
  server
    .router()
    .use(accessLog(config))
    .get('/route/:status', { accessLog: accessLogOption }, (ctx) => {
      ctx.status = Number(ctx.params.status)
      return 'x'
    })
    .get('/other', (ctx) => {
      ctx.local(RequestLogger).debug('x')
      return 'x'
    })
  for (const status of statuses) await (await server.fetch(`/route/${status}?secret=1`)).text()
}

/** Like `ask`, but on a router that does not check options. */
function askUnchecked(option: unknown, config: AccessLogConfig, statuses: readonly number[]): void {
  const route = { method: 'GET', pattern: '/route/:status', options: { accessLog: option } }
  const middleware = accessLog(config)
  for (const status of statuses) {
    const { ctx, finish } = fakeContext({ path: `/route/${status}`, rawQuery: 'secret=1' })
    middleware(Object.assign(ctx, { route }) as Context, async () => {})
    finish({ status })
  }
}

/** Checks the option as a router does when a route is registered. */
function register(option: unknown): void {
  checkOptions<object>('GET /x', { accessLog: option }, declaredRouteOptions())
}

function refusalOf(option: unknown): string {
  try {
    register(option)
    return 'accepted'
  } catch (error) {
    return String(error)
  }
}

/** Returns the level and the first word of each entry. */
const entries = (): [number, string][] =>
  sink
    .records()
    .filter(({ message }) => message.includes('/route/'))
    .map(({ level, message }) => [level, message.split(' ').slice(0, 3).join(' ')])

describe('the route option accessLog', () => {
  it("disables the entry if it is 'silent', regardless of status and duration", async () => {
    await ask('silent', { slowThreshold: 1 }, [200, 404, 500])
    expect(entries()).toEqual([])
  })

  it('applies a level only to statuses below 400', async () => {
    await ask(Level.Debug, {}, [200, 404, 500])
    expect(entries()).toEqual([
      [1, 'GET /route/200?secret=1 200'],
      [3, 'GET /route/404?secret=1 404'],
      [4, 'GET /route/500?secret=1 500'],
    ])
  })

  it('logs only errors if it is Level.Off', async () => {
    await ask(Level.Off, {}, [200, 404])
    expect(entries()).toEqual([[3, 'GET /route/404?secret=1 404']])
  })

  it('overrides only the given options and keeps the redaction of the group', async () => {
    await ask({ normalLevel: Level.Debug, skipPaths: ['/route/204'] }, { redactQuery: ['secret'] }, [200, 204])
    expect(entries()).toEqual([[1, 'GET /route/200?secret=REDACTED 200']])
  })

  it('ignores an option that is undefined', async () => {
    await ask({ redactQuery: undefined }, { redactQuery: ['secret'] }, [200])
    expect(entries()).toEqual([[2, 'GET /route/200?secret=REDACTED 200']])
  })

  it("changes the access log of the route's group", async () => {
    const server = new Server()
    const group = server.router().use(accessLog()).group('/g')
    group.use(accessLog({ format: AccessLogFormat.Json }))
    group.get('/route/', { accessLog: { logProtocol: false, logClientIp: false } }, (ctx) => {
      ctx.local(RequestLogger).info('from the handler')
      return 'x'
    })
    await (await server.fetch('/g/route/')).text()
    expect(sink.messages()).toEqual([
      '[GET /g/route/] from the handler',
      expect.stringMatching(/^\{"method":"GET","path":"\/g\/route\/","status":200,.*"bytes":1\}$/),
    ])
  })

  it('has no effect without an accessLog', async () => {
    const server = new Server()
    server.router().get('/route/', { accessLog: 'silent' }, () => 'x')
    expect((await server.fetch('/route/')).status).toBe(200)
    expect(entries()).toEqual([])
  })

  it("overrides the group's threshold in either unit", async () => {
    await ask({ slowThreshold: 0 }, { slowThresholdMs: 0.000_001 })
    await ask({ slowThresholdMs: 0 }, { slowThreshold: 1 })
    await ask({ slowThresholdMs: 0.000_001 }, { slowThreshold: 0 })
    expect(entries().map(([level]) => level)).toEqual([2, 2, 3])
  })

  it.each<[unknown, string]>([
    [
      { sampleRate: 2 },
      'RangeError: GET /x: option "accessLog.sampleRate" must be a number from 0 to 1, got 2. Omit it to use the default.',
    ],
    [{ levle: 1 }, 'TypeError: GET /x: unknown option "accessLog.levle". Known options: format, '],
    [
      { requestHeaders: ['a b'] },
      'TypeError: GET /x: option "accessLog.requestHeaders[0]" must be a field name, got "',
    ],
    [{ normalLevel: 7 }, 'RangeError: GET /x: option "accessLog.normalLevel" must be one of Level.Trace (0) to Level'],
    [
      { trustProxy: -1 },
      'RangeError: GET /x: option "accessLog.trustProxy" must be false, a number of hops, an array ',
    ],
    [{ trustProxy: ['me'] }, 'TypeError: GET /x: option "accessLog.trustProxy" must be false, a number of hops, an '],
    [{ slowThreshold: 1, slowThresholdMs: 1 }, 'got an object. Give slowThreshold or slowThresholdMs, but not both.'],
    [
      7,
      'RangeError: GET /x: option "accessLog" must be "silent", one of Level.Trace (0) to Level.Off (6) or a name such as "debug" or an object,',
    ],
    ['quiet', 'or an object, got "quiet". Use "silent" or a constant such as Level.Debug.'],
    [
      null,
      'TypeError: GET /x: option "accessLog" must be "silent", one of Level.Trace (0) to Level.Off (6) or a name such as "debug" or an ',
    ],
  ])('is rejected with the value %j when a route is registered', (option, message) => {
    expect(refusalOf(option)).toContain(message)
  })

  it.each(['silent', 0, Level.Off, {}, { skipPaths: ['/x'] }, { trustProxy: ['10.0.0.0/8'] }, { slowThreshold: 1n }])(
    'is accepted with the value %o when a route is registered',
    (option) => {
      expect(() => register(option)).not.toThrow()
    },
  )

  it.each<[unknown, string]>([
    [
      'quiet',
      'accessLog: option "accessLog" must be "silent", one of Level.Trace (0) to Level.Off (6) or a name such as "debug" or an object, got',
    ],
    [
      null,
      'accessLog: option "accessLog" must be "silent", one of Level.Trace (0) to Level.Off (6) or a name such as "debug" or an object, got n',
    ],
    [
      7,
      'accessLog: option "accessLog" must be "silent", one of Level.Trace (0) to Level.Off (6) or a name such as "debug" or an object, got 7.',
    ],
    [{ levle: 1 }, 'accessLog: unknown option "levle". Known options: format, '],
  ])('causes one warning and has no effect if it is %j on an unchecked route', (option, fault) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    askUnchecked(option, {}, [200, 200])
    expect(entries()).toHaveLength(2)
    const message = `GET /route/:status: option "accessLog" is used without its invalid parts. ${fault}`
    expect(warn.mock.calls).toEqual([[expect.stringContaining(message), 'AccessLogWarning']])
  })

  it('keeps redacted values out of the log if another option is invalid', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    askUnchecked({ redactQuery: ['secret'], levle: 1 }, {}, [200])
    expect(entries()).toEqual([[2, 'GET /route/200?secret=REDACTED 200']])
    expect(warn).toHaveBeenCalledOnce()
  })

  it('uses the first of two thresholds on an unchecked route', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    askUnchecked({ slowThreshold: 0, slowThresholdMs: 0.000_001, normalLevel: Level.Debug }, {}, [200])
    expect(entries()).toEqual([[1, 'GET /route/200?secret=1 200']])
    expect(warn).toHaveBeenCalledOnce()
  })

  it('causes a compile error for an invalid value', () => {
    const options: RouteOptions[] = [
      { accessLog: 'silent' },
      { accessLog: Level.Warn },
      { accessLog: { skipPaths: [] } },
      // @ts-expect-error -- unknown word
      { accessLog: 'quiet' },
      // @ts-expect-error -- unknown option
      { accessLog: { levle: 1 } },
    ]
    expect(options).toHaveLength(5)
  })
})
