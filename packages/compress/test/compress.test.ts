import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import * as log from '@fw/log'
import { HttpError, Server, type Router } from '@fw/core'
import '@fw/sse/register'
import { staticFiles } from '@fw/static'
import {
  type ClientResponse,
  eachProtocol,
  type ServerDemand,
  tempFolder,
  type TempFolder,
  type TestField,
} from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compress, type Coding } from '../src/index.ts'

const DECODE: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}
const CODINGS: readonly Coding[] = ['gzip', 'br', 'zstd']
const TEXT = Array.from({ length: 400 }, (_, i) => `line ${i * 7919} of a text`).join('\n')
const LARGE = TEXT.repeat(30)

let folder: TempFolder

beforeAll(async () => {
  log.setSinks([])
  folder = await tempFolder({ 'large.txt': LARGE.repeat(5), 'app.js': TEXT, 'app.js.gz': 'sidecar' })
})
afterAll(() => folder[Symbol.asyncDispose]())

function routes(router: Router): void {
  router.get('/text', () => TEXT)
  router.get('/bytes', (ctx) => ctx.bytes(Buffer.from(TEXT), { headers: { 'content-type': 'text/css' } }))
  router.get('/json', () => ({ text: TEXT }))
  router.get('/problem', { compress: true }, () => {
    throw new HttpError(409, TEXT)
  })
  router.get('/large', () => LARGE)
  router.get('/response', () => new Response(TEXT, { headers: { 'content-type': 'text/html' } }))
  router.get('/stream', (ctx) => ctx.stream(pieces(), { headers: { 'content-type': 'text/plain' } }))
  router.get('/short', () => 'a'.repeat(1023))
  router.get('/enough', () => 'a'.repeat(1024))
  router.get('/random', (ctx) =>
    ctx.text(String.fromCodePoint(...Array.from({ length: 1030 }, (_, i) => 0x4e00 + ((i * 7919) % 20_000)))),
  )
  router.get('/image', (ctx) => ctx.bytes(Buffer.from(TEXT), { headers: { 'content-type': 'image/png' } }))
  router.get('/untyped', (ctx) => ctx.bytes(Buffer.from(TEXT)))
  router.get('/encoded', (ctx) => ctx.text(TEXT, { headers: { 'content-encoding': 'x-own' } }))
  router.get('/no-transform', (ctx) => ctx.text(TEXT, { headers: { 'cache-control': 'public,no-transform' } }))
  router.get('/digest', (ctx) => ctx.text(TEXT, { headers: { 'repr-digest': 'sha-256=:YQ==:' } }))
  router.get('/partial', (ctx) => ctx.text(TEXT, { status: 206, headers: { 'content-range': 'bytes 0-9/10' } }))
  router.get('/exempt', { compress: false }, () => TEXT)
  router.get('/tagged', (ctx) => {
    ctx.responseHeaders.set('etag', '"1"')
    if (ctx.headers.get('if-none-match')?.includes('"1"') === true) return ctx.empty(304)
    return ctx.text(TEXT, { headers: { 'accept-ranges': 'bytes' } })
  })
  router.get('/vary', (ctx) => ctx.text(TEXT, { headers: { vary: 'Accept-Encoding, Cookie' } }))
  router.get('/empty', (ctx) => ctx.empty())
  router.get('/events', async (ctx) => {
    const stream = await ctx.sse()
    for (let i = 0; i < 3; i++) {
      await stream.event('count', String(i))
      await sleep(30)
    }
    stream.close()
  })
  staticFiles(router, '/files', folder.path)
}

/** Yields the text in pieces, with a pause before the last piece. */
async function* pieces(): AsyncGenerator<string> {
  yield TEXT.slice(0, 1000)
  await sleep(20)
  yield TEXT.slice(1000)
}

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls ? { tls } : {}), http3 })
  const router = server.router()
  router.use(compress({ eventStreams: true }))
  routes(router)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

async function decoded(response: ClientResponse): Promise<string> {
  const bytes = await response.bytes()
  const coding = response.headers.get('content-encoding')
  return String(coding === null ? Buffer.from(bytes) : DECODE[coding]?.(bytes))
}

