import * as zlib from 'node:zlib'
import * as log from '@fw/log'
import { Server, type Context } from '@fw/core'
import { eachProtocol, settle, type ServerDemand } from '@fw/testing'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as codecs from '../src/codecs.ts'
import { MAX_CACHED_BYTES } from '../src/cached-encoding.ts'
import { compress, type Coding, type CompressOptions } from '../src/index.ts'

const DECODE: Readonly<Record<Coding, (bytes: Uint8Array) => Buffer>> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
}
const CODINGS = Object.keys(DECODE) as Coding[]
/** JSON that each slower level shortens. */
const TEXT = Array.from({ length: 800 }, (_, id) => {
  const digits = String(Math.sin(id) ** 2)
  return `{"id":${id},"name":"item ${digits.slice(2, 5)}","price":${digits.slice(5, 8)},"tags":["a${digits.slice(8, 9)}"]}`
}).join()
const OTHER = TEXT.replaceAll('item', 'mite')

/** Numbers of encodings on the event loop and on the thread pool. */
const encodings = vi.hoisted(() => ({ sync: 0, later: 0, fails: false }))

vi.mock('../src/codecs.ts', async (original) => {
  const { codecOf, ...rest } = await original<typeof codecs>()
  return {
    ...rest,
    codecOf(...args: Parameters<typeof codecOf>) {
      const codec = codecOf(...args)
      return {
        ...codec,
        encode(...body: Parameters<typeof codec.encode>) {
          encodings.sync++
          return codec.encode(...body)
        },
        encodeLater(...body: Parameters<typeof codec.encodeLater>) {
          encodings.later++
          return encodings.fails ? Promise.reject(new Error('broken')) : codec.encodeLater(...body)
        },
      }
    },
  }
})

beforeAll(() => log.setSinks([]))
beforeEach(() => {
  encodings.sync = 0
  encodings.later = 0
  encodings.fails = false
})

type Handler = (ctx: Context) => unknown

function serverOf(options: CompressOptions, handler: Handler): Server {
  const server = new Server()
  server
    .router()
    .use(compress({ cacheBytes: 1_000_000, ...options }))
    .get('/*path', handler)
  return server
}

interface Received {
  readonly length: number
  readonly text: string
}

async function get(server: Server, path = '/', coding: Coding = 'zstd', more?: RequestInit): Promise<Received> {
  const response = await server.fetch(path, { ...more, headers: { 'accept-encoding': coding } })
  expect(response.headers.get('content-encoding')).toBe(coding)
  const bytes = await response.bytes()
  return { length: bytes.byteLength, text: String(DECODE[coding](bytes)) }
}

function tagged(text = TEXT, fields: Readonly<Record<string, string>> = {}): Handler {
  return (ctx) => ctx.text(text, { headers: { etag: '"1"', ...fields } })
}

