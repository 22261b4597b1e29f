import { request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { connect, freePort, launchChromium, tempFolder, type TempFolder } from '@fw/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DemoProcess } from './demo-process.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
/** Maximum compressed size of a page with all its files, in bytes. */
const MAX_PAGE_BYTES = 90 * 1024
/** Accessibility rules that the page follows. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

async function startDemo(
  folder: TempFolder,
  settings: Record<string, string> = {},
): Promise<{ demo: DemoProcess; origin: string }> {
  const ports = { DEMO_PORT: '0', DEMO_TLS_PORT: '0', DEMO_HTTP3: 'off', DEMO_TRAFFIC: 'off' }
  const demo = new DemoProcess({ ...ports, DEMO_DATA_DIR: folder.path, ...settings })
  const { cleartext } = await demo.addresses()
  return { demo, origin: `http://127.0.0.1:${cleartext.port}` }
}

/** Opens the page, and waits until it is connected to the feed and shows the request that delivered it. */
async function open(origin: string, options: BrowserContextOptions, query = ''): Promise<Page> {
  const context = await browser.newContext({ viewport: WIDE, ...options })
  const page = await context.newPage()
  await page.goto(`${origin}/${query}`)
  await isLive(page)
  await page.waitForFunction(() => document.querySelector('#t-life')?.textContent === 'GET /')
  return page
}

async function isLive(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getElementById('state')?.textContent?.trim() === 'live')
}

async function sayHello(page: Page): Promise<void> {
  await page.keyboard.press('h')
  await page.waitForFunction(() => document.querySelector('#t-life')?.textContent === 'GET /api/hello/you')
}

