import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import '../src/register.ts'
import type { SseStream } from '../src/index.ts'

/** A stream that the test controls. The test decides when the handler returns or throws. */
class OpenStream {
  readonly #end = Promise.withResolvers<void>()
  readonly stream: SseStream

  constructor(stream: SseStream) {
    this.stream = stream
  }

  get ended(): Promise<void> {
    return this.#end.promise
  }

  return(): void {
    this.#end.resolve()
  }

  throw(): void {
    this.#end.reject(new Error('on purpose'))
  }
}

let opened = Promise.withResolvers<OpenStream>()

/** The stream of the next request. */
function nextStream(): Promise<OpenStream> {
  opened = Promise.withResolvers()
  return opened.promise
}

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  server.router().all('/', async (ctx) => {
    ctx.responseHeaders.set('content-length', '5')
    const open = new OpenStream(await ctx.sse({ heartbeatMs: 0 }))
    opened.resolve(open)
    await open.ended
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

/** Reads a body in pieces of a requested size. */
function reader(body: AsyncIterable<Uint8Array>): (length: number) => Promise<string> {
  const iterator = body[Symbol.asyncIterator]()
  let text = ''
  return async (length) => {
    while (text.length < length) {
      const { done, value } = await iterator.next()
      if (done === true) break
      text += Buffer.from(value).toString()
    }
    const piece = text.slice(0, length)
    text = text.slice(length)
    return piece
  }
}

beforeAll(() => setSinks([]))

eachProtocol('an event stream', start, (client, protocol) => {
  it('sends its head before the first event', async () => {
    const open = nextStream()
    const response = await client().request({ path: '/' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.has('content-length')).toBe(false)
    expect(response.headers.get('connection')).toBe(protocol.startsWith('h1') ? 'close' : null)
    ;(await open).return()
    expect(await response.text()).toBe('')
  })

  it('sends each event without waiting for the next', async () => {
    const open = nextStream()
    const response = await client().request({ method: 'POST', path: '/', body: 'question' })
    const { stream } = await open
    const read = reader(response.body)
    for (const text of ['one', 'two', 'three']) {
      await stream.event('tick', text)
      const block = `event: tick\ndata: ${text}\n\n`
      expect(await read(block.length)).toBe(block)
    }
    ;(await open).return()
    expect(await read(1)).toBe('')
  })

  it('ends after unawaited writes when the handler returns', async () => {
    const open = nextStream()
    const response = await client().request({ path: '/' })
    const { stream } = await open
    void stream.data('a')
    void stream.data('b')
    ;(await open).return()
    expect(await response.text()).toBe('data: a\n\ndata: b\n\n')
    expect(stream.isOpen()).toBe(false)
    await stream.data('late')
  })

  it('is aborted when the handler throws', async () => {
    const open = nextStream()
    const response = await client().request({ path: '/' })
    await (await open).stream.data('a')
    const read = reader(response.body)
    expect(await read(9)).toBe('data: a\n\n')
    ;(await open).throw()
    await expect(read(1)).rejects.toBeInstanceOf(Error)
  })

  it('detects a disconnect', async () => {
    const open = nextStream()
    const response = await client().request({ path: '/' })
    const { stream } = await open
    const { signal } = stream
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    response.abort()
    await aborted
    expect(stream.isOpen()).toBe(false)
    await stream.data('nobody there')
    ;(await open).return()
  })

  it('settles a waiting write when the client disconnects', async () => {
    const open = nextStream()
    const response = await client().request({ path: '/' })
    const { stream } = await open
    let isSettled = false
    const write = stream.data('x'.repeat(9 * 1024 * 1024)).then(() => (isSettled = true))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isSettled).toBe(false)
    expect(stream.bufferedBytes).toBeGreaterThan(0)
    response.abort()
    await write
    ;(await open).return()
  })

  it('sends only the head for HEAD', async () => {
    const open = nextStream()
    const response = await client().request({ method: 'HEAD', path: '/' })
    const { stream } = await open
    expect(stream.isOpen()).toBe(false)
    ;(await open).return()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe('')
  })
})
