import { Readable } from 'node:stream'
import type { Context, Handler, Outcome } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'

/** Responses with the name of the first part. */
const firstPart: Handler = async (ctx) => {
  for await (const part of ctx.parts()) return part.name
  return undefined
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('App.fetch', () => {
  it('takes a path, an URL or a Request', async () => {
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

  it('answers with what an engine would send', async () => {
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

  it.each([204, 205, 304])('has no body with status %i', async (status) => {
    const app = new App()
    app.router.get('/', (ctx) => ctx.text('x', { status }))
    app.router.get('/stream', (ctx) => ctx.stream(['x'], { status }))
    for (const path of ['/', '/stream']) expect((await app.fetch(path)).body).toBeNull()
  })

  it('streams both ways at once', async () => {
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

  it('stops reading the request when nobody wants the rest', async () => {
    const app = new App()
    app.router.post('/', () => 'no')
    const { promise, resolve } = Promise.withResolvers<string>()
    const body = new ReadableStream<Uint8Array>({ cancel: () => resolve('cancelled') })
    expect((await app.fetch('/', { method: 'POST', body, duplex: 'half' })).status).toBe(200)
    expect(await promise).toBe('cancelled')
  })

  it.each<[string, Handler]>([
    ['nobody reads it', () => 'x'],
    ['only its first part is read', firstPart],
    ['it is over the limit', async (ctx) => String((await ctx.bytes()).length)],
  ])('lets go of a FormData without an error that nobody can catch, if %s', async (_, handler) => {
    const app = new App()
    app.router.post('/', { limits: { maxBodyBytes: 100_000 } }, handler)
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const body = new FormData()
      for (const name of ['a', 'b']) body.append(name, new Blob([new Uint8Array(80_000)]))
      await (await app.fetch('/', { method: 'POST', body })).text()
      // Node.js reads a `Blob` in turns of the event loop, and tells of what nobody caught after one.
      for (let i = 0; i < 20; i++) await tick()
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('holds a fast handler back until the response is read', async () => {
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

  it('gives a copy: what is written may be used again', async () => {
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
  ])('refuses to write %s, of which it would send other memory or nothing', async (type, piece) => {
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

  it('rejects if it was aborted before', async () => {
    const outcomes: Outcome[] = []
    const app = new App()
    app.router.use((ctx, next) => {
      ctx.onFinish((outcome) => outcomes.push(outcome))
      return next()
    })
    app.router.get('/', () => 'x')
    await expect(app.fetch('/', { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
  })

  it('rejects when it is aborted while it waits', async () => {
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

  it('rejects what waits for the body of the request when it is aborted', async () => {
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
  ])('rejects nothing that nobody can catch if the handler has yet to await what it reads from %s', async (_, read) => {
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

  it('is over for the handler when the body of the response is cancelled', async () => {
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
  ])('of %s arrives whole', async (_, source) => {
    const app = new App()
    app.router.get('/', source)
    expect(await (await app.fetch('/')).text()).toBe('ab')
  })

  it('of anything but text and bytes fails', async () => {
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
  ])('stops %s when the client goes away', async (_, make) => {
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

  it('to HEAD is not pulled, and its source let go', async () => {
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

/** A stream that gives one piece and then neither more nor its end. */
function idle(): Readable {
  let isGiven = false
  return new Readable({
    read() {
      if (!isGiven) this.push('x')
      isGiven = true
    },
  })
}
