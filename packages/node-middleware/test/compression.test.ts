import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { compress } from '@fw/compress'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol } from '@fw/testing'
import compression from 'compression'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromNode } from '../src/index.ts'

const LIST = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: `item ${id}` })))

beforeAll(() => setSinks([]))

/** Yields the pieces when they are released. */
class Pieces {
  readonly #waiting: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]

  release(i: number): void {
    this.#waiting[i]?.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    yield 'first '
    await this.#waiting[0]?.promise
    yield 'second '
    await this.#waiting[1]?.promise
    yield 'third'
  }
}

let pieces = new Pieces()

function newServer(options: ConstructorParameters<typeof Server>[0] = {}): Server {
  const server = new Server(options)
  const router = server.router().use(fromNode(compression()))
  router.get('/list', (ctx) => ctx.text(LIST))
  router.get('/small', () => 'small')
  router.get('/image', (ctx) => ctx.bytes(Buffer.from(LIST), { headers: { 'content-type': 'image/png' } }))
  router.get('/large', (ctx) => {
    const body = Array.from({ length: 64 }, () => LIST)
    return ctx.stream(body, { headers: { 'content-type': 'text/plain' } })
  })
  router.get('/pieces', (ctx) => ctx.stream(pieces, { headers: { 'content-type': 'text/plain' } }))
  router.get(
    '/node',
    fromNode((_, res) => {
      res.setHeader('content-type', 'application/json')
      res.end(LIST)
    }),
  )
  router.get('/fails', () => {
    throw new Error('failed')
  })
  return server
}

async function start({ tls, http3 }: { tls: { key: string; cert: string } | undefined; http3: boolean }): Promise<{
  port: number
  close: () => Promise<void>
}> {
  const server = newServer({ ...(tls === undefined ? {} : { tls }), http3 })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('compression', start, (client) => {
  const gzip = ['accept-encoding', 'gzip'] as const

  it.each(['/list', '/node'])('compresses %s', async (path) => {
    const response = await client().request({ path, headers: [gzip] })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    const bytes = await response.bytes()
    expect(bytes.length).toBeLessThan(LIST.length / 4)
    expect(gunzipSync(bytes).toString()).toBe(LIST)
  })

  it('compresses a stream', async () => {
    const response = await client().request({ path: '/large', headers: [gzip] })
    expect(gunzipSync(await response.bytes()).toString()).toBe(LIST.repeat(64))
  })

  it('sends each piece of an endless stream immediately', async () => {
    pieces = new Pieces()
    const response = await client().request({ path: '/pieces', headers: [gzip] })
    const received: Uint8Array[] = []
    for await (const bytes of response.body) {
      // Each piece ends with a flush, so that it can be decoded before the next one is written.
      pieces.release(received.push(bytes) === 1 ? 0 : 1)
    }
    expect(received.length).toBeGreaterThan(1)
    expect(gunzipSync(Buffer.concat(received)).toString()).toBe('first second third')
  })

  it.each([
    ['/small', 'small'],
    ['/image', LIST],
  ])('leaves %s unchanged', async (path, body) => {
    const response = await client().request({ path, headers: [gzip] })
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(response.headers.get('content-length')).toBe(String(body.length))
    expect(await response.text()).toBe(body)
  })

  it('leaves a response unchanged for a client that accepts no coding', async () => {
    const response = await client().request({ path: '/list' })
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(await response.text()).toBe(LIST)
  })

  it('sends the fields of GET for HEAD, uncompressed', async () => {
    const response = await client().request({ path: '/list', method: 'HEAD', headers: [gzip] })
    expect(response.headers.get('content-length')).toBe(String(LIST.length))
    expect(await response.text()).toBe('')
  })

  it('ends its stream if the client disconnects', async () => {
    pieces = new Pieces()
    const response = await client().request({ path: '/pieces', headers: [gzip] })
    for await (const _ of response.body) break
    expect((await client().request({ path: '/small' })).status).toBe(200)
  })
})

describe('compression with server.fetch', () => {
  it.each(['/list', '/node'])('compresses %s', async (path) => {
    const response = await newServer().fetch(path, { headers: { 'accept-encoding': 'br' } })
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(await response.bytes()).toString()).toBe(LIST)
  })
})

describe('compression inside @fw/compress', () => {
  it('leaves the encoded response of the inner one', async () => {
    const server = new Server()
    const router = server.router().use(compress(), fromNode(compression()))
    router.get('/list', (ctx) => ctx.text(LIST))
    const response = await server.fetch('/list', { headers: { 'accept-encoding': 'gzip' } })
    expect(gunzipSync(await response.bytes()).toString()).toBe(LIST)
  })

  it('encodes what Node.js middleware writes', async () => {
    const server = new Server()
    const router = server.router().use(compress())
    router.get(
      '/whole',
      fromNode((_, res) => res.setHeader('content-type', 'text/plain').end(LIST)),
    )
    router.get(
      '/pieces',
      fromNode((_, res) => {
        res.writeHead(200, { 'content-type': 'text/plain' })
        res.write(LIST)
        setImmediate(() => res.end(LIST))
      }),
    )
    for (const [path, body] of [
      ['/whole', LIST],
      ['/pieces', LIST + LIST],
    ] as const) {
      const response = await server.fetch(path, { headers: { 'accept-encoding': 'gzip' } })
      expect(response.headers.get('content-encoding')).toBe('gzip')
      expect(gunzipSync(await response.bytes()).toString()).toBe(body)
    }
  })
})
