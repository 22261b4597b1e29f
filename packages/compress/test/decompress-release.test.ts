import { once } from 'node:events'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import * as log from '@fw/log'
import { HttpError, Server } from '@fw/core'
import { eachProtocol, type ClientRequest, type ServerDemand } from '@fw/testing'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { decompress } from '../src/request.ts'

/** The decompression streams that received bytes during a test. */
const opened = new Set<zlib.Gunzip>()
const { prototype } = zlib.Gunzip as unknown as { prototype: Transform }

beforeAll(() => {
  log.setSinks([])
  const inherited = Reflect.get(prototype, '_transform') as (...args: unknown[]) => void
  vi.spyOn(prototype, '_transform').mockImplementation(function (this: Transform, ...args) {
    opened.add(this as zlib.Gunzip)
    Reflect.apply(inherited, this, args)
  })
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(() => {
  opened.clear()
})

const BODY = zlib.gzipSync(Buffer.alloc(900_000, 'abc'))
/** Called by handlers that have begun to read. */
let onReading: () => void = () => {}

function refuse(): never {
  throw new HttpError(401)
}

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls ? { tls } : {}), http3 })
  const router = server.router().use(decompress())
  router.post('/refused', { use: refuse }, (ctx) => ctx.text())
  router.post('/unread', () => 'unread')
  router.post('/stopped', async (ctx) => {
    await ctx.stream().getReader().read()
    return 'stopped'
  })
  router.post('/canceled', async (ctx) => {
    const reader = ctx.stream().getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => [...opened].every((stream) => stream.destroyed)).toBe(true)
    return `${opened.size} released`
  })
  router.post('/waiting', async (ctx) => {
    const reading = ctx.text()
    onReading()
    await reading
  })
  router.post('/paused', async (ctx) => {
    await ctx.stream().getReader().read()
    onReading()
    await once(ctx.signal, 'abort')
  })
  router.post('/late', { timeoutMs: 20 }, (ctx) => ctx.text())
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

/** Yields the beginning of the body. The rest never follows. */
async function* incomplete(): AsyncGenerator<Uint8Array> {
  yield BODY.subarray(0, BODY.length / 2)
  await new Promise(() => {})
}

/** Waits until `count` streams were opened and destroyed. */
async function expectReleased(count: number): Promise<void> {
  await expect.poll(() => [...opened].filter((stream) => stream.destroyed).length).toBe(count)
  expect(opened.size).toBe(count)
}

eachProtocol('a decoder', start, (client) => {
  const post = (path: string, more: Partial<ClientRequest> = {}): ReturnType<ReturnType<typeof client>['request']> =>
    client().request({ method: 'POST', path, headers: [['content-encoding', 'gzip']], body: BODY, ...more })

  it.each([
    ['/refused', 401],
    ['/unread', 200],
  ])('is not opened for a body that no handler reads: %s', async (path, status) => {
    expect((await post(path)).status).toBe(status)
    await expectReleased(0)
  })

  it('does not request the body of an unknown coding with 100 (Continue)', async () => {
    const response = await post('/late', {
      headers: [
        ['content-encoding', 'lzma'],
        ['expect', '100-continue'],
      ],
    })
    expect([response.status, response.informational]).toEqual([415, []])
    await expectReleased(0)
  })

  it('is released when the response is complete', async () => {
    expect(await (await post('/stopped')).text()).toBe('stopped')
    await expectReleased(1)
  })

  it('is released when the handler cancels the stream', async () => {
    expect(await (await post('/canceled')).text()).toBe('1 released')
  })

  it.each(['/waiting', '/paused'])('is released when the client disconnects: %s', async (path) => {
    const leaving = new AbortController()
    const reading = new Promise<void>((resolve) => (onReading = resolve))
    const response = post(path, { body: incomplete(), signal: leaving.signal })
    await reading
    leaving.abort()
    await expect(response).rejects.toThrow(/abort|closed|reset|cancel/i)
    await expectReleased(1)
  })

  it('is released when the request times out', async () => {
    expect((await post('/late', { body: incomplete() })).status).toBe(503)
    await expectReleased(1)
  })
})
