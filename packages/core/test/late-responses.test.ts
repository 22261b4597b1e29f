import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { settle, type ServerDemand } from '@fw/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Server, type Context } from '../src/index.ts'
import { everyWay } from './every-way.ts'

/** Actions of a handler after its timeout, while the error handler is running. */
const LATE: Readonly<Record<string, (ctx: Context) => unknown>> = {
  json: (ctx) => ctx.json({ from: 'the late handler' }, { status: 201 }),
  return: () => 'the late handler',
  response: () => new Response('the late handler', { status: 201, headers: { 'x-late': '1' } }),
  throw: () => {
    throw new RangeError('the late handler')
  },
  empty: (ctx) => ctx.empty(),
  redirect: (ctx) => ctx.redirect('/late'),
  stream: (ctx) => ctx.stream(['the late handler']),
  start: (ctx) => ctx.startResponse().end(),
  notFound: (ctx) => ctx.notFound(),
  status: (ctx) => {
    ctx.status = 418
  },
  fields: (ctx) => {
    ctx.responseHeaders.set('x-late', '1')
    ctx.responseHeaders.delete('x-early')
    ctx.cookies.set('late', '1')
  },
}

interface Done {
  readonly status: number
  readonly early: string | null
}

const done: Done[] = []
/** Lengths of bodies that were read late. */
const read: unknown[] = []
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeAll(() => {
  log.setSinks([])
  process.on('unhandledRejection', note)
})
afterAll(() => void process.off('unhandledRejection', note))

everyWay('a late handler', start, (client) => {
  it.each(Object.keys(LATE))('has no effect after the timeout (%s)', async (what) => {
    done.length = 0
    const response = await client().request({ path: `/${what}` })
    const fields = ['x-early', 'x-late', 'set-cookie'].map((name) => response.headers.get(name))
    expect([response.status, await response.text(), ...fields]).toEqual([
      503,
      '{"late":"/' + what + '"}',
      '7',
      null,
      null,
    ])
    // Only one response is sent, and onFinish listeners receive it.
    await expect.poll(() => done).toEqual([{ status: 503, early: '7' }])
    expect(unhandled).toEqual([])
  })

  it('has no effect after the timeout response was sent', async () => {
    done.length = 0
    const response = await client().request({ path: '/afterwards' })
    expect([response.status, await response.text()]).toEqual([503, '{"late":"/afterwards"}'])
    await settle(40)
    await expect.poll(() => [done, unhandled]).toEqual([[{ status: 503, early: '7' }], []])
  })

  it("does not affect the request's values and body in the error handler", async () => {
    const response = await client().request({ method: 'POST', path: '/values', body: 'abc' })
    expect([response.status, await response.text()]).toEqual([503, 'abc abc false'])
  })

  it('reads the whole body or receives an error after the response was sent', async () => {
    for (const size of [10, 100_000, 900_000]) {
      read.length = 0
      const response = await client().request({ method: 'POST', path: '/reads-late', body: 'x'.repeat(size) })
      expect([response.status, await response.text()]).toEqual([200, 'early'])
      await expect.poll(() => read).toHaveLength(1)
      expect([size, 'an error']).toContain(read[0])
    }
  })
})

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  const router = server.router()
  router.use((ctx, next) => {
    ctx.responseHeaders.set('x-early', '7')
    ctx.onFinish(({ status }) => done.push({ status, early: ctx.responseHeaders.get('x-early') }))
    return next()
  })
  router.onError(async (_error, ctx) => {
    ctx.json({ late: ctx.path })
    // The late handler continues to run during this time.
    await sleep(20)
  })
  for (const [name, act] of Object.entries(LATE)) {
    router.get(`/${name}`, { timeoutMs: 5 }, async (ctx) => {
      await aborted(ctx.signal)
      await sleep(5)
      return act(ctx)
    })
  }
  router.get('/afterwards', { timeoutMs: 5 }, async (ctx) => {
    await sleep(40)
    ctx.json('the late handler')
  })
  router.post('/reads-late', (ctx) => {
    ctx.onFinish(() => void readLater(ctx))
    return 'early'
  })
  const values = router.group('/values')
  values.onError(async (_error, ctx) => `${await ctx.get(Seen)?.text} ${await ctx.text()} ${ctx.signal.aborted}`)
  values.post('', { timeoutMs: 50 }, async (ctx) => {
    // The body from a busy client can arrive after the timeout.
    ctx.set(Seen, new Seen(ctx.text()))
    await aborted(ctx.signal)
  })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

async function readLater(ctx: Context): Promise<void> {
  await sleep(20)
  const length = await ctx.text().then(
    (text) => text.length,
    () => 'an error',
  )
  read.push(length)
}

class Seen {
  readonly text: Promise<string>
  constructor(text: Promise<string>) {
    this.text = text
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}