describe('the page', () => {
  let folder: TempFolder
  let demo: DemoProcess
  let origin: string
  beforeAll(async () => {
    folder = await tempFolder()
    ;({ demo, origin } = await startDemo(folder))
  })
  afterAll(async () => {
    await demo?.end('SIGKILL')
    await folder?.[Symbol.asyncDispose]()
  })

  it.each(['dark', 'light'] as const)('has no accessibility violation in %s', async (colorScheme) => {
    const source = await readFile(AXE, 'utf8')
    const found: unknown[] = []
    const check = async (page: Page, view: string): Promise<void> => {
      // The page's policy forbids injected scripts, but not scripts from the debugger.
      await page.evaluate(source)
      const violations = await page.evaluate(async (values) => {
        const axe = (
          window as unknown as { axe: { run(node: Node, options: object): Promise<{ violations: AxeViolation[] }> } }
        ).axe
        return (await axe.run(document, { runOnly: { type: 'tag', values } })).violations
      }, RULES)
      found.push(
        ...violations.map(({ id, nodes }) => ({ view, id, nodes: nodes.map(({ target }) => target.join(' ')) })),
      )
    }
    const wide = await open(origin, { colorScheme })
    await sayHello(wide)
    await check(wide, 'wide')
    await wide.keyboard.press('?')
    await check(wide, 'dialog')
    await wide.context().close()
    const phone = await open(origin, { colorScheme, viewport: PHONE, hasTouch: true })
    await sayHello(phone)
    for (const view of ['live', 'life', 'race', 'break', 'restart']) {
      await phone.click(`#tabs [data-view=${view}]`)
      await check(phone, view)
    }
    await phone.context().close()
    expect(found).toEqual([])
  })

  it.each([
    ['a desktop', WIDE],
    ['a phone', PHONE],
  ])('loads at most 90 KiB on %s without layout shifts or policy violations', async (_name, viewport) => {
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    const complaints: string[] = []
    const hosts = new Set<string>()
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await page.goto(`${origin}/`)
    await isLive(page)
    if (viewport === WIDE) await sayHello(page)
    const { shift, bytes } = await page.evaluate(async () => {
      const shifts = new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 300)
      })
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      const sizes = (entries as PerformanceResourceTiming[]).map(({ transferSize }) => transferSize)
      return { shift: await shifts, bytes: sizes.reduce((a, b) => a + b, 0) }
    })
    expect(complaints).toEqual([])
    expect([...hosts]).toEqual([origin])
    expect(shift).toBe(0)
    expect(bytes).toBeGreaterThan(20_000)
    expect(bytes).toBeLessThan(MAX_PAGE_BYTES)
    await context.close()
  })

  it('does not move for visitors who prefer reduced motion', async () => {
    const page = await open(origin, { reducedMotion: 'reduce' })
    // The first race changes its panel and the ribbons.
    await page.waitForFunction(() => /won|close/.test(document.getElementById('raced')?.textContent ?? ''))
    await sayHello(page)
    await page.mouse.move(0, 0)
    const look = async (): Promise<Buffer> => {
      const mask = ['#kpis', '#core', '.to span', '.from span', '.restart'].map((selector) => page.locator(selector))
      return page.screenshot({ mask })
    }
    // Wait until the figures for the second in which the request arrived are final.
    await page.waitForFunction(() => document.querySelector('#kpis b')?.textContent === '0')
    const first = await look()
    await page.waitForTimeout(1000)
    // Masks overlap rounded corners, whose pixels can differ.
    expect(await differingPixels(first, await look())).toBeLessThan(50)
    await page.context().close()
  })

  it('can be used with the keyboard alone, and always shows the focus', async () => {
    const page = await open(origin, {})
    const wanted = await page.evaluate(
      () =>
        [...document.querySelectorAll<HTMLElement>('button:not(:disabled), a[href], input, [tabindex="0"]')].filter(
          (each) => each.checkVisibility(),
        ).length,
    )
    const reached = new Set<string>()
    for (let n = 0; n < wanted; n++) {
      await page.keyboard.press('Tab')
      const { name, outline } = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        return { name: element.outerHTML.slice(0, 120), outline: `${outlineStyle} ${outlineWidth}` }
      })
      expect({ name, outline }).toEqual({ name, outline: 'solid 2px' })
      reached.add(name)
    }
    expect(reached.size).toBe(wanted)

    await page.focus('#list')
    await sayHello(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('filter')
    await page.keyboard.type('h')
    expect(await page.inputValue('#filter')).toBe('h')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.uncheck('#single')
    await page.keyboard.press('Escape')
    await page.keyboard.press('t')
    expect(await page.getAttribute('html', 'data-theme')).toBe('light')
    await page.context().close()
  })

  it('shows the effect of a fault, and its request in the list', async () => {
    const page = await open(origin, {})
    await page.click('[data-fault=throw]')
    await page.waitForFunction(() =>
      document.getElementById('broke')?.textContent?.includes('500 Internal Server Error and no stack trace'),
    )
    expect(await page.textContent('#broke')).toContain('failed on purpose')
    await page.click('#only [data-only=failed]')
    await page.waitForSelector('#list .row:has-text("/api/break/throw")')
    await page.fill('#filter', 'nothing has this')
    expect(await page.textContent('#list')).toBe('Nothing matches.')
    await page.context().close()
  })

  it('explains the HTTP/3 lane when HTTP/3 is off', async () => {
    const page = await open(origin, {})
    expect(await page.textContent('#from li:last-child')).toContain('npm i @matrixai/quic')
    await page.context().close()
  })

  it('replaces four processes under load without a failed request', async () => {
    const page = await open(origin, {})
    await page.waitForFunction(() => /port [1-9]/.test(document.getElementById('rstate')?.textContent ?? ''))
    const port = Number(/port (\d+)/.exec((await page.textContent('#rstate')) ?? '')?.[1])
    const before = await page.$$eval('#procs .mono', (all) => all.map((each) => each.textContent))
    let isOver = false
    const statuses: number[] = []
    const load = (async () => {
      const client = await connect('h1', { port })
      while (!isOver) {
        const response = await client.request({ path: '/' })
        await response.text()
        statuses.push(response.status)
      }
      await client.close()
    })()
    await page.keyboard.press('3')
    await expect
      .poll(
        async () => {
          const now = await page.$$eval('#procs .mono', (all) => all.map((each) => each.textContent))
          return now.filter((pid) => !before.includes(pid)).length
        },
        { timeout: 120_000 },
      )
      .toBe(4)
    isOver = true
    await load
    expect(statuses.length).toBeGreaterThan(10)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect(await page.textContent('#failed')).toBe('0')
    await page.context().close()
  })

  it.each([
    ['a foreign host', 421, { method: 'GET', path: '/', headers: { host: 'evil.example' } }],
    ['a port that is not ours', 421, { method: 'GET', path: '/', headers: { host: 'localhost:1' } }],
    ['a POST without an origin', 403, { method: 'POST', path: '/api/live/restart', headers: {} }],
    [
      'a POST from a foreign page',
      403,
      { method: 'POST', path: '/api/echo', headers: { origin: 'http://evil.example' } },
    ],
  ])('refuses %s with %i', async (_name, status, options) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const request = httpRequest(origin, options, (response) => resolve(response.resume().statusCode))
    request.on('error', reject).end()
    expect(await promise).toBe(status)
  })

  it('limits faults to one per second', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 3 }, () =>
        post(`${origin}/api/live/break/garbled`, { origin, cookie: `visitor=${'x'.repeat(22)}` }),
      ),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })
})

