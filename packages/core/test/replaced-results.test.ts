import { createReadStream, type ReadStream } from 'node:fs'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as log from '@fw/log'
import { settle, type ServerDemand } from '@fw/testing'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { Server, type Context, type Middleware } from '../src/index.ts'
import { everyWay } from './every-way.ts'

/** Number of times that sources in the current test were released. */
let releases = 0
/** Number of times that these sources were read to the end. */
let ends = 0
const onRelease = (): void => void releases++

/** Creates a source of `text` that counts its releases and ends. */
type MakeSource = (text: string) => ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Readable | Response

const SOURCES: Readonly<Record<string, MakeSource>> = {
  'a ReadableStream': (text) => streamOf(text),
  'a Response': (text) => new Response(streamOf(text)),
  'an async iterable': (text) => {
    let pieces = [Buffer.from(text)]
    const iterator = {
      async next() {
        const value = pieces.pop()
        if (value === undefined) ends++
        return value === undefined ? { done: true as const, value } : { done: false as const, value }
      },
      async return() {
        pieces = []
        onRelease()
        return { done: true as const, value: undefined }
      },
    }
    return { [Symbol.asyncIterator]: () => iterator as AsyncIterator<Uint8Array> }
  },
  'a Node.js stream': (text) => {
    const stream = new Readable({
      read() {
        this.push(Buffer.from(text))
        this.push(null)
      },
    })
    stream.on('end', () => ends++)
    return stream.on('close', () => stream.readableEnded || onRelease())
  },
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(Buffer.from(text))
        controller.close()
        ends++
      },
      cancel: onRelease,
    },
    { highWaterMark: 0 },
  )
}

type Make = () => unknown

let outer: (ctx: Context, next: () => Promise<void>, make: Make) => unknown
let inner: (ctx: Context, make: Make) => unknown
let makeInner: Make = () => 'inner'
let makeOuter: Make = () => 'outer'
const middleware: Middleware = (ctx, next) => outer(ctx, next, () => makeOuter())

beforeAll(() => log.setSinks([]))
beforeEach(() => {
  releases = ends = 0
  inner = (_, make) => make()
})

/** Expects exactly `times` releases. */
async function expectReleases(times: number): Promise<void> {
  await expect.poll(() => releases).toBe(times)
  await settle(10)
  expect(releases).toBe(times)
}

