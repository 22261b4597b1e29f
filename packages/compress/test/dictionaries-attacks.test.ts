import { createHash } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { sendFile } from '@fw/static'
import { tempFolder, type TempFolder } from '@fw/testing'
import type { Context } from '@fw/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaries, type RouteDictionary } from '../src/dictionaries.ts'
import { compress } from '../src/index.ts'

const ORIGIN = 'https://example.org'
const PUBLIC = { 'cache-control': 'public, max-age=60' }
const FILLER = Array.from({ length: 60 }, (_, i) => createHash('md5').update(String(i)).digest('hex')).join('\n')

let earlier: TempFolder

beforeAll(async () => {
  setSinks([])
  earlier = await tempFolder({ 'page.html': FILLER })
})
afterAll(() => earlier[Symbol.asyncDispose]())

function sha256(bytes: string | Uint8Array): string {
  return `:${createHash('sha256').update(bytes).digest('base64')}:`
}

/** Sends a request that offers a dictionary. */
async function request(
  server: Server,
  path: string,
  available: string,
  headers: Record<string, string> = {},
): Promise<{ coding: string | null; bytes: Uint8Array; announced: boolean }> {
  const offer = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(available) }
  const response = await server.fetch(ORIGIN + path, { headers: { ...offer, ...headers } })
  const coding = response.headers.get('content-encoding')
  return { coding, bytes: await response.bytes(), announced: response.headers.has('use-as-dictionary') }
}

/** A page with a secret of the user and text from the request. */
function pageOf(user: string | null, search: string | null): string {
  return `${FILLER}\n<input value="${user === null ? '' : `secret-of-${user}-93b1f0`}">\n<p>No results for ${search ?? ''}</p>`
}

function secretServer(option: Partial<RouteDictionary> = {}, headers: Record<string, string> = {}): Server {
  const server = new Server()
  server
    .router()
    .use(dictionaries())
    .get('/page', { dictionary: { match: '/page*', ...option } }, (ctx) =>
      ctx.html(pageOf(ctx.cookies.get('user') ?? null, ctx.query.get('q')), { headers }),
    )
  return server
}

describe('a page with a secret and text from the request (CRIME)', () => {
  it.each<[string, Record<string, string>]>([
    ['without Cache-Control', {}],
    ['with a lifetime', { 'cache-control': 'max-age=60' }],
    ['that is private', { 'cache-control': 'private, max-age=60' }],
    ['that varies by cookie', { 'cache-control': 'public', vary: 'cookie' }],
  ])('is neither a dictionary nor encoded with one: %s', async (_, headers) => {
    const server = secretServer({}, headers)
    const page = pageOf('ann', null)
    for (let i = 0; i < 2; i++) {
      const { coding, announced } = await request(server, '/page', page, { cookie: 'user=ann' })
      expect([coding, announced]).toEqual([null, false])
    }
  })

  it('has the same length for right and wrong guesses', async () => {
    const server = secretServer()
    await request(server, '/page', '', { cookie: 'user=ann' })
    const lengths = new Set<number>()
    for (const guess of ['secret-of-ann-93b1f0', 'secret-of-ann-000000']) {
      const { bytes } = await request(server, `/page?q=${guess}`, pageOf('ann', null), { cookie: 'user=ann' })
      lengths.add(bytes.byteLength)
    }
    expect(lengths.size).toBe(1)
  })

  it('is not encoded with the public page, even if the client has it', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries())
      .get('/page', { dictionary: { match: '/page*' } }, (ctx) => {
        const user = ctx.headers.get('x-key') ?? ctx.cookies.get('user') ?? null
        return ctx.html(pageOf(user, null), { headers: user === null ? PUBLIC : {} })
      })
    const page = pageOf(null, null)
    await request(server, '/page', '')
    expect((await request(server, '/page', page)).coding).toBe('dcz')
    expect((await request(server, '/page', page, { cookie: 'user=ann' })).coding).toBe(null)
    // A field that the middleware does not know can identify a user too.
    expect((await request(server, '/page', page, { 'x-key': 'ann' })).coding).toBe(null)
  })

  it('does not reveal by its coding whether another user has received it', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries())
      .get('/page', { dictionary: { match: '/page*' } }, (ctx) => ctx.html(pageOf(ctx.headers.get('x-key'), null)))
    await request(server, '/page', '', { 'x-key': 'ann' })
    for (const guess of ['ann', 'eve']) {
      const { coding, announced } = await request(server, '/page', pageOf(guess, null), { 'x-key': 'bob' })
      expect([coding, announced]).toEqual([null, false])
    }
  })

  it('is not encoded with a file', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries({ match: '/*', source: earlier.path }))
      .get('/page.html', (ctx) => ctx.html(pageOf('ann', null), { headers: { 'cache-control': 'private' } }))
    expect((await request(server, '/page.html', FILLER)).coding).toBe(null)
  })
})

