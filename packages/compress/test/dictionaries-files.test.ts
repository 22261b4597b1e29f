import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { type StaticFilesOptions, staticFiles } from '@fw/static'
import { tempFolder, type TempFolder } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaries } from '../src/dictionaries.ts'
import { compress } from '../src/index.ts'
import { decode, NEW, NEW_LARGE, OLD, OLD_LARGE, sha256 } from './dictionary-content.ts'

const BROWSER_CODINGS = 'gzip, deflate, br, zstd, dcb, dcz'
const VARY = 'accept-encoding, available-dictionary'
/** A page that shrinks to much less than the threshold. */
const SHORT = 'a line\n'.repeat(400)
const OTHER = Array.from({ length: 500 }, (_, n) => createHash('md5').update(`other ${n}`).digest('hex')).join('\n')

let files: TempFolder
let earlier: TempFolder

beforeAll(async () => {
  setSinks([])
  files = await tempFolder({
    ...withSidecar('main.3f2a1b9c.js', NEW),
    // Nothing of it is in its earlier version.
    ...withSidecar('rewritten.js', OTHER),
    ...withSidecar('large.js', NEW_LARGE),
    ...withSidecar('short.js', SHORT),
    'index.html': NEW,
    'image.png': NEW,
    'tiny.js': 'x',
  })
  earlier = await tempFolder({
    'main.00000000.js': OLD,
    'vendor.00000000.js': OLD_LARGE,
    'rewritten.js': OLD,
    'large.js': OLD_LARGE,
    'index.html': `${OLD}\n`,
  })
})
afterAll(() => Promise.all([files[Symbol.asyncDispose](), earlier[Symbol.asyncDispose]()]))

function withSidecar(name: string, text: string): Record<string, string | Buffer> {
  return { [name]: text, [`${name}.br`]: brotliCompressSync(text) }
}

function site(options: Parameters<typeof dictionaries>[0] = {}, statics: StaticFilesOptions = {}): Server {
  const server = new Server()
  const router = server.router()
  router.use(compress(), dictionaries({ match: '/*', source: earlier.path, ...options }))
  staticFiles(router, '/', files.path, statics)
  return server
}

interface Got {
  readonly status: number
  readonly coding: string | null
  readonly vary: string | undefined
  readonly etag: string | null
  readonly announced: string | null
  readonly bytes: Uint8Array
}

async function get(server: Server, path: string, available?: string, more: Record<string, string> = {}): Promise<Got> {
  const offer: Record<string, string> = available === undefined ? {} : { 'available-dictionary': sha256(available) }
  const headers = { 'accept-encoding': BROWSER_CODINGS, ...offer, ...more }
  const response = await server.fetch(`https://example.org${path}`, { headers })
  return {
    status: response.status,
    coding: response.headers.get('content-encoding'),
    vary: response.headers.get('vary')?.toLowerCase(),
    etag: response.headers.get('etag'),
    announced: response.headers.get('use-as-dictionary'),
    bytes: await response.bytes(),
  }
}

