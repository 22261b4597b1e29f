import { App } from '@fw/core'
import { setSinks } from '@fw/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { limitConcurrency } from './limit-concurrency.ts'
import type { ConcurrencyOptions } from './options.ts'

beforeAll(() => setSinks([]))

/** Creates an application whose handlers run until `open()`. */
function gated(options: ConcurrencyOptions): { app: App; open: () => void; started: () => number } {
  const app = new App()
  const gate = Promise.withResolvers<void>()
  let started = 0
  app.router.use(limitConcurrency(options))
  app.router.get('/', async () => {
    started++
    await gate.promise
    return 'ok'
  })
  app.router.get('/exempt', { rateLimit: false }, () => 'ok')
  app.router.get('/fails', () => {
    throw new Error('private')
  })
  return { app, open: gate.resolve, started: () => started }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

describe('limitConcurrency', () => {
  it('runs maxRunning requests, queues some and refuses the others with 503', async () => {
    const { app, open, started } = gated({ maxRunning: 2, maxQueued: 3, maxQueueMs: 60_000 })
    const sent = Array.from({ length: 8 }, () => app.fetch('/'))
    await turns()
    expect(started()).toBe(2)
    const refused = await Promise.all(sent.slice(5))
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(await refused[0]?.json()).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      title: 'Service Unavailable',
      status: 503,
      detail: 'Too many requests are in progress at the moment',
    })
    expect(refused[0]?.headers.get('content-type')).toBe('application/problem+json')
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^[12]$/)
    open()
    expect((await Promise.all(sent.slice(0, 5))).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(started()).toBe(5)
  })

  it('refuses a request that waits longer than maxQueueMs', async () => {
    const { app, open, started } = gated({ maxRunning: 1, maxQueueMs: 20 })
    const running = app.fetch('/')
    expect((await app.fetch('/')).status).toBe(503)
    open()
    expect((await running).status).toBe(200)
    expect(started()).toBe(1)
  })

  it('counts each key separately and refuses with 429 if key is set', async () => {
    const { app, open } = gated({ maxRunning: 1, maxQueued: 0, name: 'jobs', key: (ctx) => ctx.rawQuery })
    const running = [app.fetch('/?a'), app.fetch('/?b')]
    await turns()
    const refused = await app.fetch('/?a')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^[12]$/)
    expect(await refused.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      detail: 'Too many requests at the same time',
      'violated-policies': ['jobs'],
    })
    open()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
    expect((await app.fetch('/?a')).status).toBe(200)
  })

  it('frees the slot of a request that fails', async () => {
    const { app, open } = gated({ maxRunning: 1, maxQueued: 0 })
    for (let count = 0; count < 3; count++) expect((await app.fetch('/fails')).status).toBe(500)
    open()
    expect((await app.fetch('/')).status).toBe(200)
  })

  it('exempts a route with rateLimit: false', async () => {
    const { app, open } = gated({ maxRunning: 1, maxQueued: 0 })
    const running = app.fetch('/')
    await turns()
    expect([(await app.fetch('/')).status, (await app.fetch('/exempt')).status]).toEqual([503, 200])
    open()
    await running
  })

  it('responds with 500 if key returns undefined', async () => {
    const { app } = gated({ key: () => undefined as unknown as string })
    app.router.onError((error) => String(error))
    expect(await (await app.fetch('/fails')).text()).toMatch(
      /^TypeError: limitConcurrency: key must return a string, got /,
    )
  })

  it.each<[unknown, string]>([
    [{ maxRunning: 0 }, 'limitConcurrency: option "maxRunning" must be a positive integer, got 0.'],
    [{ maxQueued: -1 }, 'limitConcurrency: option "maxQueued" must be an integer of at least 0, got -1.'],
    [{ maxQueueMs: 0 }, 'limitConcurrency: option "maxQueueMs" must be an integer from 1 to 60000, got 0.'],
    [{ key: 'ip' }, 'limitConcurrency: option "key" must be a function, got "ip".'],
    [{ name: '' }, 'limitConcurrency: option "name" must be 1 to 64 visible ASCII characters except ":", got "".'],
    [
      { retryAfterSeconds: 0 },
      'limitConcurrency: option "retryAfterSeconds" must be an integer from 1 to 3600, got 0.',
    ],
    [{ max: 1 }, 'limitConcurrency: unknown option "max". Use maxRunning instead.'],
  ])('refuses %j', (options, message) => {
    expect(() => limitConcurrency(options as ConcurrencyOptions)).toThrow(message)
  })
})
