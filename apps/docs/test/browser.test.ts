import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { Server } from '@fw/core'
import { staticFiles } from '@fw/static'
import { launchChromium } from '@fw/testing'
import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Maximum number of bytes that a page loads, with Brotli. */
const MAX_PAGE_BYTES = 60 * 1024

/** One page of each kind: home, code, two columns, an option table, images, an error, an API page. */
const REPRESENTATIVE = [
  '/',
  '/quickstart/',
  '/from/express/',
  '/reference/limits/',
  '/why/performance/',
  '/errors/FW_INVALID_OPTION/',
  '/reference/static/',
]

/** Every page on the site, except the pages of individual errors. Those are similar, and `REPRESENTATIVE` contains one. */
const ALL = globSync('**/index.html', { cwd: DIST })
  .map((file) => `/${file.replace(/index\.html$/, '')}`)
  .filter((path) => !path.startsWith('/errors/'))

/** Number of search results that a reader considers. */
const MAX_RANK = 5

/** Search phrases, each with a page that must be among the first results. */
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

/** Console errors, failed requests and uncaught errors on any page, with the page's URL. */
const errors: string[] = []

function collectErrors(page: Page): void {
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${page.url()}: ${response.status()} for ${response.url()}`)
  })
}

afterEach(() => {
  const found = errors.splice(0)
  if (found.length > 0) throw new Error(`Errors in the browser:\n${found.join('\n')}`)
})

/** Opens a page and waits until it has loaded completely. */
async function open(path: string, options: { colorScheme?: 'dark' | 'light'; width?: number } = {}): Promise<Page> {
  const { colorScheme = 'dark', width = 1440 } = options
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
  collectErrors(page)
  // The page must not load anything from another origin.
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

  it.each(REPRESENTATIVE)('loads at most 60 KiB without layout shifts: %s', async (path) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const bodies: Promise<Buffer>[] = []
    const collect = (response: Response): number => bodies.push(response.body())
    page.on('response', collect)
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
    page.off('response', collect)
    const sizes = (await Promise.all(bodies)).map((body) => brotliCompressSync(body).length)
    await page.close()
    expect(shift).toBe(0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_PAGE_BYTES)
  })
})

describe('the site', () => {
  it('logs no console error and is not wider than a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    collectErrors(page)
    const wide: string[] = []
    for (const path of ALL) {
      await page.goto(origin + path, { waitUntil: 'load' })
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(path)
    }
    await page.close()
    expect(ALL.length).toBeGreaterThan(100)
    expect(wide).toEqual([])
  }, 300_000)

  it('shows the home-page picture above the fold', async () => {
    const page = await open('/')
    const box = await page.locator('.hero > img:visible').boundingBox()
    await page.close()
    expect((box?.y ?? Number.NaN) + (box?.height ?? Number.NaN)).toBeLessThan(900)
  })

  it.each([1440, 1152])('shows the programs of a migration page side by side at %i pixels', async (width) => {
    const page = await open('/from/express/', { width })
    const [before, after] = await Promise.all(
      ['#before', '#after'].map((heading) => page.locator(heading).boundingBox()),
    )
    await page.close()
    expect(after?.y).toBe(before?.y)
    expect(after?.x).toBeGreaterThan(before?.x ?? Number.NaN)
  })

  it('breaks identifiers in a narrow table between words', async () => {
    const page = await open('/reference/limits/', { width: 390 })
    const lines = await page.evaluate(() => {
      const code = Array.from(document.querySelectorAll('td:first-child code')).find(
        ({ textContent }) => textContent === 'maxRequestLineBytes',
      )
      const tops = Array.from(code?.childNodes ?? []).flatMap((node) => {
        const range = document.createRange()
        range.selectNodeContents(node)
        return node.nodeType === Node.TEXT_NODE ? [range.getClientRects().length] : []
      })
      return tops
    })
    await page.close()
    expect(lines).toEqual([1, 1, 1, 1])
  })

  it('shows charts on a phone at their natural size', async () => {
    const page = await open('/why/performance/', { width: 390 })
    const image = page.locator('img[src="/charts/http1.svg"]')
    await image.scrollIntoViewIfNeeded()
    await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.currentSrc)).toMatch(/http1-narrow\.svg$/)
    const [shown, natural] = await image.evaluate((node: HTMLImageElement) => [node.width, node.naturalWidth])
    await page.close()
    // Chart text has a font size of 13 pixels.
    expect(shown).toBeGreaterThan(0.9 * (natural ?? Number.NaN))
  })
})

describe('search', () => {
  it.each(SEARCHES)('finds "%s" on %s', async (phrase, expected) => {
    const page = await open('/quickstart/')
    // Passed as text, because vitest would replace the import.
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
  it('keeps text that is typed before it has loaded', async () => {
    const page = await open('/quickstart/')
    const typed = Promise.withResolvers<void>()
    const requested: string[] = []
    await page.route(/\/_astro\/ui-core/, async (route) => {
      requested.push(route.request().url())
      await typed.promise
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('trailing ')
    expect(await page.locator('.early-search').inputValue()).toBe('trailing ')
    typed.resolve()
    const field = page.locator('.pagefind-ui__search-input')
    await field.waitFor()
    await page.keyboard.type('slash')
    await page.waitForSelector('.pagefind-ui__result-link')
    expect(await field.inputValue()).toBe('trailing slash')
    expect(await page.locator('.early-search').count()).toBe(0)
    expect(requested).toHaveLength(1)
    await page.close()
  })
})