everyWay('a request with two results', start, (client) => {
  const request = async (method = 'GET'): Promise<[status: number, text: string]> => {
    const response = await client().request({ method, path: '/' })
    return [response.status, await response.text().catch(() => 'failed')]
  }

  it.each(Object.entries(SOURCES))(
    "sends the handler's result, and cancels %s from the middleware",
    async (_, make) => {
      makeInner = () => make('inner')
      makeOuter = () => make('outer')
      for (const late of [
        async (_ctx: Context, next: () => Promise<void>, again: Make) => {
          await next()
          return again()
        },
        async (_ctx: Context, next: () => Promise<void>, again: Make) => {
          void next()
          return again()
        },
        (_ctx: Context, next: () => Promise<void>, again: Make) => {
          void next()
          return again()
        },
      ]) {
        releases = ends = 0
        outer = late
        expect(await request()).toEqual([200, 'inner'])
        await expectReleases(1)
        expect(ends).toBe(1)
      }
    },
  )

  it.each(Object.entries(SOURCES))(
    'sends the response that middleware prepares, and cancels %s from the handler',
    async (_, make) => {
      makeInner = () => make('inner')
      outer = async (ctx, next) => {
        await next()
        ctx.text('outer')
      }
      expect(await request()).toEqual([200, 'outer'])
      await expectReleases(1)
      expect(ends).toBe(0)
    },
  )

  it.each(Object.entries(SOURCES))('cancels %s from the handler after middleware throws', async (_, make) => {
    makeInner = () => make('inner')
    outer = async (_ctx, next) => {
      await next()
      throw new Error('broken')
    }
    expect((await request())[0]).toBe(500)
    await expectReleases(1)
  })

  it.each(Object.entries(SOURCES))('cancels %s from the handler after middleware sends a head', async (_, make) => {
    makeInner = () => make('inner')
    for (const isThrowing of [false, true]) {
      releases = 0
      outer = async (ctx, next) => {
        await next()
        ctx.startResponse().write(Buffer.from('x'))
        if (isThrowing) throw new Error('broken')
      }
      await request().catch(() => {})
      await expectReleases(1)
      expect(ends).toBe(0)
    }
  })

  it.each(Object.entries(SOURCES))('cancels %s from the handler after the client has disconnected', async (_, make) => {
    makeInner = () => make('inner')
    for (const rethrows of [false, true]) {
      const entered = Promise.withResolvers<void>()
      releases = 0
      outer = async (ctx, next) => {
        await next()
        entered.resolve()
        if (!ctx.signal.aborted) await once(ctx.signal, 'abort')
        if (rethrows) throw ctx.signal.reason
      }
      const leaving = new AbortController()
      const response = client().request({ path: '/', signal: leaving.signal })
      await entered.promise
      await settle(5)
      leaving.abort()
      await expect(response).rejects.toBeInstanceOf(Error)
      await expectReleases(1)
    }
  })

  const INVALID = {
    init: 7,
    status: { status: 99 },
    headers: { headers: [['a', 'b']] },
    field: { headers: { 'a b': '1' } },
  }
  it.each(
    Object.entries(SOURCES)
      .filter(([name]) => name !== 'a Response')
      .flatMap(([name, make]) => Object.entries(INVALID).map(([what, init]) => [name, what, make, init] as const)),
  )('cancels %s if the init is invalid (%s)', async (_name, _what, make, init) => {
    outer = (_ctx, next) => next()
    inner = (ctx) => ctx.stream(make('x') as ReadableStream<Uint8Array>, init as object)
    expect((await request())[0]).toBe(500)
    await expectReleases(1)
    // The handler catches the error and responds without a body.
    releases = 0
    inner = (ctx) => {
      try {
        ctx.stream(make('x') as ReadableStream<Uint8Array>, init as object)
      } catch {}
    }
    expect(await request()).toEqual([204, ''])
    await expectReleases(1)
  })

  it.each(Object.entries(SOURCES))(
    'cancels %s that is passed to a method for a different type of body',
    async (_, make) => {
      outer = (_ctx, next) => next()
      for (const give of ['json', 'text', 'html', 'bytes'] as const) {
        releases = 0
        inner = (ctx) => (ctx[give] as (body: unknown) => void)(make('x'))
        expect([give, (await request())[0]]).toEqual([give, 500])
        await expectReleases(1)
      }
    },
  )

  it.each(Object.entries(SOURCES))('cancels %s in a response without a body', async (_, make) => {
    outer = (_ctx, next) => next()
    for (const status of [204, 205, 304]) {
      releases = 0
      inner = (ctx) => {
        const result = make('x')
        if (!(result instanceof Response)) ctx.status = status
        return result instanceof Response ? Object.defineProperty(result, 'status', { value: status }) : result
      }
      expect(await request()).toEqual([status, ''])
      await expectReleases(1)
    }
  })

  it.each(Object.entries(SOURCES))('releases %s in a response to HEAD', async (_, make) => {
    outer = (_ctx, next) => next()
    inner = () => make('x')
    expect(await request('HEAD')).toEqual([200, ''])
    await expect.poll(() => releases + ends).toBe(1)
    await settle(10)
    expect(releases + ends).toBe(1)
  })

  it('closes a file that is not sent', async () => {
    const files: ReadStream[] = []
    outer = (_ctx, next) => next()
    const openStream = (): ReadStream => {
      const file = createReadStream(fileURLToPath(import.meta.url))
      files.push(file)
      return file
    }
    inner = openStream
    expect(await request('HEAD')).toEqual([200, ''])
    inner = (ctx) => {
      ctx.status = 304
      return openStream()
    }
    expect(await request()).toEqual([304, ''])
    outer = async (_ctx, next) => {
      await next()
      return openStream()
    }
    expect(await request()).toEqual([304, ''])
    await expect.poll(() => files.map((file) => file.closed)).toEqual([true, true, true, true])
  })

  it('responds with 500 to a FileHandle, and closes it', async () => {
    outer = (_ctx, next) => next()
    for (const isGiven of [false, true]) {
      const file = await open(fileURLToPath(import.meta.url))
      inner = (ctx) => (isGiven ? ctx.json(file) : file)
      expect((await request())[0]).toBe(500)
      await expect.poll(() => file.fd).toBe(-1)
    }
  })

  it.each(['used', 'locked'])('responds with 500 to a Response whose body is %s', async (how) => {
    outer = (_ctx, next) => next()
    inner = async () => {
      const response = new Response('x')
      if (how === 'used') await response.text()
      else response.body?.getReader()
      return response
    }
    expect((await request())[0]).toBe(500)
  })

  it('responds with 500 to a Response whose body is locked before it is sent', async () => {
    const response = new Response(streamOf('x'))
    inner = () => response
    outer = async (_ctx, next) => {
      await next()
      response.body?.getReader()
    }
    expect((await request())[0]).toBe(500)
  })
})

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  server
    .router()
    .use(middleware)
    .get('/', (ctx) => inner(ctx, () => makeInner()))
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}