describe('a file', () => {
  it.each([
    ['/main.3f2a1b9c.js', 'match="/main*.js"'],
    ['/short.js', 'match="/short*.js"'],
    ['/', 'match="/"'],
    ['/index.html', 'match="/index*.html"'],
    ['/image.png', null],
    ['/tiny.js', null],
  ])('is announced for its own name: %s', async (path, expected) => {
    for (let i = 0; i < 2; i++) expect((await get(site(), path)).announced).toBe(expected)
  })

  it.each(['private', 'no-store', 'private, max-age=60'])('is not announced with %s', async (cacheControl) => {
    const server = site({}, { cacheControl: () => cacheControl })
    const { announced, coding } = await get(server, '/main.3f2a1b9c.js', OLD)
    expect([announced, coding]).toEqual([null, 'br'])
  })

  it.each([
    ['/main.3f2a1b9c.js', OLD, 'dcz'],
    ['/', `${OLD}\n`, 'dcz'],
    // Dictionaries of other files.
    ['/main.3f2a1b9c.js', OLD_LARGE, 'br'],
    ['/main.3f2a1b9c.js', `${OLD}\n`, 'br'],
    ['/', OLD, 'zstd'],
  ])('is encoded with an earlier version of the same name alone: %s', async (path, available, coding) => {
    const got = await get(site(), path, available)
    expect(got.coding).toBe(coding)
    expect(decode(coding, got.bytes, available) === NEW).toBe(true)
  })

  it.each(['/main.3f2a1b9c.js', '/short.js', '/image.png', '/tiny.js', '/'])(
    'has the same Vary with 200, 206 and 304: %s',
    async (path) => {
      const whole = await get(site(), path)
      const none = await get(site(), path, undefined, { 'if-none-match': whole.etag?.replace(/^W\//, '') ?? '' })
      const part = await get(site(), path, undefined, { range: 'bytes=0-0', 'accept-encoding': 'br' })
      expect([whole.status, part.status, none.status]).toEqual([200, 206, 304])
      expect([whole.vary, part.vary, none.vary]).toEqual([VARY, VARY, VARY])
    },
  )

  it('is treated as a handler response after a filter has changed it', async () => {
    const server = new Server()
    const router = server.router()
    router.use(dictionaries({ match: '/*', source: earlier.path }), (ctx, next) => {
      ctx.filterResponse((response) => response.replace(`${String(response.whole)} for ann`))
      return next()
    })
    staticFiles(router, '/', files.path)
    const { coding, announced } = await get(server, '/main.3f2a1b9c.js', OLD)
    expect([coding, announced]).toEqual([null, null])
  })
})

describe('a sidecar', () => {
  it.each<[string, Parameters<typeof dictionaries>[0]]>([
    ['on the event loop', {}],
    ['on the thread pool', { maxSyncBytes: 0 }],
    ['with dcb', { codings: ['dcb'] }],
    ['without memory', { cacheBytes: 0 }],
  ])('is sent if the dictionary makes the file longer: %s', async (_, options) => {
    const server = site(options)
    const sidecar = await get(server, '/rewritten.js')
    // The second response uses the encoded file in memory.
    for (let i = 0; i < 2; i++) {
      const got = await get(server, '/rewritten.js', OLD)
      expect([got.status, got.coding, got.etag]).toEqual([200, 'br', sidecar.etag])
      expect(Buffer.from(got.bytes).equals(Buffer.from(sidecar.bytes))).toBe(true)
      expect(got.vary).toBe(VARY)
    }
  })

  it('is sent if the file is shorter than the threshold', async () => {
    const got = await get(site({ thresholdBytes: 1_000_000 }), '/main.3f2a1b9c.js', OLD)
    expect([got.coding, decode('br', got.bytes, '') === NEW]).toEqual(['br', true])
  })

  it('is sent for a file that is streamed', async () => {
    const options = { maxCachedFileBytes: 1000 }
    const got = await get(site({}, options), '/large.js', OLD_LARGE)
    expect([got.coding, decode('br', got.bytes, '') === NEW_LARGE]).toEqual(['br', true])
    // Without this limit, the file is read into memory, and a dictionary makes it shorter.
    expect((await get(site({}, { maxCachedFileBytes: 4_000_000 }), '/large.js', OLD_LARGE)).coding).toBe('dcz')
  })

  it('has its fields in a response to HEAD', async () => {
    const server = site({ thresholdBytes: 1_000_000 })
    const headers = { 'accept-encoding': BROWSER_CODINGS, 'available-dictionary': sha256(OLD) }
    const url = 'https://example.org/main.3f2a1b9c.js'
    const [head, whole] = [await server.fetch(url, { method: 'HEAD', headers }), await server.fetch(url, { headers })]
    const { byteLength } = await whole.bytes()
    const names = ['content-encoding', 'content-length', 'etag', 'vary']
    expect(names.map((name) => head.headers.get(name))).toEqual(names.map((name) => whole.headers.get(name)))
    expect(head.headers.get('content-length')).toBe(String(byteLength))
  })
})
