import { once } from 'node:events'
import * as log from '@fw/log'
import type { ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { Server, type Context } from '../src/index.ts'
import { everyWay } from './every-way.ts'

/** Functions that read a request body. */
const READS: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  'ctx.bytes()': (ctx) => ctx.bytes(),
  'ctx.text()': (ctx) => ctx.text(),
  'ctx.json()': (ctx) => ctx.json(),
  'ctx.form()': (ctx) => ctx.form(),
  'ctx.stream()': (ctx) => ctx.stream().pipeTo(new WritableStream()),
  'ctx.parts()': (ctx) => ctx.parts().next(),
  'ctx.request': (ctx) => ctx.request.text(),
}

/** Content types that some of these functions require. */
const TYPES: Readonly<Record<string, string>> = {
  'ctx.json()': 'application/json',
  'ctx.parts()': 'multipart/form-data; boundary=b',
}

interface Seen {
  readonly reason: unknown
  readonly error: unknown
}

/** The read in the current test. */
let read: (ctx: Context) => Promise<unknown>
let started: PromiseWithResolvers<void>
let seen: PromiseWithResolvers<Seen>

beforeAll(() => log.setSinks([]))

everyWay('a request whose client disconnects', start, (client) => {
  it.each(Object.keys(READS))(
    'rejects %s with an AbortError that mentions the client or the connection',
    async (how) => {
      read = READS[how] ?? read
      started = Promise.withResolvers()
      seen = Promise.withResolvers()
      const leaving = new AbortController()
      const type = TYPES[how]
      const response = client().request({
        path: '/',
        headers: type === undefined ? [] : [['content-type', type]],
        body: unfinished(leaving.signal),
        signal: leaving.signal,
      })
      await started.promise
      leaving.abort()
      await expect(response).rejects.toBeInstanceOf(Error)
      const { reason, error } = await seen.promise
      const expected = { name: 'AbortError', message: expect.stringMatching(/client|connection/i) as string }
      expect([reason, error]).toMatchObject([expected, expected])
    },
  )
})

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  server.router().post('/', async (ctx) => {
    const { signal } = ctx
    started.resolve()
    if (!signal.aborted) await once(signal, 'abort')
    seen.resolve({ reason: signal.reason, error: await read(ctx).catch((error: unknown) => error) })
  })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

/** Yields one byte of a body, then waits until the client disconnects. */
async function* unfinished(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x')
  if (!signal.aborted) await once(signal, 'abort')
}
