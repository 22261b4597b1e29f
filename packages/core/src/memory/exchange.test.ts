import { Readable } from 'node:stream'
import type { Context, Handler, Outcome } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'

/** Responds with the name of the first part. */
const firstPart: Handler = async (ctx) => {
  for await (const part of ctx.parts()) return part.name
  return undefined
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('App.fetch', () => {
  it('accepts a path, a URL or a Request', async () => {
    const app = new App()
    app.router.all('/a', (ctx) => [ctx.method, ctx.exchange.scheme, ctx.exchange.authority, ctx.headers.get('host')])
    const json = async (input: string | URL | Request): Promise<unknown> => (await app.fetch(input)).json()
    expect(await json('/a')).toEqual(['GET', 'http', 'localhost', 'localhost'])
    expect(await json(new URL('https://example.com:8443/a'))).toEqual([
      'GET',
      'https',
      'example.com:8443',
      'example.com:8443',
    ])
    expect(await json(new Request('http://x.test/a', { method: 'POST' }))).toEqual(['POST', 'http', 'x.test', 'x.test'])
  })

  it('returns the response that an engine would send', async () => {
    const app = new App()
    app.router.get('/', (ctx) => {
      ctx.responseHeaders.append('set-cookie', 'a=1')
      ctx.responseHeaders.append('set-cookie', 'b=2')
      return 'é'
    })
    const { headers } = await app.fetch('/')
    expect(headers.get('content-length')).toBe('2')
    expect(headers.get('date')).toMatch(/GMT$/)
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it.each([204, 205, 304])('returns no body with status %i', async (status) => {
    const app = new App()
    app.router.get('/', (ctx) => ctx.text('x', { status }))
    app.router.get('/stream', (ctx) => ctx.stream(['x'], { status }))
    for (const path of ['/', '/stream']) expect((await app.fetch(path)).body).toBeNull()
  })

  it('streams the request and the response at the same time', async () => {
    const app = new App()
    app.router.post('/', (ctx) => ctx.stream())
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const response = await app.fetch('/', { method: 'POST', body: readable, duplex: 'half' })
    const [reader, writer] = [response.body?.getReader(), writable.getWriter()]
    for (const text of ['one', 'two']) {
      await writer.write(Buffer.from(text))
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(text)
    }
    await writer.close()
    expect((await reader?.read())?.done).toBe(true)
  })

  it('stops reading the request when the handler does not read the rest', async () => {
    const app = new App()
    app.router.post('/', () => 'no')
    const { promise, resolve } = Promise.withResolvers<string>()
    const body = new ReadableStream<Uint8Array>({ cancel: () => resolve('cancelled') })
    expect((await app.fetch('/', { method: 'POST', body, duplex: 'half' })).status).toBe(200)
    expect(await promise).toBe('cancelled')
  })

  it.each<[string, Handler]>([
    ['the handler does not read it', () => 'x'],
    ['the handler reads only the first part', firstPart],
    ['it exceeds the limit', async (ctx) => String((await ctx.bytes()).length)],
  ])('releases a FormData without an unhandled rejection if %s', async (_, handler) => {
    const app = new App()
    app.router.post('/', { limits: { maxBodyBytes: 100_000 } }, handler)
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const body = new FormData()
      for (const name of ['a', 'b']) body.append(name, new Blob([new Uint8Array(80_000)]))
      await (await app.fetch('/', { method: 'POST', body })).text()
      // Node.js reads a `Blob` over several event-loop turns, and reports an unhandled rejection one turn later.
      for (let i = 0; i < 20; i++) await tick()
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('pauses a fast handler until the response is read', async () => {
    const app = new App()
    let written = 0
    app.router.get('/', async function* () {
      for (; written < 64; written++) yield new Uint8Array(16 * 1024)
    })
    const response = await app.fetch('/')
    for (let i = 0; i < 20; i++) await tick()
    expect(written).toBeLessThan(10)
    expect((await response.bytes()).byteLength).toBe(64 * 16 * 1024)
  })

  it('copies written bytes, so the handler can reuse its buffer', async () => {
    const app = new App()
    const chunk = Buffer.from('a')
    app.router.get('/', async (ctx) => {
      const body = ctx.startResponse()
      body.write(chunk)
      chunk[0] = 0x62
      body.write(chunk)
    })
    expect(await (await app.fetch('/')).text()).toBe('ab')
  })

  it.each<[string, unknown]>([
    ['a string', 'text'],
    ['undefined', undefined],
    ['an ArrayBuffer', new ArrayBuffer(8)],
    ['a Uint16Array', new Uint16Array(4)],
    ['a DataView', new DataView(new ArrayBuffer(8))],
    ['an object', { byteLength: 8 }],
  ])('rejects a write of %s, which would send unrelated memory or nothing', async (type, piece) => {
    const errors: unknown[] = []
    const app = new App({ onError: (_, error) => errors.push(error) })
    app.router.get('/', (ctx) => void ctx.startResponse().write(piece as Uint8Array))
    app.router.get('/whole', ({ exchange }) => exchange.respond(200, [], [piece] as unknown as Uint8Array))
    expect((await app.fetch('/whole')).status).toBe(500)
    await expect((await app.fetch('/')).text()).rejects.toThrow('before it was complete')
    expect(errors.at(-1)).toMatchObject({
      name: 'TypeError',
      message: `exchange.write: chunk must be a Uint8Array, got ${type}. Use Buffer.from(text).`,
    })
  })

  it('rejects if the signal is already aborted', async () => {
    const outcomes: Outcome[] = []
    const app = new App()
    app.router.use((ctx, next) => {
      ctx.onFinish((outcome) => outcomes.push(outcome))
      return next()
    })
    app.router.get('/', () => 'x')
    await expect(app.fetch('/', { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
  })

  it('rejects when the signal aborts before the response starts', async () => {
    const app = new App()
    const outcomes: Outcome[] = []
    app.router.get('/', (ctx) => {
      ctx.onFinish((outcome) => outcomes.push(outcome))
      return new Promise(() => {})
    })
    const client = new AbortController()
    const response = app.fetch('/', { signal: client.signal })
    client.abort(new Error('stop'))
    await expect(response).rejects.toThrow('stop')
    expect(outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
  })

  it('rejects a pending read of the request body when the signal aborts', async () => {
    const app = new App()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    app.router.post('/', async (ctx) => {
      await ctx.bytes().catch(resolve)
    })
    const client = new AbortController()
    const body = new ReadableStream<Uint8Array>()
    const response = app.fetch('/', { method: 'POST', body, duplex: 'half', signal: client.signal })
    client.abort()
    await expect(response).rejects.toThrow('aborted')
    expect(await promise).toMatchObject({ name: 'AbortError' })
  })

  it.each<[string, (ctx: Context) => void]>([
    ['the context', (ctx) => void ctx.text()],
    ['the Request of the context', (ctx) => void ctx.request.text()],
  ])('causes no unhandled rejection if the handler has not yet awaited a read from %s', async (_, read) => {
    const app = new App()
    app.router.post('/', async (ctx) => {
      read(ctx)
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
    })
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const client = new AbortController()
      const body = new ReadableStream<Uint8Array>()
      const response = app.fetch('/', { method: 'POST', body, duplex: 'half', signal: client.signal })
      client.abort()
      await expect(response).rejects.toThrow('aborted')
      for (let i = 0; i < 5; i++) await tick()
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('ends the exchange as aborted when the response body is canceled', async () => {
    const app = new App()
    const outcomes: Outcome[] = []
    app.router.get('/', async (ctx) => {
      ctx.onFinish((outcome) => outcomes.push(outcome))
      const body = ctx.startResponse()
      while (body.isOpen) {
        body.write(Buffer.from('x'))
        await tick()
      }
    })
    const reader = (await app.fetch('/')).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(outcomes).toMatchObject([{ status: 200, aborted: true }])
  })
})

describe('a streamed response', () => {
  it.each<[string, () => AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>]>([
    ['a ReadableStream', () => new Blob(['a', 'b']).stream()],
    ['an async generator', () => slowly('a', 'b')],
    ['a Node.js stream', () => Readable.from(['a', 'b'])],
  ])('sends all of %s', async (_, source) => {
    const app = new App()
    app.router.get('/', source)
    expect(await (await app.fetch('/')).text()).toBe('ab')
  })

  it('fails if a chunk is neither text nor bytes', async () => {
    const app = new App({ onError: () => {} })
    app.router.get('/', (ctx) => ctx.stream([{ a: 1 }] as never))
    await expect((await app.fetch('/')).text()).rejects.toThrow('before it was complete')
  })

  it.each<[string, (ended: () => void) => AsyncIterable<string> | ReadableStream<Uint8Array>]>([
    [
      'a ReadableStream',
      (ended) => new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(Buffer.from('x')), cancel: ended }),
    ],
    ['an async generator', (ended) => endless(ended)],
    ['an idle Node.js stream', (ended) => idle().on('close', ended)],
  ])('stops %s when the client disconnects', async (_, make) => {
    const app = new App({ onError: (_message, error) => errors.push(error) })
    const errors: unknown[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    app.router.get('/', () => make(resolve))
    const reader = (await app.fetch('/')).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await promise
    expect(errors).toEqual([])
  })

  it('does not pull its source for HEAD, and cancels it', async () => {
    const app = new App()
    const events: string[] = []
    const source = (): ReadableStream<Uint8Array> =>
      new ReadableStream(
        { pull: () => void events.push('pull'), cancel: () => void events.push('cancel') },
        { highWaterMark: 0 },
      )
    app.router.get('/', source)
    const response = await app.fetch('/', { method: 'HEAD' })
    expect([response.status, response.body]).toEqual([200, null])
    await tick()
    expect(events).toEqual(['cancel'])
  })
})

async function* slowly(...pieces: string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    await tick()
    yield piece
  }
}

async function* endless(ended: () => void): AsyncGenerator<string> {
  try {
    for (;;) {
      await tick()
      yield 'x'
    }
  } finally {
    ended()
  }
}

/** Returns a stream that emits one chunk and never ends. */
function idle(): Readable {
  let isGiven = false
  return new Readable({
    read() {
      if (!isGiven) this.push('x')
      isGiven = true
    },
  })
}
