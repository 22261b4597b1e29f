import { once } from 'node:events'
import { Readable } from 'node:stream'
import * as log from '@fw/log'
import { settle, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { Server, type Context } from '../src/index.ts'
import { everyWay } from './every-way.ts'

/** Number of times that the source in the current test was canceled. */
let cancels = 0
const onCancel = (): void => void cancels++

/** Creates an iterable that yields `pieces`, then ends or throws. */
function iterable(pieces: readonly unknown[], failure?: Error): AsyncIterable<Uint8Array> {
  const rest = [...pieces]
  const iterator = {
    async next() {
      if (rest.length === 0 && failure !== undefined) throw failure
      return { done: rest.length === 0, value: rest.shift() as Uint8Array }
    },
    async return() {
      onCancel()
      return { done: true as const, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** Results that must be released. */
const SOURCES = {
  'a ReadableStream': () => new ReadableStream<Uint8Array>({ cancel: onCancel }),
  'an async iterable': () => iterable([Buffer.from('x')]),
  'a Node.js stream': () => new Readable({ read() {} }).on('close', onCancel),
} as const
const RESULTS: Readonly<Record<string, () => unknown>> = {
  ...SOURCES,
  'a Response': () => new Response(new ReadableStream<Uint8Array>({ cancel: onCancel })),
}

/** Responses after which a handler's result is too late. */
const LATE = ['handler', 'middleware', 'response'] as const

let act: (ctx: Context) => unknown

beforeAll(() => log.setSinks([]))

everyWay('a result that cannot be sent', start, (client) => {
  const request = async (path: string, late: (ctx: Context) => unknown): Promise<number> => {
    cancels = 0
    act = late
    const response = await client().request({ path })
    await response.bytes().catch(() => {})
    return response.status
  }

  it.each(LATE.flatMap((late) => Object.keys(RESULTS).map((name) => [name, late] as const)))(
    'is canceled once: %s after the response from the %s',
    async (name, late) => {
      expect(await request(`/${late}`, () => RESULTS[name]?.())).toBe(late === 'response' ? 200 : 503)
      await expect.poll(() => cancels).toBe(1)
      await settle(20)
      expect(cancels).toBe(1)
    },
  )

  it('causes no unhandled rejection for a Response with a form', async () => {
    const failures: unknown[] = []
    const note = (reason: unknown): void => void failures.push(reason)
    process.on('unhandledRejection', note)
    const form = new FormData()
    for (let i = 0; i < 10; i++) form.set(`name ${i}`, new File(['x'.repeat(100_000)], 'x'))
    for (const late of LATE) await request(`/${late}`, () => new Response(form))
    await settle(20)
    process.off('unhandledRejection', note)
    expect(failures).toEqual([])
  })

  it.each(Object.entries(SOURCES))('is canceled once: %s that is passed to ctx.stream() too late', async (_, make) => {
    expect(await request('/handler', (ctx) => ctx.stream(make()))).toBe(503)
    await expect.poll(() => cancels).toBe(1)
  })

  it.each<[string, number, () => AsyncIterable<Uint8Array>]>([
    ['yields a piece of the wrong type', 1, () => iterable([Buffer.from('x'), 7, Buffer.from('x')])],
    ['yields more than its content-length', 1, () => iterable([Buffer.from('xxx'), Buffer.from('x')])],
    ['throws', 0, () => iterable([Buffer.from('x')], new Error('broken'))],
    ['ends', 0, () => iterable([Buffer.from('x'), Buffer.from('x')])],
  ])('is canceled for an iterable that %s (calls: %i)', async (_, times, make) => {
    await request('/at-once', make).catch(() => {})
    await settle(40)
    expect(cancels).toBe(times)
  })
})

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  server
    .router()
    .get('/handler', { timeoutMs: 5 }, afterTimeout)
    .get('/middleware', { timeoutMs: 5, use: afterTimeout }, () => 'not reached')
    .get('/response', async (ctx) => {
      ctx.startResponse().end()
      return act(ctx)
    })
    .get('/at-once', (ctx) => {
      ctx.responseHeaders.set('content-length', '2')
      return act(ctx)
    })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

async function afterTimeout(ctx: Context): Promise<unknown> {
  if (!ctx.signal.aborted) await once(ctx.signal, 'abort')
  await settle(5)
  return act(ctx)
}