interface AxeViolation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[] }[]
}

async function post(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers })
  await response.arrayBuffer()
  return response.status
}

/** Follows the feed from a page. Returns a function that returns the received events. */
async function feedOf(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const received: string[] = []
    const source = new EventSource('/events')
    for (const name of ['welcome', 'counts', 'requests', 'second']) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) => received.push(data))
    }
    Object.assign(window, { received })
  })
  return () => page.evaluate(() => (window as unknown as { received: string[] }).received.join('\n'))
}

/** Returns the number of pixels that differ between two pictures of the same size. */
async function differingPixels(first: Buffer, second: Buffer): Promise<number> {
  const page = await browser.newPage()
  const count = await page.evaluate(
    async (pictures) => {
      const [a, b] = await Promise.all(
        pictures.map(async (picture) => {
          const image = new Image()
          image.src = `data:image/png;base64,${picture}`
          await image.decode()
          const canvas = new OffscreenCanvas(image.width, image.height)
          const context = canvas.getContext('2d')
          context?.drawImage(image, 0, 0)
          return new Uint32Array(
            context?.getImageData(0, 0, image.width, image.height).data.buffer ?? new ArrayBuffer(0),
          )
        }),
      )
      return a?.filter((pixel, n) => pixel !== b?.[n]).length ?? Infinity
    },
    [first.toString('base64'), second.toString('base64')],
  )
  await page.close()
  return count
}

describe('the page after its process was killed', () => {
  it('connects to the next process within 3 s, and keeps its content', async () => {
    await using folder = await tempFolder()
    const settings = { DEMO_PORT: String(await freePort()) }
    const { demo, origin } = await startDemo(folder, settings)
    const page = await open(origin, {})
    await sayHello(page)
    await demo.end('SIGKILL')
    await page.waitForFunction(
      () => document.getElementById('state')?.textContent?.trim() === 'restarting, nothing lost',
    )
    expect(await page.textContent('#t-life')).toBe('GET /api/hello/you')
    const next = await startDemo(folder, settings)
    const restarted = performance.now()
    await isLive(page)
    expect(performance.now() - restarted).toBeLessThan(3000)
    expect(await page.$$eval('#list em', (all) => all.length)).toBeGreaterThan(1)
    await sayHello(page)
    await page.context().close()
    await next.demo.end('SIGKILL')
  })
})

describe('the page on a public address', () => {
  it('hides two visitors from each other, and turns off expensive features', async () => {
    await using folder = await tempFolder()
    const { demo, origin } = await startDemo(folder, { DEMO_HOST: '0.0.0.0' })
    const [ada, bob] = await Promise.all([open(origin, {}), open(origin, {})])
    const [ofAda, ofBob] = [await feedOf(ada), await feedOf(bob)]
    await ada.evaluate(() => fetch('/api/hello/secret-of-ada?token=secret-of-ada'))
    await bob.evaluate(() => fetch('/nowhere/secret-of-bob'))
    await expect.poll(ofAda).toContain('Greeting secret-of-ada')
    await expect.poll(ofBob).toContain('/nowhere/secret-of-bob')
    // When the counts of both requests have arrived, all other events about them have arrived too.
    await ada.waitForTimeout(1500)
    expect(await ofAda()).not.toContain('secret-of-bob')
    expect(await ofBob()).not.toContain('secret-of-ada')
    for (const page of [ada, bob]) {
      expect(await page.isVisible('#traffic')).toBe(false)
      expect(await page.isDisabled('[data-fault=throw]')).toBe(true)
      expect(await page.isDisabled('#restart')).toBe(true)
    }
    for (const path of ['break/throw', 'restart', 'traffic/busy']) {
      expect(await post(`${origin}/api/live/${path}`, { origin })).toBe(404)
    }
    await ada.context().close()
    await bob.context().close()
    await demo.end('SIGKILL')
  })
})
