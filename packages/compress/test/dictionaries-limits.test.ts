import { createHash } from 'node:crypto'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { tempFolder, type TempFolder } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaries } from '../src/dictionaries.ts'
import { compress } from '../src/index.ts'
import { decode, list, NEW, OLD, OLD_LARGE, PUBLIC, sendScript, sha256 } from './dictionary-content.ts'

const MIB = 1024 * 1024
const BROWSER_CODINGS = 'gzip, deflate, br, zstd, dcb, dcz'
const VARY = 'accept-encoding, available-dictionary'

let earlier: TempFolder

beforeAll(async () => {
  setSinks([])
  earlier = await tempFolder({ 'app.js': OLD, 'large.js': OLD_LARGE, 'current/app.js': NEW })
})
afterAll(() => earlier[Symbol.asyncDispose]())

/** Returns a server with one script, whose earlier version is `OLD`. */
function bundle(options: Parameters<typeof dictionaries>[0]): Server {
  const server = new Server()
  server
    .router()
    .use(dictionaries({ match: '/*.js', source: earlier.path, ...options }))
    .get('/app.js', (ctx) => sendScript(ctx))
  return server
}

describe('dictionaries', () => {
  it('compresses a large body on the thread pool', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries({ maxSyncBytes: 0, maxPoolJobs: 1 }))
      .get('/:n', { dictionary: { match: '/*' } }, (ctx) => ctx.json(list(1), { headers: PUBLIC }))
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
    const text = OLD.slice(0, 2000)
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/', maxBytes } }, (ctx) => ctx.text(text, { headers: PUBLIC }))
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
    const texts = [OLD.slice(0, 2000), NEW.slice(0, 2000)]
    server
      .router()
      .use(dictionaries({ maxDictionaryBytes }))
      .get('/:n', { dictionary: { match: '/*' } }, (ctx) =>
        ctx.text(texts[Number(ctx.params.n)] ?? '', { headers: PUBLIC }),
      )
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

  it.each<[string, Parameters<typeof dictionaries>[0], Record<string, string>, boolean]>([
    ['a strong tag', {}, { etag: '"1"' }, true],
    ['a strong tag, on the thread pool', { maxSyncBytes: 0 }, { etag: '"1"' }, true],
    ['a weak tag', {}, { etag: 'W/"1"' }, false],
    ['no tag', {}, {}, false],
    ['a strong tag, without memory', { cacheBytes: 0 }, { etag: '"1"' }, false],
  ])('keeps an encoded file with %s', async (_, options, headers, isKept) => {
    const server = new Server()
    let text = NEW
    server
      .router()
      .use(dictionaries({ match: '/*.js', source: earlier.path, ...options }))
      .get('/app.js', (ctx) =>
        ctx.text(text, { headers: { 'content-type': 'text/javascript', ...PUBLIC, ...headers } }),
      )
    const get = async (query: string): Promise<[boolean, string]> => {
      const offer = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(OLD) }
      const response = await server.fetch(`/app.js${query}`, { headers: offer })
      const { headers: sent } = response
      return [
        decode('dcz', await response.bytes(), OLD) === text,
        [sent.get('etag')?.replace(/^W\//, ''), sent.get('content-encoding')].join(),
      ]
    }
    const first = await Promise.all([get(''), get('')])
    // A file with a strong tag never changes. This one does, to show which bytes are sent.
    text = `changed ${NEW}`
    const second = await get('')
    const other = await get('?v=2')
    expect([...first, second, other].map(([isCurrent]) => isCurrent)).toEqual([true, true, !isKept, true])
    expect(new Set([...first, second, other].map(([, fields]) => fields)).size).toBe(1)
  })

  it.each([
    [2000, MIB, 'dcz'],
    [2000, MIB + 1, null],
    [300_000, 1_200_000, 'dcz'],
    [300_000, 1_200_001, null],
  ])('encodes a body of %i bytes with a dictionary of %i bytes: %s', async (bodyBytes, dictionaryBytes, coding) => {
    const old = 'a'.repeat(dictionaryBytes)
    await using folder = await tempFolder({ 'app.js': old })
    const server = new Server()
    server
      .router()
      .use(dictionaries({ match: '/*.js', source: folder.path }))
      .get('/app.js', (ctx) => ctx.text('a'.repeat(bodyBytes), { headers: PUBLIC }))
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(old) }
    expect((await server.fetch('/app.js', { headers })).headers.get('content-encoding')).toBe(coding)
  })

  it('encodes no more streams than the memory has room for', async () => {
    const server = new Server()
    const ends: (() => void)[] = []
    server
      .router()
      // A stream of unknown length counts as 11 MiB.
      .use(dictionaries({ match: '/*.js', source: earlier.path, maxStreamBytes: 15 * MIB }))
      .get('/app.js', (ctx) =>
        ctx.stream(
          (async function* () {
            yield OLD
            await new Promise<void>((resolve) => ends.push(resolve))
          })(),
          { headers: { 'content-type': 'text/javascript', ...PUBLIC } },
        ),
      )
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(OLD) }
    const open = (): Promise<Response> => fetch(new URL('/app.js', url), { headers })
    const first = await open()
    const second = await open()
    const codings = [first, second].map((response) => response.headers.get('content-encoding'))
    expect(codings).toEqual(['dcz', null])
    await second.body?.cancel()
    await first.body?.cancel()
    await expect
      .poll(async () => {
        const response = await open()
        await response.body?.cancel()
        return response.headers.get('content-encoding')
      })
      .toBe('dcz')
    for (const end of ends) end()
    await server.close({ drainMs: 0 })
  })

  it('leaves bodies unchanged if too many wait for the thread pool', async () => {
    const server = new Server()
    server
      .router()
      .use(compress(), dictionaries({ maxSyncBytes: 0, maxPoolJobs: 1, maxWaitingJobs: 1 }))
      .get('/:n', { dictionary: { match: '/*' } }, (ctx) => ctx.json(list(1), { headers: PUBLIC }))
    const old = await (await server.fetch('/0')).text()
    const headers = { 'accept-encoding': 'zstd, dcz', 'available-dictionary': sha256(old) }
    const got = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => {
        const response = await server.fetch(`/${n}`, { headers })
        const coding = response.headers.get('content-encoding')
        return [coding, decode(coding, await response.bytes(), old) === old]
      }),
    )
    expect(got).toEqual(['dcz', 'dcz', 'zstd', 'zstd', 'zstd'].map((coding) => [coding, true]))
  })

  it.each([131_072, 0])('sends a body that does not shrink unchanged (maxSyncBytes %i)', async (maxSyncBytes) => {
    const server = new Server()
    const random = Array.from({ length: 2 }, (_, n) =>
      Buffer.from(createHash('shake256', { outputLength: 2000 }).update(String(n)).digest()),
    )
    server
      .router()
      .use(dictionaries({ maxSyncBytes }))
      .get('/:n', { dictionary: { match: '/*' } }, (ctx) =>
        ctx.bytes(random[Number(ctx.params.n)] ?? Buffer.alloc(0), {
          headers: { 'content-type': 'text/plain', ...PUBLIC },
        }),
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
        ctx.bytes(trained, { headers: { 'content-type': 'text/plain', ...PUBLIC } }),
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
        ctx.bytes(buffer, { headers: { 'content-type': 'text/plain', ...PUBLIC } }),
      )
    await (await server.fetch('/')).bytes()
    buffer.subarray(0, 1000).reverse()
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(OLD) }
    const response = await server.fetch('/', { headers })
    expect(decode('dcz', await response.bytes(), OLD) === String(buffer)).toBe(true)
  })

  it('leaves responses to other methods unchanged', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries())
      .post('/', { dictionary: { match: '/' } }, () => OLD)
    const response = await server.fetch('/', { method: 'POST' })
    expect([response.headers.get('use-as-dictionary'), response.headers.get('vary')]).toEqual([null, null])
  })

  it('keeps a Use-As-Dictionary field of the handler', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/' } }, (ctx) =>
        ctx.text(OLD, { headers: { 'use-as-dictionary': 'match="/own"', ...PUBLIC } }),
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
      .get('/app.js', (ctx) => sendScript(ctx))
    const response = await server.fetch('/app.js', {
      headers: { 'accept-encoding': BROWSER_CODINGS, 'available-dictionary': sha256(OLD) },
    })
    expect(response.headers.get('content-encoding')).toBe('dcz')
    expect(decode('dcz', await response.bytes(), OLD) === NEW).toBe(true)
  })

  it('repeats the weak tag in a 304 without compress()', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries({ match: '/*.js', source: earlier.path }))
      .get('/app.js', (ctx) => {
        ctx.responseHeaders.set('etag', '"1"')
        return ctx.empty(304)
      })
    const response = await server.fetch('/app.js', { headers: { 'if-none-match': 'W/"1"' } })
    expect([response.status, response.headers.get('etag'), response.headers.get('vary')]).toEqual([304, 'W/"1"', VARY])
  })

  it('encodes nothing inside compress() that is registered after it', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries(), compress())
      .get('/', { dictionary: { match: '/' } }, (ctx) => ctx.text(OLD, { headers: PUBLIC }))
    const headers = { 'accept-encoding': BROWSER_CODINGS, 'available-dictionary': sha256(OLD) }
    for (let i = 0; i < 2; i++) {
      const response = await server.fetch('/', { headers })
      const names = ['content-encoding', 'use-as-dictionary', 'vary']
      expect(names.map((name) => response.headers.get(name))).toEqual(['zstd', null, VARY])
    }
  })
})
