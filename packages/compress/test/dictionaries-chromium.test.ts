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
const VERSIONS = [1, 2].map((version) => `${LINES}\ndocument.title = 'version ${version}'\n`)

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
  earlier = await tempFolder({ 'app.1.js': VERSIONS[0] ?? '' })
  current = await tempFolder({ 'app.1.js': VERSIONS[0] ?? '', 'app.2.js': VERSIONS[1] ?? '' })
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
  // The query makes the browser request the script again.
  router.get('/:version', (ctx) =>
    ctx.html(`<script src="/app/app.${ctx.params.version}.js?${ctx.rawQuery}"></script>`),
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

    /** Opens the new page until the browser offers a dictionary. It stores one after the response that is the dictionary. */
    async function openWithDictionary(): Promise<void> {
      await page.goto(`${site.origin}/1`)
      let count = 0
      await expect
        .poll(async () => {
          site.seen.length = 0
          await page.goto(`${site.origin}/2?${count++}`)
          return site.seen.some(({ available }) => available !== null)
        })
        .toBe(true)
    }

    it('runs a script that was sent as the difference to its earlier version', async () => {
      await openWithDictionary()
      expect(await page.title()).toBe('version 2')
      const script = site.seen.find(({ path }) => path === '/app/app.2.js')
      expect(script).toMatchObject({
        protocol: { h1: 'HTTP/1.1', h2: 'HTTP/2.0', h3: 'HTTP/3.0' }[protocol],
        available: `:${createHash('sha256')
          .update(VERSIONS[0] ?? '')
          .digest('base64')}:`,
        id: '"app"',
        coding,
      })
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
