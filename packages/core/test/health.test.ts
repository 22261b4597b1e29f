import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { App, health, Server, type HealthOptions } from '../src/index.ts'

beforeAll(() => log.setSinks([]))

async function ask(app: App, path = '/readyz'): Promise<string> {
  const response = await app.fetch(path)
  return `${response.status} ${await response.text()}`
}

const OK = '200 {"status":"ok"}'

function failing(...names: readonly string[]): string {
  return `503 ${JSON.stringify({ status: 'unavailable', failed: names })}`
}

/** Returns an application with checks, and the sink that receives its records. */
function appWith(options: HealthOptions): { app: App; sink: log.MemorySink } {
  const app = new App()
  const sink = new log.MemorySink()
  health(app.router, { logger: log.createLogger({ sinks: [sink] }), ...options })
  return { app, sink }
}

describe('health()', () => {
  it('responds with 200 without checks', async () => {
    const { app } = appWith({})
    expect([await ask(app, '/livez'), await ask(app)]).toEqual([OK, OK])
    const { headers } = await app.fetch('/readyz')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each<[string, () => unknown, string]>([
    ['accepts a check that returns nothing', () => undefined, OK],
    ['accepts a check that returns true', () => true, OK],
    ['accepts a check that resolves to a value', async () => 5, OK],
    ['rejects a check that returns false', () => false, failing('a')],
    ['rejects a check that resolves to false', async () => false, failing('a')],
    ['rejects a check that throws', () => throwError(), failing('a')],
    ['rejects a check that rejects', async () => throwError(), failing('a')],
    ['rejects a check that does not end', () => new Promise(() => {}), failing('a')],
  ])('%s', async (_, check, expected) => {
    const { app } = appWith({ checks: { a: check, b: () => true }, timeoutMs: 20 })
    expect(await ask(app)).toBe(expected)
    expect(await ask(app, '/livez')).toBe(OK)
  })

  it('names all checks that fail, but not their errors', async () => {
    const { app } = appWith({ checks: { a: throwError, b: () => true, c: throwError } })
    expect(await ask(app)).toBe(failing('a', 'c'))
  })

  it('aborts the signal of a check after the timeout', async () => {
    const aborted = Promise.withResolvers<void>()
    const check = (signal: AbortSignal): Promise<void> => {
      signal.addEventListener('abort', () => aborted.resolve())
      return new Promise(() => {})
    }
    const { app } = appWith({ checks: { a: check }, timeoutMs: 10 })
    expect(await ask(app)).toBe(failing('a'))
    await aborted.promise
  })

  it('runs a check once for concurrent probes, and again for the next probe', async () => {
    let runs = 0
    const { app } = appWith({ checks: { a: () => (runs++, sleep(5)) } })
    await Promise.all([ask(app), ask(app), ask(app)])
    expect(runs).toBe(1)
    await ask(app)
    expect(runs).toBe(2)
  })

  it('waits for a check that does not end, instead of running it again', async () => {
    let runs = 0
    const ended = Promise.withResolvers<void>()
    const { app } = appWith({ checks: { a: () => (runs++, ended.promise) }, timeoutMs: 10 })
    for (let i = 0; i < 3; i++) expect(await ask(app)).toBe(failing('a'))
    expect(runs).toBe(1)
    ended.resolve()
    expect(await ask(app)).toBe(OK)
    expect(await ask(app)).toBe(OK)
    expect(runs).toBeGreaterThan(1)
  })

  it('logs when a check begins to fail, and when it passes again', async () => {
    let error: Error | undefined
    const check = (): void => {
      if (error !== undefined) throw error
    }
    const { app, sink } = appWith({ checks: { database: check } })
    await ask(app)
    error = new Error('No connection')
    await ask(app)
    await ask(app)
    error = undefined
    await ask(app)
    await ask(app)
    const texts = sink.records().map(({ level, message }) => `${log.levelName(level)} ${message.split('\n', 1)[0]}`)
    expect(texts).toEqual([
      expect.stringContaining('Health check database fails: Error: No connection'),
      expect.stringContaining('Health check database passes again'),
    ])
  })

  it('is not ready after the application began to drain', async () => {
    const { app } = appWith({ checks: { a: throwError } })
    app.drain()
    expect(await ask(app)).toBe(failing('shutdown', 'a'))
    expect(await ask(app, '/livez')).toBe(OK)
  })

  it('uses the given paths and route options', async () => {
    const app = new App()
    health(app.router.group('/internal'), { livePath: '/alive', readyPath: '/able', route: { timeoutMs: 1000 } })
    expect([await ask(app, '/internal/alive'), await ask(app, '/internal/able')]).toEqual([OK, OK])
    expect(Array.from(app.router.routes(), ({ options }) => options)).toEqual([
      { timeoutMs: 1000 },
      { timeoutMs: 1000 },
    ])
  })

  it.each<[unknown, string]>([
    [{ livePath: 'livez' }, 'health: option "livePath" must be a path that begins with /, got "livez".'],
    [{ timeoutMs: 0 }, 'health: option "timeoutMs" must be an integer from 1 to 60000, got 0.'],
    [{ checks: { database: 'up' } }, 'health: option "checks.database" must be a function, got "up". Write a function'],
    [{ checks: [] }, 'health: option "checks" must be an object, got an array. Write for example'],
    [{ path: '/' }, 'health: unknown option "path".'],
    [{ route: { timeout: 5 } }, 'unknown option "timeout"'],
  ])('refuses %j', (options, message) => {
    expect(() => health(new App().router, options as HealthOptions)).toThrow(message)
  })
})

function throwError(): never {
  throw new Error('secret')
}

let close: () => Promise<void> = async () => {}

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  health(server.router())
  health(server.router(), { livePath: '/live', readyPath: '/slow', checks: { slow: () => sleep(200) } })
  close = () => server.close({ drainMs: 10_000 })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close }
}

eachProtocol('health()', start, (client) => {
  const probe = async (path: string): Promise<[number, string]> => {
    const response = await client().request({ method: 'GET', path })
    return [response.status, (await response.bytes()).toString()]
  }

  it('responds to probes', async () => {
    for (const path of ['/livez', '/readyz', '/live']) expect(await probe(path)).toEqual([200, '{"status":"ok"}'])
  })

  it('is not ready as soon as the server begins to close', async () => {
    const probed = probe('/slow')
    await sleep(50)
    const closed = close()
    expect(await probed).toEqual([503, '{"status":"unavailable","failed":["shutdown"]}'])
    await closed
  })
})