eachProtocol('compress', start, (client) => {
  const get = (
    path: string,
    acceptEncoding?: string,
    method = 'GET',
    more: readonly TestField[] = [],
  ): Promise<ClientResponse> =>
    client().request({
      path,
      method,
      headers: [...(acceptEncoding === undefined ? [] : [['accept-encoding', acceptEncoding] as const]), ...more],
    })

  describe.each(CODINGS)('with %s', (coding) => {
    it.each([
      ['/text', TEXT],
      ['/bytes', TEXT],
      ['/json', JSON.stringify({ text: TEXT })],
      ['/large', LARGE],
      ['/response', TEXT],
    ])('sends a body in memory with its length: %s', async (path, expected) => {
      const response = await get(path, coding)
      const length = Number(response.headers.get('content-length'))
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, coding])
      expect(response.headers.get('vary')).toBe('accept-encoding')
      expect(await decoded(response)).toBe(expected)
      expect(length).toBeGreaterThan(0)
      expect(length).toBeLessThan(expected.length / 3)
    })

    it.each([
      ['/stream', TEXT],
      ['/files/large.txt', LARGE.repeat(5)],
    ])('encodes a stream: %s', async (path, expected) => {
      const response = await get(path, coding)
      expect([response.headers.get('content-encoding'), response.headers.get('content-length')]).toEqual([coding, null])
      expect((await decoded(response)) === expected).toBe(true)
    })

    it('encodes error pages', async () => {
      const response = await get('/problem', coding)
      expect([response.status, response.headers.get('content-encoding')]).toEqual([409, coding])
      expect(JSON.parse(await decoded(response))).toMatchObject({ detail: TEXT })
    })

    it('delivers each event immediately', async () => {
      const response = await get('/events', coding)
      expect(response.headers.get('content-encoding')).toBe(coding)
      const parts: Uint8Array[] = []
      for await (const part of response.body) parts.push(part)
      expect(parts.length).toBeGreaterThanOrEqual(3)
      expect(String(DECODE[coding]?.(Buffer.concat(parts)))).toBe(
        [0, 1, 2].map((i) => `event: count\ndata: ${i}\n\n`).join(''),
      )
    })

    it.each(['/text', '/large', '/stream', '/files/large.txt'])(
      'sends the same fields for HEAD as for GET, without a length: %s',
      async (path) => {
        const response = await get(path, coding, 'HEAD')
        const fields = ['content-encoding', 'vary', 'content-length'].map((name) => response.headers.get(name))
        expect([fields, await response.text()]).toEqual([[coding, 'accept-encoding', null], ''])
      },
    )
  })

  it.each([
    ['zstd first on a tie', 'gzip, br, zstd', 'zstd'],
    ['the greatest weight', 'zstd;q=0.5, gzip', 'gzip'],
    ['any coding', '*', 'zstd'],
    ['any other than zstd', 'zstd;q=0, *', 'br'],
    ['a preferred identity', 'identity, gzip;q=0.5', null],
    ['unknown codings', 'deflate, lzma', null],
    ['nothing at all', 'identity;q=0', null],
    ['an empty field', '', null],
    ['no field', undefined, null],
  ])('chooses the coding for %s', async (_, acceptEncoding, coding) => {
    const response = await get('/text', acceptEncoding)
    expect([response.status, response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      200,
      coding,
      'accept-encoding',
    ])
    expect(await decoded(response)).toBe(TEXT)
  })

  it.each(['/short', '/image', '/untyped', '/encoded', '/no-transform', '/digest', '/partial', '/exempt'])(
    'leaves the response unchanged, without Vary: %s',
    async (path) => {
      const response = await get(path, 'gzip')
      expect(response.headers.get('vary')).toBe(null)
      expect([null, 'x-own']).toContain(response.headers.get('content-encoding'))
      expect((await response.bytes()).byteLength).toBeGreaterThan(1000)
    },
  )

  it('leaves a sidecar unchanged', async () => {
    const response = await get('/files/app.js', 'gzip')
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual(['gzip', 'sidecar'])
  })

  it('leaves a range unchanged', async () => {
    const response = await get('/files/large.txt', 'gzip', 'GET', [['range', 'bytes=5-9']])
    expect([response.status, response.headers.get('content-encoding'), await response.text()]).toEqual([
      206,
      null,
      LARGE.slice(5, 10),
    ])
  })

  it('compresses bodies that reach the threshold', async () => {
    expect((await get('/enough', 'gzip')).headers.get('content-encoding')).toBe('gzip')
  })

  it('sends a body that does not shrink unchanged, with Vary', async () => {
    const response = await get('/random', 'gzip;q=0.1, identity;q=0')
    expect([response.headers.get('vary')]).toEqual(['accept-encoding'])
    expect((await decoded(response)).length).toBe(1030)
  })

  it('makes a strong tag weak and drops accept-ranges', async () => {
    const weak = await get('/tagged', 'gzip')
    const strong = await get('/tagged', 'identity')
    const fields = [weak, strong].map(({ headers }) => [headers.get('etag'), headers.get('accept-ranges')])
    expect(fields).toEqual([
      ['W/"1"', null],
      ['"1"', 'bytes'],
    ])
  })

  it.each([
    ['W/"1"', 'W/"1"'],
    ['"1"', '"1"'],
    ['W/"1", "1"', '"1"'],
  ])("repeats the client's entity tag in a 304: %s", async (known, etag) => {
    const response = await get('/tagged', 'gzip', 'GET', [['if-none-match', known]])
    expect([response.status, response.headers.get('etag')]).toEqual([304, etag])
  })

  it('adds only missing names to Vary (fastify-compress compares case-sensitively)', async () => {
    expect((await get('/vary', 'gzip')).headers.get('vary')).toBe('Accept-Encoding, Cookie')
  })

  it('leaves a response without a body unchanged', async () => {
    const response = await get('/empty', 'gzip')
    expect([response.status, response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      204,
      null,
      null,
    ])
  })
})

