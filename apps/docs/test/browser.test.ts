import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { Server } from '@fw/core'
import { staticFiles } from '@fw/static'
import { launchChromium } from '@fw/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Bytes that a page of the site loads at most, with Brotli. */
const MAX_PAGE_BYTES = 60 * 1024

/** Pages of each kind: home, tables and code, a generated table, images. */
const REPRESENTATIVE = ['/', '/quickstart/', '/from/express/', '/reference/server/', '/why/performance/']

/** Results that a reader looks at. */
const MAX_RANK = 5

/** Phrases that a reader types, and a page that must be among the first results. */
const SEARCHES = [
  ['trailing slash', '/guides/routing/'],
  ['graceful shutdown', '/guides/shutdown/'],
  ['Last-Event-ID', '/guides/event-channels/'],
  ['trustProxy', '/deploy/proxies/'],
  ['maxBodyBytes', '/reference/limits/'],
  ['preStop', '/deploy/kubernetes/'],
  ['JWT', '/recipes/bearer-tokens/'],
  ['preflight', '/recipes/cors/'],
  ['alt-svc', '/deploy/http3/'],
  ['morgan', '/guides/access-log/'],
] as const

const server = new Server({ trustProxy: false })
staticFiles(server.router(), '/', DIST)

let origin: string
let browser: Browser
beforeAll(async () => {
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  origin = url.origin
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Opens a page of the site and waits until it is complete. */
async function open(path: string, options: { colorScheme?: 'dark' | 'light'; width?: number } = {}): Promise<Page> {
  const { colorScheme = 'dark', width = 1440 } = options
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
  // Nothing may come from another origin.
  await page.route(
    (url) => url.origin !== origin,
    (route) => route.abort(),
  )
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  return page
}

describe('a page in the browser', () => {
  const views = REPRESENTATIVE.flatMap((path) =>
    (['dark', 'light'] as const).flatMap((colorScheme) => [1440, 390].map((width) => ({ path, colorScheme, width }))),
  )

  it.each(views)('has no accessibility violation: $path, $colorScheme, $width pixels', async ({ path, ...options }) => {
    const page = await open(path, options)
    await page.evaluate(AXE)
    const violations = await page.evaluate(async () => {
      const axe = (
        globalThis as unknown as {
          axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
        }
      ).axe
      const { violations: found } = await axe.run()
      return found.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .map(({ html }) => html.slice(0, 120))
            .slice(0, 3)
            .join(' | ')}`,
      )
    })
    await page.close()
    expect(violations).toEqual([])
  })

  it.each(REPRESENTATIVE)('loads at most 60 KiB, and nothing moves: %s', async (path) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const bodies: Promise<Buffer>[] = []
    page.on('response', (response) => bodies.push(response.body()))
    await page.goto(origin + path, { waitUntil: 'networkidle' })
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
          }).observe({ type: 'layout-shift', buffered: true })
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
        }),
    )
    const sizes = (await Promise.all(bodies)).map((body) => brotliCompressSync(body).length)
    await page.close()
    expect(shift).toBe(0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_PAGE_BYTES)
  })
})

describe('search', () => {
  it.each(SEARCHES)('finds "%s" on %s', async (phrase, expected) => {
    const page = await open('/quickstart/')
    // As text, because vitest would replace the import with its own.
    const found: string[] = await page.evaluate(`(async () => {
      const pagefind = await import('/pagefind/pagefind.js')
      const { results } = await pagefind.search(${JSON.stringify(phrase)})
      const pages = await Promise.all(results.slice(0, ${MAX_RANK}).map((result) => result.data()))
      return pages.map(({ url }) => url)
    })()`)
    await page.close()
    expect(found).toContain(expected)
  })

  it('opens with the keyboard and shows results', async () => {
    const page = await open('/quickstart/')
    await page.keyboard.press('Control+k')
    await page.waitForSelector('.pagefind-ui__search-input')
    await page.keyboard.type('trailing slash')
    await page.waitForSelector('.pagefind-ui__result-link')
    expect(await page.locator('.pagefind-ui__result-link').count()).toBeGreaterThan(0)
    await page.close()
  })
})
