import { App } from '@fw/core'
import { setSinks } from '@fw/log'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { shedLoad, type ShedLoadOptions } from './shed-load.ts'

const records: unknown[] = []
beforeAll(() => setSinks([]))

/** Waits for a condition, with time for a busy machine. */
const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000, interval: 20 })

function serve(options: ShedLoadOptions): App {
  const app = new App()
  app.router.use(shedLoad(options))
  app.router.onError((error) => void records.push(error))
  app.router.get('/', () => 'ok').get('/healthz', { rateLimit: false }, () => 'ok')
  return app
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

describe('shedLoad', () => {
  it('refuses requests while the event loop is late and allows them again afterwards', async () => {
    const app = serve({ maxEventLoopDelayMs: 500 })
    await soon(async () => expect((await app.fetch('/')).status).toBe(200))
    // A request that arrives during the block is handled before the timer fires.
    block(4000)
    const refused = await app.fetch('/')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await refused.json()).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The server is overloaded',
    })
    expect((await app.fetch('/healthz')).status).toBe(200)
    await soon(async () => expect((await app.fetch('/')).status).toBe(200))
    expect(records).toEqual([])
  })

  it('refuses requests while the heap is full', async () => {
    const app = serve({ maxHeapBytes: 1 })
    await soon(async () => expect((await app.fetch('/')).status).toBe(503))
    expect((await app.fetch('/healthz')).status).toBe(200)
  })

  it('varies retry-after so that clients do not return together: electric#3348', async () => {
    const app = serve({ maxHeapBytes: 1, retryAfterSeconds: 10 })
    await soon(async () => expect((await app.fetch('/')).status).toBe(503))
    const seconds = new Set<number>()
    for (let count = 0; count < 200; count++) seconds.add(Number((await app.fetch('/')).headers.get('retry-after')))
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(10)
    expect(Math.max(...seconds)).toBeLessThanOrEqual(20)
    expect(seconds.size).toBeGreaterThan(5)
  })

  it.each<[unknown, string]>([
    [{ maxEventLoopDelayMs: 0 }, 'shedLoad: option "maxEventLoopDelayMs" must be a positive integer, got 0.'],
    [{ maxHeapBytes: 0.5 }, 'shedLoad: option "maxHeapBytes" must be a positive integer, got 0.5.'],
    [{ retryAfterSeconds: 0 }, 'shedLoad: option "retryAfterSeconds" must be an integer from 1 to 3600, got 0.'],
    [{ maxEventLoopDelay: 1 }, 'shedLoad: unknown option "maxEventLoopDelay". Use maxEventLoopDelayMs instead.'],
  ])('refuses %j', (options, message) => {
    expect(() => shedLoad(options as ShedLoadOptions)).toThrow(message)
  })
})
