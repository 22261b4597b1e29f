import { createHash } from 'node:crypto'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { staticFiles } from '@fw/static'
import { launchChromium, testCertificate, tempFolder, type TempFolder } from '@fw/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaries, type DictionaryCoding } from '../src/dictionaries.ts'
import { compress } from '../src/index.ts'

const LINES = Array.from({ length: 1000 }, (_, i) => `// ${createHash('md5').update(String(i)).digest('hex')}`).join(
  '\n',
)
/** Two releases of two scripts, with content hashes in their names. */
const RELEASES = ['main', 'vendor'].flatMap((name) =>
  [1, 2].map((version) => ({
    path: `${name}.0000000${version}.js`,
    text: `${name === 'main' ? LINES : LINES.toUpperCase()}\ndocument.title += ' ${name} ${version}'\n`,
  })),
)

/** A request and its response. */
interface Seen {
  readonly path: string
  readonly protocol: string
  readonly available: string | null
  readonly id: string | null
  readonly coding: string | null
  readonly lengthBytes: number | undefined
}

interface Site {
  readonly server: Server
  readonly seen: Seen[]
  readonly origin: string
  readonly port: string
}

const PROTOCOLS = ['h1', 'h2', 'h3'] as const
const CODINGS = ['dcz', 'dcb'] as const
const sites = new Map<string, Site>()
let earlier: TempFolder
let current: TempFolder
let browser: Browser

beforeAll(async () => {
  setSinks([])
  const files = Object.fromEntries(RELEASES.map(({ path, text }) => [path, text]))
  earlier = await tempFolder(files)
  current = await tempFolder(files)
  for (const protocol of PROTOCOLS) {
    for (const coding of CODINGS) sites.set(`${protocol} ${coding}`, await startSite(coding, protocol))
  }
  const { spkiSha256: spki } = await testCertificate()
  const quicOrigin = CODINGS.map((coding) => `127.0.0.1:${sites.get(`h3 ${coding}`)?.port}`).join(',')
  browser = await launchChromium({ spki, quicOrigin })
})
afterAll(async () => {
  await browser?.close()
  for (const { server } of sites.values()) await server.close({ drainMs: 0 })
  await Promise.all([earlier[Symbol.asyncDispose](), current[Symbol.asyncDispose]()])
})

async function startSite(coding: DictionaryCoding, protocol: (typeof PROTOCOLS)[number]): Promise<Site> {
  const { key, cert } = await testCertificate()
  const server = new Server(protocol === 'h1' ? {} : { tls: { key, cert }, http3: protocol === 'h3' })
  const router = server.router()
  const seen: Seen[] = []
  // This filter is the first to be added, so it sees what is sent.
  router.use((ctx, next) => {
    ctx.filterResponse(({ headers, lengthBytes }) => {
      const { path } = ctx
      const [available, id] = ['available-dictionary', 'dictionary-id'].map((name) => ctx.headers.get(name))
      const sent = { coding: headers.get('content-encoding'), lengthBytes }
      seen.push({ path, protocol: ctx.protocol, available: available ?? null, id: id ?? null, ...sent })
    })
    return next()
  })
  router.use(compress())
  const files = { match: '/app/*.js', destinations: ['script'] as const, id: 'app', source: earlier.path }
  router.use(dictionaries({ ...files, codings: [coding] }))
  // The query makes the browser request the scripts again.
  router.get('/:version', (ctx) =>
    ctx.html(
      ['main', 'vendor']
        .map((name) => `<script src="/app/${name}.0000000${ctx.params.version}.js?${ctx.rawQuery}"></script>`)
        .join('\n'),
    ),
  )
  let requests = 0
  router.get('/api/list', { dictionary: { match: '/api/list*', destinations: [''] } }, (ctx) => {
    requests++
    const list = Array.from({ length: 300 }, (_, id) => ({
      id,
      name: `item ${id}`,
      stock: id % 10 === 0 ? requests : 0,
    }))
    return ctx.json(list, { headers: { 'cache-control': 'public, max-age=60' } })
  })
  staticFiles(router, '/app', current.path, { cacheControl: () => 'max-age=3600' })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { server, seen, origin: url.origin, port: url.port }
}

/** Requests the list from a page. @returns The number of the request, and the length of the list */
function fetchList(page: Page, query: string, cache?: 'no-cache'): Promise<{ stock: number; length: number }> {
  return page.evaluate(
    async ({ path, init }) => {
      const text = await (await fetch(path, init)).text()
      return { stock: JSON.parse(text)[0].stock, length: text.length }
    },
    { path: `/api/list?${query}`, init: cache === undefined ? {} : { cache } },
  )
}

describe.each(PROTOCOLS)('Chromium over %s', (protocol) => {
  describe.each(CODINGS)('with %s', (coding) => {
    let site: Site
    let page: Page

    beforeAll(async () => {
      const found = sites.get(`${protocol} ${coding}`)
      if (found === undefined) throw new Error('The site did not start.')
      site = found
      page = await browser.newPage()
    })
    afterAll(() => page?.close())

    /** Opens the new page until the browser offers a dictionary for each script. It stores one after its response. */
    async function openWithDictionaries(): Promise<void> {
      await page.goto(`${site.origin}/1`)
      let count = 0
      await expect
        .poll(async () => {
          site.seen.length = 0
          await page.goto(`${site.origin}/2?${count++}`)
          return site.seen.filter(({ available }) => available !== null).length
        })
        .toBe(2)
    }

    it('runs two scripts that were sent as the differences to their earlier versions', async () => {
      await openWithDictionaries()
      expect(await page.title()).toBe('main 2 vendor 2')
      for (const name of ['main', 'vendor']) {
        const script = site.seen.find(({ path }) => path === `/app/${name}.00000002.js`)
        const earlierHashes = RELEASES.filter(({ path }) => path.startsWith(name)).map(
          ({ text }) => `:${createHash('sha256').update(text).digest('base64')}:`,
        )
        expect(script).toMatchObject({
          protocol: { h1: 'HTTP/1.1', h2: 'HTTP/2.0', h3: 'HTTP/3.0' }[protocol],
          id: '"app"',
          coding,
        })
        // The browser can have stored the new version from an earlier attempt.
        expect(earlierHashes).toContain(script?.available)
      }
    })

    it('reads a repeated list in at most 3% of its bytes', async () => {
      const { length } = await fetchList(page, 'first')
      let count = 0
      await expect
        .poll(async () => {
          site.seen.length = 0
          const { stock } = await fetchList(page, String(count++))
          expect(stock).toBe(count + 1)
          return site.seen[0]?.coding
        })
        .toBe(coding)
      expect(site.seen[0]?.lengthBytes).toBeLessThan(length * 0.03)
      // The page can also revalidate the same URL before its lifetime ends.
      site.seen.length = 0
      expect((await fetchList(page, 'first', 'no-cache')).stock).toBe(count + 2)
      expect(site.seen[0]).toMatchObject({ path: '/api/list', coding })
    })
  })
})
