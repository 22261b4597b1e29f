import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import * as log from '@fw/log'
import { settle, type ServerDemand } from '@fw/testing'
import * as undici from 'undici'
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { Server, type Context, type Middleware } from '../src/index.ts'
import { everyWay } from './every-way.ts'

type MakeResponse = new (body: unknown, init: object) => Response

interface NodeFetch {
  readonly default: (url: string) => Promise<unknown>
  readonly Response: MakeResponse
}

interface GraphqlYoga {
  createYoga(options: object): {
    readonly fetchAPI: { readonly Response: MakeResponse }
    fetch(request: Request): Promise<unknown>
  }
  createSchema(options: object): object
}

// These packages are loaded without types, because their types include the DOM types, which conflict with those of
// Node.js.
const require = createRequire(import.meta.url)
const nodeFetch = require('node-fetch') as NodeFetch
const graphqlYoga = require('graphql-yoga') as GraphqlYoga

const HEADERS: [string, string][] = [
  ['Content-Type', 'text/x-own'],
  ['set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
  ['set-cookie', 'b=2'],
  ['X-Own', 'one'],
]
const INIT = { status: 201, headers: HEADERS }

/** Number of times that the body in the current test was canceled. */
let cancels = 0

type Make = (body: 'text' | 'none' | 'stream') => unknown

/** Creates responses of several classes, with text, without a body or with a stream that never ends. */
const MAKES: Readonly<Record<string, Make>> = {
  'Node.js': (body) => new Response(body === 'none' ? null : body === 'text' ? 'hello' : endless(), INIT),
  undici: (body) => new undici.Response(body === 'none' ? null : body === 'text' ? 'hello' : endless(), INIT),
  'node-fetch': (body) =>
    new nodeFetch.Response(body === 'none' ? null : body === 'text' ? 'hello' : Readable.from(pieces()), INIT),
  'GraphQL Yoga': (body) =>
    new yoga.fetchAPI.Response(body === 'none' ? null : body === 'text' ? 'hello' : endless(), {
      status: 201,
      headers: HEADERS.map((field): [string, string] => [...field]),
    }),
  'another realm': (body) => foreign(body === 'none' ? null : body === 'text' ? 'hello' : pieces()),
  'an own class': (body) => new OwnResponse(body),
}

const yoga = graphqlYoga.createYoga({
  schema: graphqlYoga.createSchema({
    typeDefs: 'type Query { hello: String } type Subscription { count: Int }',
    resolvers: {
      Query: { hello: () => 'world' },
      Subscription: {
        count: {
          async *subscribe() {
            yield { count: 1 }
            yield { count: 2 }
          },
        },
      },
    },
  }),
  logging: false,
})

/** A class with the members of `Response`, but without its prototype. */
class OwnResponse {
  readonly status = 201
  readonly headers = HEADERS
  readonly #body: 'text' | 'none' | 'stream'

  constructor(body: 'text' | 'none' | 'stream') {
    this.#body = body
  }

  get body(): AsyncIterable<Uint8Array> | null | undefined {
    return { none: null, text: undefined, stream: pieces() }[this.#body]
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new TextEncoder().encode('hello').buffer
  }
}

/** Creates a `Response` from another realm, whose pieces are also from that realm. */
function foreign(source: string | null | AsyncIterable<Uint8Array>): unknown {
  const code = `(class Response {
    constructor(source, headers) { Object.assign(this, { source, status: 201, headers }) }
    get body() {
      const { source } = this
      if (source === null) return null
      if (typeof source !== 'string') return source
      return (async function* () { yield Uint8Array.from(source, (c) => c.charCodeAt(0)) })()
    }
    async arrayBuffer() { return new ArrayBuffer(0) }
  })`
  const Class = runInContext(code, createContext({})) as new (...parts: unknown[]) => unknown
  return new Class(source, new Map(HEADERS.filter(([name]) => name !== 'set-cookie')))
}

function endless(): ReadableStream<Uint8Array> {
  let isFirst = true
  return new ReadableStream({
    pull(controller) {
      if (isFirst) controller.enqueue(Buffer.from('hello'))
      isFirst = false
    },
    cancel: () => void cancels++,
  })
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  try {
    yield Buffer.from('hello')
    await new Promise(() => {})
  } finally {
    cancels++
  }
}

function form(): FormData {
  const data = new FormData()
  data.set('a', '1')
  data.set('b', new File(['x'.repeat(100)], 'x'))
  data.set('c', new File(['y'.repeat(100)], 'y'))
  return data
}

/** Responses whose body is in memory. */
const KNOWN: Readonly<Record<string, () => Response>> = {
  'a text': () => new Response('hello'),
  'a large text': () => new Response('x'.repeat(300_000)),
  'an empty text': () => new Response(''),
  JSON: () => Response.json({ a: 1 }),
  bytes: () => new Response(new Uint8Array(300_000)),
  'a Blob': () => new Response(new Blob(['hel', 'lo'])),
  'a large Blob': () => new Response(new Blob([new Uint8Array(1_000_000)])),
  URLSearchParams: () => new Response(new URLSearchParams({ a: '1' })),
  'a form': () => new Response(form()),
  'a clone': () => {
    const response = new Response('hello')
    response.clone()
    return response
  },
}

let make: (ctx: Context) => unknown
let around: Middleware

beforeAll(() => log.setSinks([]))
beforeEach(() => {
  cancels = 0
  around = (_, next) => next()
})

everyWay('a Response value', start, (client) => {
  const get = (method = 'GET', path = '/') => client().request({ method, path })

  it.each(Object.keys(MAKES))('is sent with its status, fields, body and length: %s', async (name) => {
    make = () => MAKES[name]?.('text')
    for (const method of ['GET', 'HEAD']) {
      const response = await get(method)
      expect([response.status, await response.text()]).toEqual([201, method === 'GET' ? 'hello' : ''])
      expect(['content-type', 'content-length', 'x-own'].map((field) => response.headers.get(field))).toEqual([
        'text/x-own',
        '5',
        'one',
      ])
      if (name === 'another realm') continue
      expect(response.headers.getSetCookie()).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
    }
  })

  it.each(Object.keys(MAKES))('is accepted without a body from middleware: %s', async (name) => {
    around = () => MAKES[name]?.('none')
    const response = await get()
    expect([response.status, response.headers.get('x-own'), await response.text()]).toEqual([201, 'one', ''])
    expect(response.headers.get('content-length')).toBe('0')
  })

  it.each(Object.keys(MAKES).filter((name) => !['another realm', 'an own class', 'node-fetch'].includes(name)))(
    'is sent before its stream ends, and canceled after the client disconnects: %s',
    async (name) => {
      make = () => MAKES[name]?.('stream')
      const response = await get()
      for await (const piece of response.body) {
        expect(Buffer.from(piece).toString()).toBe('hello')
        break
      }
      response.abort()
      await expect.poll(() => cancels).toBe(1)
      await settle(10)
      expect(cancels).toBe(1)
    },
  )

  it.each(['undici', 'node-fetch'])('causes a 500 if its body was read: %s', async (name) => {
    make = async () => {
      const response = MAKES[name]?.('text') as Response
      await response.text()
      return response
    }
    expect((await get()).status).toBe(500)
  })

  it('is forwarded decoded if fetch() in undici or node-fetch returned it', async () => {
    const upstream = createServer((_request, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(gzipSync('hello'))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void upstream.close())
    await once(upstream, 'listening')
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
    for (const fetchIt of [undici.fetch, nodeFetch.default]) {
      make = () => fetchIt(url)
      const response = await get()
      expect([response.status, await response.text()]).toEqual([200, 'hello'])
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    }
  })

  it('supports GraphQL Yoga queries and subscriptions', async () => {
    make = (ctx) => yoga.fetch(ctx.request)
    const query = await get('GET', '/graphql?query={hello}')
    expect([query.status, await query.json()]).toEqual([200, { data: { hello: 'world' } }])
    const headers = [['accept', 'text/event-stream']] as const
    const events = await client().request({ path: '/graphql?query=subscription{count}', headers })
    expect(events.headers.get('content-type')).toContain('text/event-stream')
    expect(await events.text()).toContain('data: {"data":{"count":2}}')
  })

  it('must have all members of a Response: an object with only some is sent as JSON', async () => {
    for (const value of [
      { status: 7, headers: [], body: 'x' },
      new (class {
        status = 7
        headers = {}
        arrayBuffer = 'x'
      })(),
    ]) {
      make = () => value
      const response = await get()
      expect(await response.json()).toEqual(JSON.parse(JSON.stringify(value)))
    }
  })

  it.each(Object.keys(KNOWN))('has the same length for GET and HEAD, with %s', async (name) => {
    make = () => KNOWN[name]?.()
    const [got, head] = [await get(), await get('HEAD')]
    const { byteLength } = await got.bytes()
    expect(got.headers.get('content-length')).toBe(String(byteLength))
    // The boundary of a form is different each time, but has a fixed length.
    expect(head.headers.get('content-length')).toBe(String(byteLength))
    expect(await head.text()).toBe('')
  })

  it('omits the length if its pieces arrive slowly, and sends each immediately', async () => {
    const next = Promise.withResolvers<void>()
    make = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(Buffer.from('x'))
            await next.promise
            controller.close()
          },
        }),
      )
    const response = await get()
    expect(response.headers.get('content-length')).toBeNull()
    let text = ''
    for await (const piece of response.body) {
      text += Buffer.from(piece).toString()
      next.resolve()
    }
    expect(text).toMatch(/^x+$/)
  })

  it('sends its head before the first piece arrives', async () => {
    const next = Promise.withResolvers<void>()
    make = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await next.promise
            controller.enqueue(Buffer.from('x'))
            controller.close()
          },
        }),
      )
    const response = await get()
    expect(response.status).toBe(200)
    next.resolve()
    expect(await response.text()).toBe('x')
  })

  it('causes a 500 if its stream fails before the head is sent', async () => {
    make = () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error('broken')) }))
    expect((await get()).status).toBe(500)
    expect((await get('HEAD')).status).toBe(500)
  })

  it('is replaced by a response that the handler prepares while the body is being read', async () => {
    make = (ctx) => {
      setImmediate(() => ctx.text('replaced'))
      return new Response(new ReadableStream({ cancel: () => void cancels++ }))
    }
    const response = await get()
    expect(await response.text()).toBe('replaced')
    expect(cancels).toBe(1)
  })

  it("is canceled if the route's timeout expires while it is being read", async () => {
    make = () => {
      setTimeout(() => {})
      const end = performance.now() + 30
      while (performance.now() < end);
      return new Response(new ReadableStream({ cancel: () => void cancels++ }))
    }
    expect((await get('GET', '/timed')).status).toBe(503)
    await expect.poll(() => cancels).toBe(1)
  })
})

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  server
    .router()
    .use((ctx, next) => around(ctx, next))
    .get('/timed', { timeoutMs: 10 }, (ctx) => make(ctx))
    .get('/*path', (ctx) => make(ctx))
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}
