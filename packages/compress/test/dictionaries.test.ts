import { createHash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Server, type Router } from '@fw/core'
import * as log from '@fw/log'
import '@fw/sse/register'
import { staticFiles } from '@fw/static'
import {
  type ClientRequest,
  type ClientResponse,
  eachProtocol,
  type ServerDemand,
  tempFolder,
  type TempFolder,
  type TestField,
} from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaries, type DictionaryCoding } from '../src/dictionaries.ts'
import { compress } from '../src/index.ts'

const CODINGS: readonly DictionaryCoding[] = ['dcz', 'dcb']
const BROWSER_CODINGS = 'gzip, deflate, br, zstd, dcb, dcz'
const VARY = 'accept-encoding, available-dictionary'

/** Returns a script whose hexadecimal digests hardly shrink. */
function script(version: number, lines: number): string {
  return Array.from({ length: lines }, (_, i) => {
    const seed = i % 100 === 0 ? `${i} ${version}` : String(i)
    return `export const name${i} = '${createHash('md5').update(seed).digest('hex')}'`
  }).join('\n')
}

/** Returns a list in which one record in ten depends on the version. */
function list(version: number): { id: number; name: string; note: string }[] {
  return Array.from({ length: 300 }, (_, id) => {
    const changed = id % 10 === 0 ? version : 0
    return { id, name: `item ${id} ${changed}`, note: createHash('md5').update(String(id)).digest('hex') }
  })
}

const OLD = script(1, 1500)
const NEW = script(2, 1500)
/** `@fw/static` streams it, because it is too long for its cache. */
const OLD_LARGE = script(1, 20_000)
const NEW_LARGE = script(2, 20_000)

let files: TempFolder
let earlier: TempFolder

beforeAll(async () => {
  log.setSinks([])
  files = await tempFolder({
    'app.js': NEW,
    'packed.js': NEW,
    'packed.js.br': brotliCompressSync(NEW),
    'large.js': NEW_LARGE,
    'short.js': 'x'.repeat(1023),
    'enough.js': 'x'.repeat(1024),
    'image.png': NEW,
    'style.css': NEW,
  })
  earlier = await tempFolder({ 'app.js': OLD, 'large.js': OLD_LARGE, 'current/app.js': NEW })
})
afterAll(() => Promise.all([files[Symbol.asyncDispose](), earlier[Symbol.asyncDispose]()]))

function sha256(bytes: string | Uint8Array): string {
  return `:${createHash('sha256').update(bytes).digest('base64')}:`
}

function decode(coding: string | null, bytes: Uint8Array, dictionary: string | Uint8Array): string {
  const options = { dictionary: Buffer.from(dictionary) }
  if (coding === 'dcz') return String(zstdDecompressSync(bytes.subarray(40), options))
  if (coding === 'dcb') return String(brotliDecompressSync(bytes.subarray(36), options))
  if (coding === 'br') return String(brotliDecompressSync(bytes))
  if (coding === 'zstd') return String(zstdDecompressSync(bytes))
  return coding === 'gzip' ? String(gunzipSync(bytes)) : String(Buffer.from(bytes))
}

function routes(router: Router): void {
  let version = 0
  const headers = { 'cache-control': 'public, max-age=60' }
  router.get('/api/list', { dictionary: { match: '/api/list*', destinations: [''] } }, (ctx) => {
    version++
    return ctx.json(list(version), { headers })
  })
  router.get('/api/stream', { dictionary: { match: '/api/stream*' } }, (ctx) => {
    const text = JSON.stringify(list(7))
    if (ctx.rawQuery === '') return ctx.text(text, { headers })
    return ctx.stream([text.slice(0, 5000), text.slice(5000)], {
      headers: { ...headers, 'content-type': 'text/plain' },
    })
  })
  router.get('/app/events.js', async (ctx) => (await ctx.sse()).close())
  router.get('/app/exempt.js', { dictionary: false }, (ctx) => javascript(ctx, {}))
  for (const [name, fields] of Object.entries({
    'no-transform': { 'cache-control': 'no-transform' },
    digest: { 'repr-digest': 'sha-256=:YQ==:' },
    'no-store': { 'cache-control': 'no-store' },
    private: { 'cache-control': 'private' },
    cookie: { 'set-cookie': 'a=b' },
  })) {
    router.get(`/app/${name}.js`, (ctx) => javascript(ctx, fields))
  }
  router.get('/app/missing.js', (ctx) => ctx.text(NEW, { status: 404 }))
  staticFiles(router, '/app', files.path, { cacheControl: () => 'max-age=60' })
}

