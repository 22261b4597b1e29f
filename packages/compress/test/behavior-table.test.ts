import { zstdDecompressSync } from 'node:zlib'
import * as log from '@fw/log'
import { Server } from '@fw/core'
import '@fw/sse/register'
import { staticFiles } from '@fw/static'
import { eachProtocol, tempFolder, type ServerDemand, type TempFolder, type TestField } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compress } from '../src/index.ts'

const TEXT = Array.from({ length: 200 }, (_, i) => `line ${i * 7919} of a text`).join('\n')
let folder: TempFolder

beforeAll(async () => {
  log.setSinks([])
  folder = await tempFolder({ 'small.txt': TEXT, 'large.txt': TEXT.repeat(200) })
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Compressible media types, by the rules of the README. */
const COMPRESSIBLE = [
  'text/plain',
  'text/html; charset=utf-8',
  'TEXT/CSS',
  'text/javascript',
  'application/json',
  'application/javascript',
  'application/xml',
  'application/problem+json',
  'application/atom+xml',
  'application/wasm',
  'application/manifest+json',
  'image/svg+xml',
  'font/ttf',
  'font/otf',
  'image/x-icon',
  'image/bmp',
]
const NOT_COMPRESSIBLE = [
  'text/event-stream',
  'application/octet-stream',
  'image/png',
  'font/woff2',
  'application/gzip',
]

/** Fields that keep a response unchanged, without `Vary`. */
const FIXED: readonly (readonly [name: string, value: string])[] = [
  ['content-encoding', 'gzip'],
  ['content-range', 'bytes */10'],
  ['cache-control', 'no-transform'],
  ['cache-control', 'max-age=1, No-Transform'],
  ['content-digest', 'sha-256=:YQ==:'],
  ['repr-digest', 'sha-256=:YQ==:'],
]

function table(name: string, value: string): string {
  return `/table?name=${name}&value=${encodeURIComponent(value)}`
}

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls ? { tls } : {}), http3 })
  const router = server.router()
  router
    .group('/table')
    .use(compress())
    .get('/', (ctx) => {
      const { query } = ctx
      const headers: Record<string, string> = { 'content-type': query.get('type') ?? 'text/plain' }
      const name = query.get('name')
      if (name !== null) headers[name] = query.get('value') ?? ''
      return ctx.bytes(Buffer.from(TEXT), { status: Number(query.get('status') ?? 200), headers })
    })
    .get('/events', async (ctx) => (await ctx.sse()).close())
    .get('/stream', (ctx) => ctx.stream([TEXT], { headers: { 'content-type': 'text/plain' } }))
  staticFiles(router.group('/files').use(compress()), '/', folder.path)
  router
    .group('/private')
    .use(compress({ crossSite: 'identity' }))
    .get('/', () => TEXT)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

