import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import type { RouteOptions } from '@fw/types'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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

/** Asks a route with this option, once for each status, under an `accessLog` of this configuration. */
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

/** Levels and the first words of entries. */
const entries = (): [number, string][] =>
  sink
    .records()
    .filter(({ message }) => message.includes('/route/'))
    .map(({ level, message }) => [level, message.split(' ').slice(0, 3).join(' ')])

describe('the option accessLog of a route', () => {
  it("'silent' logs nothing, whatever the status and however slow", async () => {
    await ask('silent', { slowThreshold: 1 }, [200, 404, 500])
    expect(entries()).toEqual([])
  })

  it('a level holds for a status below 400 only', async () => {
    await ask(Level.Debug, {}, [200, 404, 500])
    expect(entries()).toEqual([
      [1, 'GET /route/200?secret=1 200'],
      [3, 'GET /route/404?secret=1 404'],
      [4, 'GET /route/500?secret=1 500'],
    ])
  })

  it('Level.Off logs errors only', async () => {
    await ask(Level.Off, {}, [200, 404])
    expect(entries()).toEqual([[3, 'GET /route/404?secret=1 404']])
  })

  it('options change what they name and leave the rest, redaction above all', async () => {
    await ask({ normalLevel: Level.Debug, skipPaths: ['/route/204'] }, { redactQuery: ['secret'] }, [200, 204])
    expect(entries()).toEqual([[1, 'GET /route/200?secret=REDACTED 200']])
  })

  it('an option that is undefined was not given', async () => {
    await ask({ redactQuery: undefined }, { redactQuery: ['secret'] }, [200])
    expect(entries()).toEqual([[2, 'GET /route/200?secret=REDACTED 200']])
  })

  it('changes the accessLog of the group that the route is in', async () => {
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

  it.each<[unknown, string]>([[{ levle: 1 }, "accessLog: there is no option 'levle'; there are: format, "]])(
    '%j is told of once, and has no effect',
    async (option, fault) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      await ask(option as RouteAccessLog, {}, [200, 200])
      expect(entries()).toHaveLength(2)
      const message = `The option accessLog of GET '/route/:status' is wrong, and used without what is wrong in it: ${fault}`
      expect(warn.mock.calls).toEqual([[expect.stringContaining(message), 'AccessLogWarning']])
    },
  )

  it.each<[unknown, string]>([
    ['quiet', 'got "quiet".'],
    [null, 'got null.'],
    [7, 'got 7.'],
  ])('refuses %j when the route is registered', async (option, got) => {
    await expect(ask(option as RouteAccessLog)).rejects.toThrow(
      `GET /route/:status: option "accessLog" must be "silent", an integer from 0 to 6 or an object, ${got}`,
    )
  })

  it('keeps what is redacted out of the log though something beside it is wrong', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    await ask({ redactQuery: ['secret'], levle: 1 } as RouteAccessLog, {}, [200])
    expect(entries()).toEqual([[2, 'GET /route/200?secret=REDACTED 200']])
    expect(warn).toHaveBeenCalledOnce()
  })

  it('is checked by the compiler', () => {
    const options: RouteOptions[] = [
      { accessLog: 'silent' },
      { accessLog: Level.Warn },
      { accessLog: { skipPaths: [] } },
      // @ts-expect-error -- no such word
      { accessLog: 'quiet' },
      // @ts-expect-error -- no such option
      { accessLog: { levle: 1 } },
    ]
    expect(options).toHaveLength(5)
  })
})