function session(ctx: Context): string | undefined {
  return ctx.cookies.get('user') ?? undefined
}

function guessedPage(ctx: Context): string {
  return pageOf('ann', ctx.query.get('q'))
}

/** Returns a server in which a page, a public page, a route with dictionaries and a file contain a secret. */
function siteWithSecret(route: { compress?: false } = {}): Server {
  const app = new Server()
  const headers = { ...PUBLIC, 'access-control-allow-origin': 'https://other.test' }
  const credentials = { 'access-control-allow-credentials': 'true' }
  app
    .router()
    .use(compress({ crossSite: 'identity' }), dictionaries({ match: '/*.html', source: earlier.path }))
    .get('/page.html', route, (ctx) => ctx.html(guessedPage(ctx)))
    .get('/sub/page.html', route, (ctx) => ctx.html(guessedPage(ctx), { headers: { ...headers, ...credentials } }))
    .get('/list', { ...route, dictionary: { match: '/list*' } }, (ctx) =>
      ctx.html(guessedPage(ctx), { headers: { ...headers, ...credentials } }),
    )
    .get('/file.html', route, (ctx) => sendFile(ctx, `${earlier.path}/page.html`))
  return app
}

describe('a page that must not be compressed (BREACH)', () => {
  const guesses = ['secret-of-ann-93b1f0', 'secret-of-ann-000000']

  const paths = ['/page.html', '/sub/page.html', '/list', '/file.html']

  it.each(paths)('is sent unchanged with { compress: false }: %s', async (path) => {
    const app = siteWithSecret({ compress: false })
    await request(app, path, '', {})
    const lengths = new Set<number>()
    for (const available of [FILLER, pageOf('ann', null)]) {
      for (const guess of guesses) {
        const got = await request(app, `${path}?q=${guess}`, available, { 'accept-encoding': 'br, zstd, dcb, dcz' })
        expect([got.coding, got.announced]).toEqual([null, false])
        lengths.add(got.bytes.byteLength)
      }
    }
    expect(lengths.size).toBe(1)
  })

  it.each<[string, Record<string, string>]>([
    ['a navigation', from('cross-site', 'navigate')],
    ['a navigation from the same site', from('same-site', 'navigate')],
    ['fetch()', from('cross-site', 'cors', { origin: 'https://other.test' })],
    ['a request without a mode', { 'sec-fetch-site': 'cross-site' }],
  ])(
    "is sent unchanged with crossSite 'identity' to other sites' requests with credentials: %s",
    async (_, headers) => {
      const app = siteWithSecret()
      for (const credentials of [{ cookie: 'sid=1' }, { authorization: 'Basic eA==' }]) {
        for (const path of paths) {
          await request(app, path, '', {})
          const lengths = new Set<number>()
          for (const available of [FILLER, pageOf('ann', null)]) {
            for (const guess of guesses) {
              const fields = { ...headers, ...credentials, 'accept-encoding': 'br, zstd, dcb, dcz' }
              const got = await request(app, `${path}?q=${guess}`, available, fields)
              expect([path, got.coding, got.announced]).toEqual([path, null, false])
              lengths.add(got.bytes.byteLength)
            }
          }
          expect(lengths.size).toBe(1)
        }
      }
    },
  )

  it('is not encoded with a file, unless it is public', async () => {
    const app = siteWithSecret()
    const codings: (string | null)[] = []
    for (const path of paths) codings.push((await request(app, path, FILLER)).coding)
    expect(codings).toEqual([null, 'dcz', null, 'dcz'])
    expect((await request(app, '/sub/page.html', FILLER, { cookie: 'sid=1' })).coding).toBe('dcz')
  })
})

