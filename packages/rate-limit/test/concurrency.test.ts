import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it, vi } from 'vitest'
import { limitConcurrency } from '../src/index.ts'

beforeAll(() => setSinks([]))

/** Waits for a condition, with time for a busy machine. */
const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000, interval: 10 })

/** The number of running handlers, by path. */
const running = new Map<string, number>()
let gate = Promise.withResolvers<void>()

const runningAt = (path: string): number => running.get(path) ?? 0

async function run(path: string): Promise<void> {
  running.set(path, runningAt(path) + 1)
  await gate.promise
  running.set(path, runningAt(path) - 1)
}

async function* twoParts(): AsyncGenerator<string> {
  yield 'first'
  await run('/stream')
  yield 'second'
}

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  running.clear()
  gate = Promise.withResolvers<void>()
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  router
    .group('/handler')
    .use(limitConcurrency({ maxRunning: 1, maxQueued: 1, maxQueueMs: 60_000 }))
    .get('/', async () => {
      await run('/handler')
      return 'ok'
    })
  router
    .group('/stream')
    .use(limitConcurrency({ maxRunning: 1, maxQueued: 0 }))
    .get('/', (ctx) => {
      ctx.stream(twoParts())
    })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('limitConcurrency()', start, (client) => {
  const statusOf = async (path: string, signal?: AbortSignal): Promise<number> => {
    const response = await client().request({ path, ...(signal === undefined ? {} : { signal }) })
    await response.bytes()
    return response.status
  }

  it('counts a request until its handler ends, even if the client disconnects: CVE-2023-44487', async () => {
    const controller = new AbortController()
    const aborted = statusOf('/handler', controller.signal).catch(() => 'aborted')
    await soon(() => expect(runningAt('/handler')).toBe(1))
    controller.abort()
    expect(await aborted).toBe('aborted')
    // One waits, because the handler of the aborted request is still running. The other finds the queue full.
    const both = [statusOf('/handler'), statusOf('/handler')]
    expect(await Promise.race(both)).toBe(503)
    expect(runningAt('/handler')).toBe(1)
    gate.resolve()
    expect(new Set(await Promise.all(both))).toEqual(new Set([200, 503]))
    gate = Promise.withResolvers<void>()
  })

  it('counts a stream until it ends', async () => {
    const response = await client().request({ path: '/stream' })
    expect(response.status).toBe(200)
    expect(await statusOf('/stream')).toBe(503)
    gate.resolve()
    expect(Buffer.from(await response.bytes()).toString()).toBe('firstsecond')
    gate = Promise.withResolvers<void>()
    gate.resolve()
    await soon(async () => expect(await statusOf('/stream')).toBe(200))
  })
})