eachProtocol('compress, for each row of its table:', start, (client) => {
  const ask = async (
    path: string,
    more: readonly TestField[] = [],
    { method = 'GET', coding = 'zstd' }: { method?: string; coding?: string | null } = {},
  ) => {
    const accept: readonly TestField[] = coding === null ? [] : [['accept-encoding', coding]]
    const response = await client().request({ method, path, headers: [...accept, ...more] })
    const bytes = await response.bytes()
    const field = (name: string): string | null => response.headers.get(name)
    return { status: response.status, bytes, field, coding: field('content-encoding'), vary: field('vary') }
  }

  describe('the media type', () => {
    it.each(COMPRESSIBLE)('allows compression of %s', async (type) => {
      const { coding, vary } = await ask(`/table?type=${encodeURIComponent(type)}`)
      expect([coding, vary]).toEqual(['zstd', 'accept-encoding'])
    })

    it.each(NOT_COMPRESSIBLE)('prevents compression of %s, without Vary', async (type) => {
      const { coding, vary, bytes } = await ask(`/table?type=${encodeURIComponent(type)}`)
      expect([coding, vary, String(Buffer.from(bytes))]).toEqual([null, null, TEXT])
    })

    it('prevents compression of an event stream by default, without Vary', async () => {
      const { field, coding, vary } = await ask('/table/events')
      expect([field('content-type'), coding, vary]).toEqual(['text/event-stream', null, null])
    })
  })

  describe('the response', () => {
    it.each(FIXED)('stays unchanged with %s: %s', async (name, value) => {
      const { field, vary, bytes } = await ask(table(name, value))
      expect([field(name), vary, String(Buffer.from(bytes))]).toEqual([value, null, TEXT])
      expect(field('content-length')).toBe(String(TEXT.length))
    })

    it('stays unchanged with status 206', async () => {
      const { status, coding, vary } = await ask('/table?status=206')
      expect([status, coding, vary]).toEqual([206, null, null])
    })

    it.each([
      ['Cookie', 'Cookie, accept-encoding'],
      ['cookie, ACCEPT-encoding', 'cookie, ACCEPT-encoding'],
      ['*', '*'],
      ['x-accept-encoding', 'x-accept-encoding, accept-encoding'],
    ])('merges Vary: %s', async (value, expected) => {
      const { coding, vary } = await ask(table('vary', value))
      expect([coding, vary]).toEqual(['zstd', expected])
    })

    it.each([
      ['"a"', 'W/"a"'],
      ['W/"a"', 'W/"a"'],
    ])('gets a weak tag instead of %s', async (etag, expected) => {
      const { coding, field } = await ask(table('etag', etag))
      expect([coding, field('etag')]).toEqual(['zstd', expected])
    })

    it('has an exact length, and no ranges', async () => {
      const { field, bytes } = await ask(table('accept-ranges', 'bytes'))
      expect([field('content-length'), field('accept-ranges')]).toEqual([String(bytes.byteLength), null])
      expect(String(zstdDecompressSync(bytes))).toBe(TEXT)
    })

    it.each(['/table', '/table/stream', '/files/large.txt'])('has a zstd window of at most 8 MiB: %s', async (path) => {
      const { bytes } = await ask(path)
      const descriptor = bytes[4] ?? 0
      // RFC 8878 §3.1.1.1.2: a single segment has no window descriptor, and its window is the content.
      const windowLog = (descriptor & 0x20) === 0 ? 10 + ((bytes[5] ?? 0) >> 3) : 15
      expect(windowLog).toBeLessThanOrEqual(path === '/table' ? 15 : 23)
    })
  })

  describe('a client', () => {
    it.each<[string, string | null]>([
      ['that sends no Accept-Encoding', null],
      ['that sends an empty one', ''],
      ['that refuses everything', 'identity;q=0, *;q=0'],
      ['that refuses identity, and accepts nothing that fits', 'identity;q=0, deflate'],
    ])('gets identity with Vary: one %s', async (_, accepted) => {
      const { status, coding, vary, bytes } = await ask('/table', [], { coding: accepted })
      expect([status, coding, vary, String(Buffer.from(bytes))]).toEqual([200, null, 'accept-encoding', TEXT])
    })

    it.each<[string, readonly TestField[], string | null]>([
      [
        'from another site with cookies',
        [
          ['sec-fetch-site', 'cross-site'],
          ['cookie', 'a=b'],
        ],
        null,
      ],
      ['from another site without cookies', [['sec-fetch-site', 'cross-site']], 'zstd'],
      [
        'from the same origin',
        [
          ['sec-fetch-site', 'same-origin'],
          ['cookie', 'a=b'],
        ],
        'zstd',
      ],
    ])('gets %2$s, with crossSite: identity: one %s', async (_, fields, expected) => {
      const { coding, vary } = await ask('/private', fields)
      expect([coding, vary]).toEqual([expected, 'accept-encoding'])
    })
  })

  describe('a file', () => {
    it.each(['/files/small.txt', '/files/large.txt'])('gets a weak tag, which a 304 repeats: %s', async (path) => {
      const strong = (await ask(path, [], { coding: 'identity' })).field('etag') ?? ''
      const first = await ask(path)
      expect([first.coding, first.field('etag')]).toEqual(['zstd', `W/${strong}`])
      for (const method of ['GET', 'HEAD']) {
        for (const [known, expected, vary] of [
          [`W/${strong}`, `W/${strong}`, 'accept-encoding'],
          [strong, strong, null],
          [`W/${strong}, ${strong}`, strong, null],
        ] as const) {
          const second = await ask(path, [['if-none-match', known]], { method })
          expect([method, second.status, second.field('etag'), second.bytes.byteLength]).toEqual([
            method,
            304,
            expected,
            0,
          ])
          expect(second.vary?.toLowerCase() ?? null).toBe(vary)
        }
      }
    })

    it('gets 200 for a weak tag in If-Range, because a range needs a strong one', async () => {
      const { field } = await ask('/files/large.txt')
      const fields: TestField[] = [
        ['range', 'bytes=0-9'],
        ['if-range', field('etag') ?? ''],
      ]
      const { status, coding } = await ask('/files/large.txt', fields)
      expect([status, coding]).toEqual([200, 'zstd'])
    })
  })
})