describe('the cache of compress', () => {
  it.each([
    [65_536 * 2, { sync: 1, later: 0 }],
    [0, { sync: 0, later: 1 }],
  ])('encodes a body once, with maxSyncBytes %i', async (maxSyncBytes, counts) => {
    const server = serverOf({ maxSyncBytes }, tagged())
    expect((await get(server)).text).toBe(TEXT)
    expect((await get(server)).text).toBe(TEXT)
    expect(encodings).toMatchObject(counts)
  })

  it('is off by default', async () => {
    const server = serverOf({ cacheBytes: 0 }, tagged())
    await get(server)
    await get(server)
    expect(encodings.sync).toBe(2)
  })

  it('encodes equal bodies that are requested at the same time once', async () => {
    const server = serverOf({ maxSyncBytes: 0 }, tagged())
    const received = await Promise.all(Array.from({ length: 10 }, () => get(server)))
    expect(new Set(received.map(({ text }) => text))).toEqual(new Set([TEXT]))
    expect(encodings.later).toBe(1)
  })

  it.each(CODINGS)('replaces a %s copy with a shorter one after its second hit', async (coding) => {
    const server = serverOf({ maxSyncBytes: 1_000_000 }, tagged())
    const first = await get(server, '/', coding)
    expect((await get(server, '/', coding)).length).toBe(first.length)
    await settle(1)
    expect(encodings.later).toBe(0)
    expect((await get(server, '/', coding)).length).toBe(first.length)
    await expect.poll(async () => (await get(server, '/', coding)).length).toBeLessThan(first.length)
    expect((await get(server, '/', coding)).text).toBe(TEXT)
    expect(encodings).toMatchObject({ sync: 1, later: 1 })
  })

  it('encodes at no slower level if the level is as slow', async () => {
    const server = serverOf({ maxSyncBytes: 1_000_000, levels: { zstd: 12 } }, tagged())
    for (let i = 0; i < 4; i++) await get(server)
    await settle(1)
    expect(encodings).toMatchObject({ sync: 1, later: 0 })
  })

  it('does not send the copy of another body with the same tag', async () => {
    let text = TEXT
    const server = serverOf({}, (ctx) => ctx.text(text, { headers: { etag: '"1"' } }))
    await get(server)
    text = OTHER
    expect((await get(server)).text).toBe(OTHER)
    expect((await get(server)).text).toBe(OTHER)
    text = TEXT
    expect((await get(server)).text).toBe(TEXT)
  })

  it('does not send another pending body with the same tag', async () => {
    const texts = [TEXT, OTHER]
    const server = serverOf({ maxSyncBytes: 0 }, (ctx) => ctx.text(texts.shift() ?? '', { headers: { etag: '"1"' } }))
    const [one, other] = await Promise.all([get(server), get(server)])
    expect([one.text, other.text]).toEqual([TEXT, OTHER])
  })

  it('keeps no slower copy of bytes that the handler changed', async () => {
    const bytes = Buffer.from(TEXT)
    const server = serverOf({ maxSyncBytes: 1_000_000 }, (ctx) =>
      ctx.bytes(bytes, { headers: { etag: '"1"', 'content-type': 'text/plain' } }),
    )
    for (let i = 0; i < 3; i++) await get(server)
    bytes.write('other')
    await expect.poll(() => encodings.later).toBe(1)
    await settle(1)
    bytes.write(TEXT.slice(0, 5))
    expect((await get(server)).text).toBe(TEXT)
  })

  it('keeps and shares no copy of bytes that the handler changed while they waited for the thread pool', async () => {
    const bytes = Buffer.alloc(100_000)
    const server = serverOf({ maxSyncBytes: 0, maxPoolJobs: 1 }, (ctx) => {
      const letter = ctx.query.get('v') ?? ''
      ctx.bytes(bytes.fill(letter), { headers: { etag: `"${letter}"`, 'content-type': 'text/plain' } })
    })
    await Promise.all(['A', 'B', 'C', 'A', 'B'].map((letter) => get(server, `/?v=${letter}`)))
    for (const letter of ['A', 'B', 'C']) {
      expect((await get(server, `/?v=${letter}`)).text).toBe(letter.repeat(bytes.length))
    }
  })

  it.each([
    [MAX_CACHED_BYTES, 1],
    [MAX_CACHED_BYTES + 1, 2],
  ])('encodes a body of %i bytes, requested twice, %i times', async (length, count) => {
    const server = serverOf({ maxSyncBytes: 0 }, tagged('a'.repeat(length)))
    await get(server)
    await get(server)
    expect(encodings.later).toBe(count)
  })

  it.each<[string, Handler]>([
    ['without a tag', (ctx) => ctx.text(TEXT)],
    ['with a weak tag', tagged(TEXT, { etag: 'W/"1"' })],
    ['with set-cookie', tagged(TEXT, { 'set-cookie': 'a=b' })],
    ['with no-store', tagged(TEXT, { 'cache-control': 'max-age=0, No-Store' })],
    ['with private', tagged(TEXT, { 'cache-control': 'private' })],
    ['with private for one field', tagged(TEXT, { 'cache-control': 'private="set-cookie", max-age=1' })],
    ['with another status', (ctx) => ctx.text(TEXT, { status: 404, headers: { etag: '"1"' } })],
  ])('keeps no copy of a response %s', async (_, handler) => {
    const server = serverOf({}, handler)
    await get(server)
    expect((await get(server)).text).toBe(TEXT)
    expect(encodings.sync).toBe(2)
  })

  it.each<[string, (server: Server) => Promise<Received>]>([
    ['another target', (server) => get(server, '/other')],
    ['another query', (server) => get(server, '/?a')],
    ['another coding', (server) => get(server, '/', 'br')],
    ['another authority', (server) => get(server, 'http://other.example/')],
  ])('keeps a copy for %s', async (_, ask) => {
    const server = serverOf({}, tagged())
    await get(server)
    await ask(server)
    expect(encodings.sync).toBe(2)
    await get(server)
    await ask(server)
    expect(encodings.sync).toBe(2)
  })

  it.each([
    [10, 2],
    [1_000_000, 1],
  ])('keeps at most cacheBytes: %i', async (cacheBytes, count) => {
    const server = serverOf({ cacheBytes }, tagged())
    await get(server)
    await get(server)
    expect(encodings.sync).toBe(count)
  })

  it('sends a copy that a client cannot change', async () => {
    const server = serverOf({}, tagged())
    await get(server)
    const response = await server.fetch('/', { headers: { 'accept-encoding': 'zstd' } })
    const bytes = await response.bytes()
    structuredClone(bytes.fill(0).buffer, { transfer: [bytes.buffer as ArrayBuffer] })
    expect((await get(server)).text).toBe(TEXT)
  })

  it('tries again after a failed encoding', async () => {
    const server = serverOf({ maxSyncBytes: 0 }, tagged())
    encodings.fails = true
    expect((await server.fetch('/', { headers: { 'accept-encoding': 'zstd' } })).status).toBe(500)
    encodings.fails = false
    expect((await get(server)).text).toBe(TEXT)
    expect(encodings.later).toBe(2)
  })

  it('keeps a copy if the slower level fails', async () => {
    const server = serverOf({ maxSyncBytes: 1_000_000 }, tagged())
    const { length } = await get(server)
    encodings.fails = true
    for (let i = 0; i < 3; i++) expect((await get(server)).length).toBe(length)
    await expect.poll(() => encodings.later).toBeGreaterThan(0)
    encodings.fails = false
    await expect.poll(async () => (await get(server)).length).toBeLessThan(length)
  })
})

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls ? { tls } : {}), http3 })
  const router = server.router().use(compress({ cacheBytes: 1_000_000 }))
  router.get('/', tagged())
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

eachProtocol('the cache of compress', start, (client) => {
  it.each(CODINGS)('sends a %s copy with the fields of the first response', async (coding) => {
    const responses = []
    for (let i = 0; i < 4; i++) {
      const response = await client().request({ path: '/', headers: [['accept-encoding', coding]] })
      const bytes = await response.bytes()
      const names = ['content-encoding', 'vary', 'etag', 'content-type']
      responses.push([
        ...names.map((name) => response.headers.get(name)),
        response.headers.get('content-length') === String(bytes.byteLength),
        String(DECODE[coding](bytes)) === TEXT,
      ])
    }
    const expected = [coding, 'accept-encoding', 'W/"1"', 'text/plain; charset=utf-8', true, true]
    expect(responses).toEqual([expected, expected, expected, expected])
  })

  it('sends no copy for HEAD', async () => {
    const headers = [['accept-encoding', 'zstd']] as const
    const response = await client().request({ method: 'HEAD', path: '/', headers })
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual(['zstd', ''])
  })
})