describe('a private response with option session', () => {
  it('is a dictionary for its own session alone', async () => {
    const server = secretServer({ session }, { 'cache-control': 'private, max-age=60' })
    const page = pageOf('ann', null)
    await request(server, '/page', '', { cookie: 'user=ann' })
    const own = await request(server, '/page?q=new', page, { cookie: 'user=ann' })
    expect(own.coding).toBe('dcz')
    const decoded = zstdDecompressSync(own.bytes.subarray(40), { dictionary: Buffer.from(page) })
    expect(String(decoded)).toBe(pageOf('ann', 'new'))
    // A user who knows the hash of another user's page does not get a response whose length depends on it.
    expect((await request(server, '/page', page, { cookie: 'user=bob' })).coding).toBe(null)
    expect((await request(server, '/page', page)).coding).toBe(null)
  })

  it('is not a dictionary for a session whose key begins like the key of another one', async () => {
    const server = secretServer({ session: (ctx) => ctx.cookies.get('key') ?? undefined })
    await request(server, '/page', '', { cookie: 'key=a; user=ann' })
    const { coding } = await request(server, '/page', pageOf('ann', null), { cookie: 'key=a%20b; user=ann' })
    expect(coding).toBe(null)
  })

  it.each(['same-site', 'cross-site'])('has no dictionary if the request is from another site: %s', async (site) => {
    const server = secretServer({ session })
    const page = pageOf('ann', null)
    await request(server, '/page', '', { cookie: 'user=ann' })
    // A page on another site can navigate to a URL with a guess.
    const headers = { cookie: 'user=ann', 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' }
    const { coding, announced } = await request(server, '/page?q=guess', page, headers)
    expect([coding, announced]).toEqual([null, false])
    const own = { ...headers, 'sec-fetch-site': 'none' }
    expect((await request(server, '/page', page, own)).coding).toBe('dcz')
  })

  it('calls session once for each response', async () => {
    let count = 0
    const server = secretServer({
      session: (ctx) => {
        count++
        return session(ctx)
      },
    })
    await request(server, '/page', '', { cookie: 'user=ann' })
    await request(server, '/page', pageOf('ann', null), { cookie: 'user=ann' })
    expect(count).toBe(2)
  })

  it('is never stored with no-store', async () => {
    const server = secretServer({ session }, { 'cache-control': 'private, no-store' })
    await request(server, '/page', '', { cookie: 'user=ann' })
    const { coding, announced } = await request(server, '/page', pageOf('ann', null), { cookie: 'user=ann' })
    expect([coding, announced]).toEqual([null, false])
  })

  it.each([1, '', {}])('fails if session returns %j', async (key) => {
    const server = secretServer({ session: () => key as string })
    const response = await server.fetch(`${ORIGIN}/page`, { headers: { cookie: 'user=ann' } })
    expect(response.status).toBe(500)
  })
})

/** Returns the fields that a browser adds to a request. */
function from(site: string, mode: string, more: Record<string, string> = {}): Record<string, string> {
  return { 'sec-fetch-site': site, 'sec-fetch-mode': mode, ...more }
}

describe('a request from another site', () => {
  const text = `${FILLER} public`
  const origin = { origin: 'https://other.test' }

  it.each<[string, Record<string, string>, string | undefined, boolean]>([
    ['a script', from('cross-site', 'no-cors'), '*', false],
    ['a script on the same site', from('same-site', 'no-cors'), '*', false],
    ['fetch() that is not allowed', from('cross-site', 'cors', origin), undefined, false],
    ['fetch() that another origin is allowed', from('cross-site', 'cors', origin), 'https://a.test', false],
    ['fetch() with cookies', from('cross-site', 'cors', { ...origin, cookie: 'a=b' }), '*', false],
    ['fetch() that is allowed', from('cross-site', 'cors', origin), 'https://other.test', true],
    ['fetch() that every origin is allowed', from('cross-site', 'cors', origin), '*', true],
    [
      'allowed fetch() with cookies',
      from('cross-site', 'cors', { ...origin, cookie: 'a=b' }),
      'https://other.test',
      false,
    ],
    ['a navigation', from('cross-site', 'navigate'), undefined, true],
    ['the own page', from('same-origin', 'cors'), undefined, true],
  ])('uses and creates dictionaries only if its page can read them: %s', async (_, headers, allowed, isUsed) => {
    const server = new Server()
    server
      .router()
      .use(dictionaries({ match: '/files/*', source: earlier.path }))
      .use((ctx, next) => {
        if (allowed !== undefined) ctx.responseHeaders.set('access-control-allow-origin', allowed)
        ctx.responseHeaders.set('access-control-allow-credentials', 'true')
        return next()
      })
      .get('/files/page.html', (ctx) => ctx.text(text, { headers: PUBLIC }))
      .get('/list', { dictionary: { match: '/list*' } }, (ctx) => ctx.text(text, { headers: PUBLIC }))
    const ofFile = await request(server, '/files/page.html', FILLER, headers)
    expect([ofFile.coding, ofFile.announced]).toEqual(isUsed ? ['dcz', true] : [null, false])
    const first = await request(server, '/list', '', headers)
    // Another client shows whether the server holds the response.
    const second = await request(server, '/list', text)
    expect([first.announced, second.coding]).toEqual(isUsed ? [true, 'dcz'] : [false, null])
  })
})

describe('a dictionary of a route', () => {
  it('is not used by another route with the same option object', async () => {
    const server = new Server()
    const options = { dictionary: { match: '/*' } }
    server
      .router()
      .use(dictionaries())
      .get('/a', options, (ctx) => ctx.text(`${FILLER}a`, { headers: PUBLIC }))
      .get('/b', options, (ctx) => ctx.text(`${FILLER}b`, { headers: PUBLIC }))
    await request(server, '/a', '')
    expect((await request(server, '/b', `${FILLER}a`)).coding).toBe(null)
    expect((await request(server, '/a', `${FILLER}a`)).coding).toBe('dcz')
  })

  it('is not used on another host', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries())
      .get('/', { dictionary: { match: '/' } }, (ctx) => ctx.text(FILLER + ctx.exchange.authority, { headers: PUBLIC }))
    await server.fetch('https://a.test/')
    const headers = { 'accept-encoding': 'dcz', 'available-dictionary': sha256(`${FILLER}a.test`) }
    for (const [host, coding] of [
      ['b.test', null],
      ['a.test', 'dcz'],
    ]) {
      const response = await server.fetch(`https://${host}/`, { headers })
      expect([host, response.headers.get('content-encoding')]).toEqual([host, coding])
    }
  })
})

describe('a client that fills the memory', () => {
  it('gets plain responses, and drops no file', async () => {
    const server = new Server()
    server
      .router()
      .use(dictionaries({ match: '/files/*', source: earlier.path, maxDictionaryBytes: 10_000 }))
      .get('/files/page.html', (ctx) => ctx.text(`${FILLER} new`, { headers: PUBLIC }))
      .get('/list', { dictionary: { match: '/list*' } }, (ctx) =>
        ctx.text(FILLER + String(ctx.query.get('q')), { headers: PUBLIC }),
      )
    await request(server, '/list?q=first', '')
    for (let i = 0; i < 50; i++) await request(server, `/list?q=${i}`, '')
    expect((await request(server, '/list?q=first', `${FILLER}first`)).coding).toBe(null)
    expect((await request(server, '/list?q=49', `${FILLER}49`)).coding).toBe('dcz')
    expect((await request(server, '/files/page.html', FILLER)).coding).toBe('dcz')
  })
})