describe('compress', () => {
  it.each([
    [{ codings: ['deflate'] }, TypeError, 'compress: option "codings[0]" must be'],
    [{ codings: [] }, TypeError, 'compress: option "codings" must be a non-empty array'],
    [{ levels: { br: 12 } }, RangeError, 'compress: option "levels.br" must be an integer from 0 to 11, got 12'],
    [{ levels: { deflate: 1 } }, TypeError, 'unknown option "levels.deflate"'],
    [{ thresholdBytes: -1 }, RangeError, 'compress: option "thresholdBytes" must be'],
    [{ threshold: 1 }, TypeError, 'compress: unknown option "threshold". Known options: codings'],
    [{ crossSite: 'no' }, TypeError, 'compress: option "crossSite" must be "compress" or "identity"'],
  ])('rejects the options %j', (options, type, message) => {
    expect(() => compress(options as object)).toThrow(type)
    expect(() => compress(options as object)).toThrow(message)
  })

  it.each<[string, Record<string, string>, string | null]>([
    ['a request from the same origin', { 'sec-fetch-site': 'same-origin', cookie: 'a=b' }, 'gzip'],
    ['a navigation', { 'sec-fetch-site': 'none', cookie: 'a=b' }, 'gzip'],
    ['another site without cookies', { 'sec-fetch-site': 'cross-site' }, 'gzip'],
    ['another site with cookies', { 'sec-fetch-site': 'cross-site', cookie: 'a=b' }, null],
    ['another origin on the same site with cookies', { 'sec-fetch-site': 'same-site', cookie: 'a=b' }, null],
    ['another site with credentials', { 'sec-fetch-site': 'cross-site', authorization: 'Basic eA==' }, null],
    ['a client that is not a browser', { cookie: 'a=b' }, 'gzip'],
  ])("depends on the request's origin with crossSite: identity: %s", async (_, headers, coding) => {
    const server = new Server()
    server
      .router()
      .use(compress({ crossSite: 'identity' }))
      .get('/', () => TEXT)
    const response = await server.fetch('/', { headers: { 'accept-encoding': 'gzip', ...headers } })
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      coding,
      'accept-encoding',
    ])
  })

  it('does not compress event streams by default', async () => {
    const server = new Server()
    server
      .router()
      .use(compress())
      .get('/', async (ctx) => (await ctx.sse()).close())
    const response = await server.fetch('/', { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe(null)
  })

  it('keeps the order of jobs that are waiting for the thread pool', async () => {
    const server = new Server()
    server
      .router()
      .use(compress({ maxPoolJobs: 1, maxSyncBytes: 0 }))
      .get('/:n', (ctx) => TEXT + ctx.params.n)
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const response = await server.fetch(`/${n}`, { headers: { 'accept-encoding': 'zstd' } })
        return String(zstdDecompressSync(await response.bytes()))
      }),
    )
    expect(bodies).toEqual(Array.from({ length: 20 }, (_, n) => TEXT + n))
  })
})
