import { brotliCompressSync } from 'node:zlib'
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
import { decode, list, NEW, NEW_LARGE, OLD, OLD_LARGE, PUBLIC, sendScript, sha256 } from './dictionary-content.ts'

const CODINGS: readonly DictionaryCoding[] = ['dcz', 'dcb']
const BROWSER_CODINGS = 'gzip, deflate, br, zstd, dcb, dcz'
const VARY = 'accept-encoding, available-dictionary'

/** Scripts that handlers send: their fields, the coding, and whether they are announced. */
const FIELDS: Readonly<Record<string, readonly [Record<string, string>, string | null, boolean]>> = {
  public: [{}, 'dcz', true],
  's-maxage': [{ 'cache-control': 's-maxage=60' }, 'dcz', true],
  'no-transform': [{ 'cache-control': 'public, no-transform' }, null, true],
  digest: [{ 'repr-digest': 'sha-256=:YQ==:' }, null, true],
  'no-store': [{ 'cache-control': 'public, no-store' }, 'zstd', false],
  private: [{ 'cache-control': 'private' }, 'zstd', false],
  'max-age': [{ 'cache-control': 'max-age=60' }, 'zstd', false],
  cookie: [{ 'set-cookie': 'a=b' }, 'zstd', false],
}

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
  const names = ['app', 'packed', 'short', 'enough', 'events', 'exempt', 'missing', ...Object.keys(FIELDS)]
  const scripts = Object.fromEntries(names.map((name) => [`${name}.js`, OLD]))
  earlier = await tempFolder({ ...scripts, 'image.png': OLD, 'large.js': OLD_LARGE, 'current/app.js': NEW })
})
afterAll(() => Promise.all([files[Symbol.asyncDispose](), earlier[Symbol.asyncDispose]()]))

function routes(router: Router): void {
  let version = 0
  const headers = PUBLIC
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
  router.get('/app/exempt.js', { dictionary: false }, (ctx) => sendScript(ctx))
  for (const [name, [fields]] of Object.entries(FIELDS)) {
    router.get(`/app/${name}.js`, (ctx) => sendScript(ctx, fields))
  }
  router.get('/app/missing.js', (ctx) => ctx.text(NEW, { status: 404, headers: PUBLIC }))
  staticFiles(router, '/app', files.path, { cacheControl: () => 'max-age=60' })
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

function valuesOf(response: ClientResponse, ...names: string[]): (string | null)[] {
  return names.map((name) => response.headers.get(name))
}

/** Returns the announcement in a response, after reading its body. */
async function announcementOf(response: Promise<ClientResponse>): Promise<string | null> {
  const { headers } = await response
  await (await response).bytes()
  return headers.get('use-as-dictionary')
}

eachProtocol('dictionaries', start, (client) => {
  const get = (path: string, available?: string, codings = BROWSER_CODINGS, more: readonly TestField[] = []) => {
    const offer: TestField[] = available === undefined ? [] : [['available-dictionary', available]]
    return client().request({ path, headers: [['accept-encoding', codings], ...offer, ...more] })
  }
  const send = (method: string, path: string, headers: ClientRequest['headers'] = []): Promise<ClientResponse> =>
    client().request({ method, path, headers })

  describe.each(CODINGS)('with %s', (coding) => {
    it.each([
      ['/app/app.js', OLD, NEW],
      ['/app/large.js', OLD_LARGE, NEW_LARGE],
      // The sidecar is not sent.
      ['/app/packed.js', OLD, NEW],
    ])('sends a file as the difference to the earlier one: %s', async (path, old, expected) => {
      // A dictionary of 1 MB takes too long to prepare for Brotli.
      const used = path.includes('large') ? 'dcz' : coding
      const response = await get(path, sha256(old), `gzip, deflate, br, zstd, ${used}`)
      const bytes = await response.bytes()
      expect([response.status, ...valuesOf(response, 'content-encoding')]).toEqual([200, used])
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
      expect(valuesOf(response, 'content-encoding', 'content-length', 'vary')).toEqual([coding, null, VARY])
      expect(decode(coding, bytes, old) === old).toBe(true)
      expect(bytes.byteLength).toBeLessThan(300)
    })

    it.each(['/app/app.js', '/app/packed.js'])('sends the fields of GET for HEAD: %s', async (path) => {
      const headers = [
        ['accept-encoding', `br, ${coding}`],
        ['available-dictionary', sha256(OLD)],
      ] as const
      const [head, whole] = [await send('HEAD', path, headers), await send('GET', path, headers)]
      const names = ['content-encoding', 'etag', 'vary', 'use-as-dictionary', 'accept-ranges', 'cache-control']
      expect(valuesOf(head, ...names)).toEqual(valuesOf(whole, ...names))
      expect([await head.text(), head.headers.get('content-length')]).toEqual(['', null])
      await whole.bytes()
    })
  })

  it('announces files and responses as dictionaries', async () => {
    for (const name of ['app', 'packed', 'large', 'public']) {
      const expected = `match="/app/${name}*.js", match-dest=("script"), id="bundle"`
      expect(await announcementOf(get(`/app/${name}.js`))).toBe(expected)
    }
    expect(await announcementOf(get('/api/list'))).toBe('match="/api/list*", match-dest=("")')
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
    expect(valuesOf(response, 'content-encoding')).toEqual([coding])
    expect(response.headers.get('vary')?.toLowerCase()).toBe(VARY)
    expect(decode(coding, await response.bytes(), '') === NEW).toBe(true)
  })

  it('lets compress() encode what has no dictionary', async () => {
    const response = await get('/app/app.js', sha256('unknown'))
    expect(valuesOf(response, 'content-encoding', 'vary')).toEqual(['zstd', VARY])
    expect(decode('zstd', await response.bytes(), '') === NEW).toBe(true)
  })

  it.each([
    ['/app/events.js', 200, true],
    ['/app/exempt.js', 200, false],
    ['/app/image.png', 200, true],
    ['/app/missing.js', 404, false],
    ['/app/short.js', 200, true],
  ])('ignores the dictionary for %s', async (path, status, varies) => {
    const response = await get(path, sha256(OLD))
    expect(response.status).toBe(status)
    await response.bytes()
    expect(response.headers.get('vary')?.includes('available-dictionary') ?? false).toBe(varies)
    expect(response.headers.get('content-encoding') ?? '').not.toMatch(/^dc/)
    expect(response.headers.get('use-as-dictionary')).toBe(null)
  })

  it.each(Object.entries(FIELDS))(
    'encodes and announces responses of handlers that are public: %s',
    async (name, [, coding, isAnnounced]) => {
      const response = await get(`/app/${name}.js`, sha256(OLD))
      await response.bytes()
      expect(response.headers.get('content-encoding')).toBe(coding)
      expect(response.headers.get('vary')).toContain('available-dictionary')
      expect(response.headers.has('use-as-dictionary')).toBe(isAnnounced)
    },
  )

  it('encodes bodies that reach the threshold', async () => {
    const response = await get('/app/enough.js', sha256(OLD))
    expect([response.headers.get('content-encoding'), decode('dcz', await response.bytes(), OLD)]).toEqual([
      'dcz',
      'x'.repeat(1024),
    ])
  })

  it('leaves a range unchanged, with Vary', async () => {
    const response = await get('/app/app.js', sha256(OLD), BROWSER_CODINGS, [['range', 'bytes=5-9']])
    expect([
      response.status,
      ...valuesOf(response, 'content-encoding', 'vary', 'use-as-dictionary'),
      await response.text(),
    ]).toEqual([206, null, VARY, null, NEW.slice(5, 10)])
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
})
