import { once } from 'node:events'
import * as log from '@fw/log'
import { settle, type ServerDemand } from '@fw/testing'
import type { MultipartPart } from '@fw/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Server, type Context } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const HEADERS = [['content-type', 'multipart/form-data; boundary=b']] as const
const HEAD = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n'

/** A read in progress. The wrapper object prevents `await` from awaiting the promise. */
interface Begun {
  readonly late: Promise<unknown>
}

/** Functions that begin a read of a body that never ends. */
const READS: Readonly<Record<string, (ctx: Context) => Begun | Promise<Begun>>> = {
  'a reader of ctx.stream()': (ctx) => secondRead(ctx.stream()),
  'an iterator of ctx.stream()': async (ctx) => {
    const iterator = ctx.stream()[Symbol.asyncIterator]()
    await iterator.next()
    return { late: iterator.next() }
  },
  'a branch of ctx.stream()': (ctx) => secondRead(ctx.stream().tee()[1]),
  'a branch of a branch': (ctx) => secondRead(ctx.stream().tee()[0].tee()[1]),
  'ctx.stream().pipeTo()': (ctx) => ({ late: ctx.stream().pipeTo(new WritableStream()) }),
  'ctx.parts()': async (ctx) => {
    const parts = ctx.parts()
    await parts.next()
    return { late: parts.next() }
  },
  'part.bytes()': async (ctx) => ({ late: (await firstPart(ctx)).bytes() }),
  'part.text()': async (ctx) => ({ late: (await firstPart(ctx)).text() }),
  'an iterator of a part': async (ctx) => {
    const iterator = (await firstPart(ctx))[Symbol.asyncIterator]()
    await iterator.next()
    return { late: iterator.next() }
  },
  'ctx.request.text()': (ctx) => ({ late: ctx.request.text() }),
  'ctx.request.clone()': (ctx) => ({ late: ctx.request.clone().bytes() }),
  'a clone of a clone': (ctx) => ({ late: ctx.request.clone().clone().text() }),
  'a cloned request': (ctx) => {
    ctx.request.clone()
    return { late: ctx.request.text() }
  },
  'ctx.request.body': (ctx) => secondRead(ctx.request.body),
  'the body of a clone': (ctx) => secondRead(ctx.request.clone().body),
}

let begin: (ctx: Context) => Begun | Promise<Begun>
let begun: PromiseWithResolvers<void>
let result: PromiseWithResolvers<unknown>
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeAll(() => {
  log.setSinks([])
  process.on('unhandledRejection', note)
})
afterAll(() => void process.off('unhandledRejection', note))

everyWay('a read that is awaited late', start, (client) => {
  it.each(Object.keys(READS))(
    'rejects without an unhandled rejection after the client disconnects: %s',
    async (how) => {
      begin = READS[how] ?? begin
      begun = Promise.withResolvers()
      result = Promise.withResolvers()
      unhandled.length = 0
      const leaving = new AbortController()
      const { signal } = leaving
      const body = unfinished(signal)
      const response = client().request({ path: '/left', headers: HEADERS, body, signal })
      await begun.promise
      leaving.abort()
      await expect(response).rejects.toBeInstanceOf(Error)
      expect(await result.promise).toMatchObject({ name: 'AbortError' })
      expect(unhandled).toEqual([])
    },
  )

  it.each(Object.keys(READS))(
    'rejects without an unhandled rejection after the body exceeds its limit: %s',
    async (how) => {
      begin = READS[how] ?? begin
      begun = Promise.withResolvers()
      result = Promise.withResolvers()
      unhandled.length = 0
      const body = (async function* () {
        yield Buffer.from(`${HEAD}x`)
        await begun.promise
        yield Buffer.alloc(1000)
      })()
      const response = await client().request({ path: '/limited', headers: HEADERS, body })
      expect([response.status, await response.text()]).toEqual([200, 'late'])
      expect(await result.promise).toMatchObject({ status: 413 })
      expect(unhandled).toEqual([])
    },
  )

  it('rejects without an unhandled rejection for a request without a body', async () => {
    begin = (ctx) => ({ late: ctx.request.json() })
    begun = Promise.withResolvers()
    result = Promise.withResolvers()
    unhandled.length = 0
    const response = await client().request({ path: '/limited' })
    expect([response.status, await response.text()]).toEqual([200, 'late'])
    expect(await result.promise).toBeInstanceOf(SyntaxError)
    expect(unhandled).toEqual([])
  })
})

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  server
    .router()
    .post('/left', awaitLate)
    .post('/limited', { limits: { maxBodyBytes: 500 } }, awaitLate)
    .get('/limited', awaitLate)
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

async function awaitLate(ctx: Context): Promise<string> {
  const { late } = await begin(ctx)
  begun.resolve()
  if (ctx.path === '/left' && !ctx.signal.aborted) await once(ctx.signal, 'abort')
  await settle(50)
  result.resolve(await late.catch((error: unknown) => error))
  return 'late'
}

async function secondRead(stream: ReadableStream<Uint8Array> | null): Promise<Begun> {
  const reader = stream?.getReader()
  if (reader === undefined) throw new Error('The request must have a body')
  await reader.read()
  return { late: reader.read() }
}

async function firstPart(ctx: Context): Promise<MultipartPart> {
  const { value } = await ctx.parts().next()
  return value as MultipartPart
}

/** Yields a body without an end. */
async function* unfinished(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${HEAD}x`)
  if (!signal.aborted) await once(signal, 'abort')
}