function javascript(ctx: Parameters<Parameters<Router['get']>[1]>[0], headers: Record<string, string>): void {
  ctx.text(NEW, { headers: { 'content-type': 'text/javascript', ...headers } })
}

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls ? { tls } : {}), http3 })
  const router = server.router()
  router.use(compress())
  router.use(dictionaries({ match: '/app/*', destinations: ['script'], id: 'bundle', source: earlier.path }))
  routes(router)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

eachProtocol('dictionaries', start, (client) => {
  const get = (path: string, available?: string, codings = BROWSER_CODINGS, more: readonly TestField[] = []) => {
    const offer: TestField[] = available === undefined ? [] : [['available-dictionary', available]]
    return client().request({ path, headers: [['accept-encoding', codings], ...offer, ...more] })
  }
  const send = (method: string, path: string, headers: ClientRequest['headers'] = []): Promise<ClientResponse> =>
    client().request({ method, path, headers })
  const fields = (response: ClientResponse, ...names: string[]): (string | null)[] =>
    names.map((name) => response.headers.get(name))

  describe.each(CODINGS)('with %s', (coding) => {
    it.each([
      ['/app/app.js', OLD, NEW],
      ['/app/large.js', OLD_LARGE, NEW_LARGE],
      // The sidecar is not sent.
      ['/app/packed.js', OLD, NEW],
    ])('sends a file as the difference to the earlier one: %s', async (path, old, expected) => {
      // A dictionary of 1 MB takes too long to prepare for Brotli.
      const isLarge = path.includes('large')
      const response = await get(path, sha256(old), isLarge ? 'dcz' : coding)
      const bytes = await response.bytes()
      const used = isLarge ? 'dcz' : coding
      expect([response.status, ...fields(response, 'content-encoding')]).toEqual([200, used])
      expect(decode(used, bytes, old) === expected).toBe(true)
      expect(bytes.byteLength).toBeLessThan(expected.length * 0.04)
      expect(response.headers.get('vary')?.toLowerCase()).toBe(VARY)
      expect(response.headers.get('etag')).toMatch(/^W\//)
      expect(response.headers.get('accept-ranges')).toBe(null)
    })

    it('sends repeated JSON in at most 3% of its bytes', async () => {
      const first = await get('/api/list')
      const old = decode(first.headers.get('content-encoding'), await first.bytes(), '')
      const second = await get('/api/list', sha256(old), coding)
      const bytes = await second.bytes()
      const text = decode(coding, bytes, old)
      expect(second.headers.get('content-encoding')).toBe(coding)
      expect(Number(second.headers.get('content-length'))).toBe(bytes.byteLength)
      expect(JSON.parse(text)).toHaveLength(300)
      expect(text === old).toBe(false)
      expect(bytes.byteLength).toBeLessThan(text.length * 0.03)
    })

    it('encodes a stream', async () => {
      const whole = await get('/api/stream', undefined, 'identity')
      const old = await whole.text()
      const response = await get('/api/stream?pieces', sha256(old), coding)
      const bytes = await response.bytes()
      expect(fields(response, 'content-encoding', 'content-length', 'vary')).toEqual([coding, null, VARY])
      expect(decode(coding, bytes, old) === old).toBe(true)
      expect(bytes.byteLength).toBeLessThan(300)
    })

    it.each(['/app/app.js', '/app/packed.js'])('sends the fields of GET for HEAD: %s', async (path) => {
      const headers = [
        ['accept-encoding', coding],
        ['available-dictionary', sha256(OLD)],
      ] as const
      const [head, whole] = [await send('HEAD', path, headers), await send('GET', path, headers)]
      const names = ['content-encoding', 'etag', 'vary', 'use-as-dictionary', 'accept-ranges', 'cache-control']
      expect(fields(head, ...names)).toEqual(fields(whole, ...names))
      expect([await head.text(), head.headers.get('content-length')]).toEqual(['', null])
      await whole.bytes()
    })
  })

  it('announces files and responses as dictionaries', async () => {
    const announced = async (path: string): Promise<string | null> => {
      const response = await get(path)
      await response.bytes()
      return response.headers.get('use-as-dictionary')
    }
    const ofFile = 'match="/app/*", match-dest=("script"), id="bundle"'
    expect(await announced('/app/app.js')).toBe(ofFile)
    expect(await announced('/app/packed.js')).toBe(ofFile)
    expect(await announced('/app/large.js')).toBe(ofFile)
    expect(await announced('/api/list')).toBe('match="/api/list*", match-dest=("")')
  })

  it.each<[string, string | undefined, string, string | null]>([
    ['an unknown dictionary', sha256('unknown'), BROWSER_CODINGS, 'br'],
    ['no dictionary', undefined, BROWSER_CODINGS, 'br'],
    ['a malformed field', 'x', BROWSER_CODINGS, 'br'],
    ['two dictionaries', `${sha256(OLD)}, ${sha256(NEW)}`, BROWSER_CODINGS, 'br'],
    ['no coding for it', sha256(OLD), 'gzip, br, zstd', 'br'],
    ['any coding', sha256(OLD), '*', 'br'],
    ['codings that it refuses', sha256(OLD), 'br, dcz;q=0, dcb;q=0', 'br'],
    ['a preferred coding', sha256(OLD), 'br, dcz;q=0.5', 'br'],
    ['no Accept-Encoding', sha256(OLD), '', null],
  ])('sends the sidecar to a client with %s, with Vary', async (_, available, codings, coding) => {
    const response = await get('/app/packed.js', available, codings)
    expect(fields(response, 'content-encoding')).toEqual([coding])
    expect(response.headers.get('vary')?.toLowerCase()).toBe(VARY)
    expect(decode(coding, await response.bytes(), '') === NEW).toBe(true)
  })

  it('lets compress() encode what has no dictionary', async () => {
    const response = await get('/app/app.js', sha256('unknown'))
    expect(fields(response, 'content-encoding', 'vary')).toEqual(['zstd', VARY])
    expect(decode('zstd', await response.bytes(), '') === NEW).toBe(true)
  })

  it.each(['/app/events.js', '/app/exempt.js', '/app/image.png', '/app/missing.js', '/app/short.js'])(
    'ignores the dictionary for %s',
    async (path) => {
      const response = await get(path, sha256(OLD))
      await response.bytes()
      expect(response.headers.get('vary') ?? '').not.toContain('available-dictionary')
      expect(response.headers.get('content-encoding') ?? '').not.toMatch(/^dc/)
      expect(response.headers.get('use-as-dictionary')).toBe(null)
    },
  )

  it.each(['no-transform', 'digest', 'no-store', 'private', 'cookie'])('encodes no response with %s', async (name) => {
    const response = await get(`/app/${name}.js`, sha256(OLD))
    await response.bytes()
    expect(response.headers.get('content-encoding') ?? '').not.toMatch(/^dc/)
    expect(response.headers.get('vary')).toContain('available-dictionary')
    expect(response.headers.has('use-as-dictionary')).toBe(name !== 'no-store')
  })

  it('encodes bodies that reach the threshold', async () => {
    const response = await get('/app/enough.js', sha256(OLD))
    expect([response.headers.get('content-encoding'), decode('dcz', await response.bytes(), OLD)]).toEqual([
      'dcz',
      'x'.repeat(1024),
    ])
  })

  it('leaves a range unchanged, with Vary', async () => {
    const response = await get('/app/app.js', sha256(OLD), BROWSER_CODINGS, [['range', 'bytes=5-9']])
    expect([response.status, ...fields(response, 'content-encoding', 'vary'), await response.text()]).toEqual([
      206,
      null,
      VARY,
      NEW.slice(5, 10),
    ])
  })

  it.each([
    ['the dictionary', sha256(OLD)],
    ['the current file', sha256(NEW)],
    ['a file that the server does not hold', sha256('unknown')],
  ])('responds with 304 to a client with the encoded file and %s', async (_, available) => {
    for (const path of ['/app/app.js', '/app/packed.js']) {
      const first = await get(path, sha256(OLD))
      await first.bytes()
      const etag = first.headers.get('etag') ?? ''
      const second = await get(path, available, BROWSER_CODINGS, [['if-none-match', etag]])
      expect([second.status, await second.text()]).toEqual([304, ''])
      expect(second.headers.get('etag')).toBe(etag)
      expect(second.headers.get('vary')?.toLowerCase()).toBe(VARY)
    }
  })

  it('responds with 304 to a client with the sidecar', async () => {
    const first = await get('/app/packed.js')
    await first.bytes()
    const etag = first.headers.get('etag') ?? ''
    const second = await get('/app/packed.js', undefined, BROWSER_CODINGS, [['if-none-match', etag]])
    expect([etag.startsWith('W/'), second.status, second.headers.get('etag')]).toEqual([false, 304, etag])
  })

  it('holds responses as dictionaries for their own route alone', async () => {
    const first = await get('/api/list', undefined, 'identity')
    const text = await first.text()
    const other = await get('/api/stream', sha256(text))
    await other.bytes()
    expect(other.headers.get('content-encoding')).toBe('zstd')
  })

  it('does not use a dictionary for other methods', async () => {
    const response = await send('OPTIONS', '/api/list', [['available-dictionary', sha256(OLD)]])
    expect(response.headers.get('use-as-dictionary')).toBe(null)
  })
})

describe('dictionaries', () => {
  it('compresses a large body on the thread pool', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries({ maxSyncBytes: 0, maxPoolJobs: 1 }))
      .get('/:n', { dictionary: { match: '/*' } }, () => list(1))
    const first = await server.fetch('/0')
    const old = await first.text()
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(old) }
    const bodies = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => {
        const response = await server.fetch(`/${n}`, { headers })
        return [response.headers.get('content-encoding'), decode('dcz', await response.bytes(), old) === old]
      }),
    )
    expect(bodies).toEqual(bodies.map(() => ['dcz', true]))
  })

  it.each([
    [OLD.length, 'dcb'],
    [OLD.length - 1, null],
  ])('uses dcb for dictionaries of at most %i bytes', async (maxBrotliDictionaryBytes, coding) => {
    const response = await bundle({ maxBrotliDictionaryBytes }).fetch('/app.js', {
      headers: { 'accept-encoding': 'dcb', 'available-dictionary': sha256(OLD) },
    })
    expect(response.headers.get('content-encoding')).toBe(coding)
  })

  it.each([
    [OLD.length + OLD_LARGE.length + NEW.length, 'dcz'],
    [0, null],
  ])('holds files of at most %i bytes', async (maxSourceBytes, coding) => {
    const response = await bundle({ maxSourceBytes }).fetch('/app.js', {
      headers: { 'accept-encoding': 'dcz', 'available-dictionary': sha256(OLD) },
    })
    expect(response.headers.get('content-encoding')).toBe(coding)
  })

  it.each([
    [2000, 'dcz', true],
    [1999, null, false],
  ])('makes responses of at most %i bytes dictionaries', async (maxBytes, coding, isAnnounced) => {
    const server = new Server()
    const text = script(1, 100).slice(0, 2000)
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/', maxBytes } }, () => text)
    const first = await server.fetch('/')
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(text) }
    const second = await server.fetch('/', { headers })
    expect([second.headers.get('content-encoding'), first.headers.has('use-as-dictionary')]).toEqual([
      coding,
      isAnnounced,
    ])
  })

  it.each([
    [10_000, ['dcz', 'dcz']],
    [4000, [null, 'dcz']],
    [0, [null, null]],
  ])('holds %i bytes of responses', async (maxDictionaryBytes, expected) => {
    const server = new Server()
    const texts = [script(1, 100).slice(0, 2000), script(2, 100).slice(0, 2000)]
    server
      .router()
      .use(dictionaries({ maxDictionaryBytes }))
      .get('/:n', { dictionary: { match: '/*' } }, (ctx) => texts[Number(ctx.params.n)])
    for (const n of [0, 1]) await server.fetch(`/${n}`)
    const codings: (string | null)[] = []
    for (const n of [0, 1]) {
      // HEAD adds no dictionary.
      const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(texts[n] ?? '') }
      const response = await server.fetch('/0', { method: 'HEAD', headers })
      codings.push(response.headers.get('content-encoding'))
    }
    expect(codings).toEqual(expected)
  })

  it('sends a body that does not shrink unchanged', async () => {
    const server = new Server()
    const random = Array.from({ length: 2 }, (_, n) =>
      Buffer.from(createHash('shake256', { outputLength: 2000 }).update(String(n)).digest()),
    )
    server
      .router()
      .use(dictionaries())
      .get('/:n', { dictionary: { match: '/*' } }, (ctx) =>
        ctx.bytes(random[Number(ctx.params.n)] ?? Buffer.alloc(0), { headers: { 'content-type': 'text/plain' } }),
      )
    await server.fetch('/0')
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(random[0] ?? '') }
    const response = await server.fetch('/1', { headers })
    expect(response.headers.get('content-encoding')).toBe(null)
    expect((await response.bytes()).byteLength).toBe(2000)
  })

  it('does not announce bytes that a decoder would parse as a trained dictionary', async () => {
    const server = new Server()
    const trained = Buffer.concat([Buffer.from('37a430ec', 'hex'), Buffer.alloc(2000, 'a')])
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/' } }, (ctx) =>
        ctx.bytes(trained, { headers: { 'content-type': 'text/plain' } }),
      )
    for (let i = 0; i < 2; i++) {
      const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(trained) }
      const response = await server.fetch('/', { headers })
      expect([response.headers.get('use-as-dictionary'), response.headers.get('content-encoding')]).toEqual([
        null,
        null,
      ])
    }
  })

  it('copies what it holds, so that a handler can reuse its buffer', async () => {
    const server = new Server()
    const buffer = Buffer.from(OLD)
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/' } }, (ctx) =>
        ctx.bytes(buffer, { headers: { 'content-type': 'text/plain' } }),
      )
    await (await server.fetch('/')).bytes()
    buffer.fill('-', 0, 1000)
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(OLD) }
    const response = await server.fetch('/', { headers })
    expect(decode('dcz', await response.bytes(), OLD) === String(buffer)).toBe(true)
  })

  it('keeps a Use-As-Dictionary field of the handler', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/' } }, (ctx) =>
        ctx.text(OLD, { headers: { 'use-as-dictionary': 'match="/own"' } }),
      )
    expect((await server.fetch('/')).headers.get('use-as-dictionary')).toBe('match="/own"')
  })

  it.each([
    ['http://example.org', null, null],
    ['http://localhost', 'dcz', VARY],
    ['http://127.0.0.1:8080', 'dcz', VARY],
    ['https://example.org', 'dcz', VARY],
  ])('uses dictionaries over TLS and on the own machine: %s', async (origin, coding, vary) => {
    const response = await bundle({}).fetch(`${origin}/app.js`, {
      headers: { 'accept-encoding': 'dcz', 'available-dictionary': sha256(OLD) },
    })
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([coding, vary])
    expect(response.headers.has('use-as-dictionary')).toBe(coding !== null)
  })

  it('encodes once if two of them and compress() surround a route', async () => {
    const server = new Server()
    const source = earlier.path
    server
      .router()
      .use(dictionaries({ match: '/*', source }), compress(), dictionaries({ match: '/*', source }))
      .get('/app.js', (ctx) => javascript(ctx, {}))
    const response = await server.fetch('/app.js', {
      headers: { 'accept-encoding': BROWSER_CODINGS, 'available-dictionary': sha256(OLD) },
    })
    expect(response.headers.get('content-encoding')).toBe('dcz')
    expect(decode('dcz', await response.bytes(), OLD) === NEW).toBe(true)
  })

  it('encodes nothing inside compress() that is registered after it', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries(), compress())
      .get('/', { dictionary: { match: '/' } }, () => OLD)
    const headers = { 'accept-encoding': BROWSER_CODINGS, 'available-dictionary': sha256(OLD) }
    for (let i = 0; i < 2; i++) {
      const response = await server.fetch('/', { headers })
      const names = ['content-encoding', 'use-as-dictionary', 'vary']
      expect(names.map((name) => response.headers.get(name))).toEqual(['zstd', null, VARY])
    }
  })

  it.each<[object, typeof TypeError | typeof RangeError, string]>([
    [{ match: '/a/(b|c)', source: '.' }, TypeError, 'option "match" must be a URL pattern that begins with "/"'],
    [{ match: 'https://example.org/*', source: '.' }, TypeError, 'option "match" must be a URL pattern'],
    [{ match: '/*' }, TypeError, 'option "source" must be a folder if "match" is set, got undefined.'],
    [{ source: '.' }, TypeError, 'option "match" must be a URL pattern if "source" is set, got undefined.'],
    [{ id: 'a' }, TypeError, 'option "match" must be a URL pattern if "id" is set'],
    [{ match: '/*', source: 1 }, TypeError, 'option "source" must be a string or a URL'],
    [{ match: '/*', source: '.', id: 'x'.repeat(1025) }, RangeError, 'of at most 1024 characters, got'],
    [{ match: '/*', source: '.', id: 'ü' }, RangeError, 'option "id" must be printable ASCII text'],
    [{ match: '/*', source: '.', destinations: ['scripts'] }, TypeError, 'option "destinations[0]" must be'],
    [{ codings: [] }, TypeError, 'option "codings" must be a non-empty array, got [].'],
    [{ codings: ['br'] }, TypeError, 'option "codings[0]" must be "dcz" or "dcb"'],
    [{ levels: { dcb: 4 } }, RangeError, 'option "levels.dcb" must be an integer from 5 to 11, got 4'],
    [{ levels: { dcz: 0 } }, RangeError, 'option "levels.dcz" must be an integer from 1 to 22, got 0'],
    [{ maxPoolJobs: 0 }, RangeError, 'option "maxPoolJobs" must be a positive integer'],
    [{ matches: '/*' }, TypeError, 'unknown option "matches". Did you mean "match"?'],
  ])('rejects the options %j', (options, type, message) => {
    expect(() => dictionaries(options)).toThrow(type)
    expect(() => dictionaries(options)).toThrow(message)
  })

  it('accepts the longest id', () => {
    expect(() => dictionaries({ match: '/*', source: earlier.path, id: 'x'.repeat(1024) })).not.toThrow()
  })

  it.each<[unknown, string]>([
    [true, 'option "dictionary" must be false or an object with "match", got true'],
    [{}, 'option "dictionary" must be false or an object with "match"'],
    [{ match: '/(a|b)' }, 'option "dictionary.match" must be a URL pattern'],
    [{ match: '/*', maxBytes: -1 }, 'option "dictionary.maxBytes" must be'],
    [{ match: '/*', session: 'a' }, 'option "dictionary.session" must be a function'],
    [{ match: '/*', source: '.' }, 'unknown option "dictionary.source"'],
  ])('rejects the route option %j', (dictionary, message) => {
    const router = new Server().router()
    expect(() => router.get('/', { dictionary: dictionary as false }, () => '')).toThrow(message)
  })
})

/** Returns a server with one script, whose earlier version is `OLD`. */
function bundle(options: Parameters<typeof dictionaries>[0]): Server {
  const server = new Server()
  server
    .router()
    .use(dictionaries({ match: '/*.js', source: earlier.path, ...options }))
    .get('/app.js', (ctx) => javascript(ctx, {}))
  return server
}
