import { readFile } from 'node:fs/promises'
import { createHash, X509Certificate } from 'node:crypto'
import { dirname } from 'node:path'
import { createRequire } from 'node:module'
import { launchChromium, tempFolder, type TempFolder } from '@fw/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DemoProcess } from './demo-process.ts'

/** A published application, unmodified. */
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

describe.each([
  { nextHop: 'http/1.1', logged: 'HTTP/1.1', shown: 'HTTP/1.1', short: 'h1', isTls: false, isQuic: false },
  { nextHop: 'h2', logged: 'HTTP/2.0', shown: 'HTTP/2', short: 'h2', isTls: true, isQuic: false },
  { nextHop: 'h3', logged: 'HTTP/3.0', shown: 'HTTP/3', short: 'h3', isTls: true, isQuic: true },
])('the demo in Chromium over $nextHop', ({ nextHop, logged, shown, short, isTls, isQuic }) => {
  let folder: TempFolder
  let demo: DemoProcess
  let browser: Browser
  let page: Page
  let origin: string
  /** Path, query and status of every response that the browser received. */
  const responses: { path: string; status: number }[] = []

  const readLog = async (): Promise<string[]> =>
    (await readFile(folder.join('demo.log'), 'utf8')).split('\n').slice(0, -1)

  beforeAll(async () => {
    folder = await tempFolder()
    demo = new DemoProcess({
      DEMO_HOST: '127.0.0.1',
      DEMO_PORT: '0',
      DEMO_TLS_PORT: '0',
      DEMO_DATA_DIR: folder.path,
      DEMO_FILES_DIR: SWAGGER_UI,
      DEMO_TRAFFIC: 'off',
      DEMO_HTTP3: isQuic ? 'on' : 'off',
    })
    const addresses = await demo.addresses()
    const { host } = isTls ? addresses.tls : addresses.cleartext
    origin = `${isTls ? 'https' : 'http'}://${host}`
    browser = await launchChromium(
      isTls
        ? { spki: await publicKeyHash(folder.join('certificate.pem')), ...(isQuic ? { quicOrigin: host } : {}) }
        : {},
    )
    page = await browser.newPage()
    page.on('response', (response) => {
      const url = new URL(response.url())
      if (url.origin === origin) responses.push({ path: url.pathname + url.search, status: response.status() })
    })
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.end('SIGKILL')
    await folder?.[Symbol.asyncDispose]()
  })

  it('serves an unmodified application with the content type of every asset', async () => {
    const types = new Map<string, string | undefined>()
    page.on('response', (response) => types.set(new URL(response.url()).pathname, response.headers()['content-type']))
    await page.goto(`${origin}/files/index.html`, { waitUntil: 'networkidle' })
    // The application renders itself after its bundles have run.
    await page.waitForSelector('#swagger-ui .swagger-ui')

    expect(Object.fromEntries(types)).toMatchObject({
      '/files/index.html': 'text/html; charset=utf-8',
      '/files/swagger-ui.css': 'text/css; charset=utf-8',
      '/files/index.css': 'text/css; charset=utf-8',
      '/files/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      '/files/swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
      '/files/swagger-initializer.js': 'text/javascript; charset=utf-8',
    })
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(await hopProtocols(page, origin)).toEqual([nextHop])
  })

  it('answers a reload with 304', async () => {
    // Wait for the entries of earlier requests, which can arrive late.
    const unlogged = async (): Promise<string[]> => {
      const text = (await readLog()).join('\n')
      return responses.map(({ path }) => path).filter((path) => !text.includes(`GET ${path} 200 `))
    }
    await expect.poll(unlogged).toEqual([])
    const before = (await readLog()).length
    await page.reload({ waitUntil: 'networkidle' })
    await page.waitForSelector('#swagger-ui .swagger-ui')
    // The browser reports status 200 and the cached body to the script, but the log shows the status that was sent.
    const statuses = async (): Promise<Record<string, string>> => {
      const lines = (await readLog()).slice(before)
      return Object.fromEntries(lines.map((line) => /GET \/files\/(\S+) (\d{3})/.exec(line)?.slice(1) ?? []))
    }
    await expect.poll(statuses).toMatchObject({
      'index.html': '304',
      'swagger-ui.css': '304',
      'index.css': '304',
      'swagger-ui-bundle.js': '304',
      'swagger-ui-standalone-preset.js': '304',
      'swagger-initializer.js': '304',
    })
    // Some files, such as the icon, can arrive for the first time only now. No file is loaded twice.
    const sent = (await readLog()).flatMap((line) => /GET \/files\/(\S+) 200 /.exec(line)?.[1] ?? [])
    expect(sent.filter((path, at) => sent.indexOf(path) !== at)).toEqual([])
  })

  it("draws the page's requests, starting with the one that delivered the page", async () => {
    await page.goto(`${origin}/`)
    await page.waitForFunction(() => document.querySelector('#t-life')?.textContent === 'GET /')
    expect(await page.textContent('#protocol')).toBe(shown)
    expect(await page.textContent('#life .head')).toContain(`200${shown}`)
    // Each key press sends a request. The page shows it with its log lines, and shows the oldest one at its line in the
    // handler.
    await page.keyboard.press('h')
    await page.waitForFunction(() => document.querySelector('#t-life')?.textContent === 'GET /api/hello/you')
    expect(await page.textContent('#life .log')).toContain('Greeting you')
    expect(await page.textContent('#life .hot')).toContain("log.info('Greeting {}', name)")
    expect(await page.getAttribute('#life .hot', 'data-n')).toBe('1')
    await page.waitForFunction(() => document.querySelectorAll('#list em').length >= 2)
    const protocols = await page.$$eval('#list .row:has(em) > span:first-child', (all) =>
      all.map((each) => each.textContent),
    )
    expect(new Set(protocols)).toEqual(new Set([short]))
  })

  it('logs every request as exactly one line with its protocol', async () => {
    responses.length = 0
    const marked = ['/?run=1', '/live.js?run=1', '/api/hello/log?run=1', '/api/teapot?run=1', '/files/missing.js?run=1']
    for (const path of marked) await page.evaluate((url) => fetch(url, { cache: 'no-store' }), path)
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const source = new EventSource('/events?run=1')
          source.addEventListener('welcome', () => {
            source.close()
            resolve()
          })
        }),
    )
    const wanted = [
      'GET /?run=1 200 OK',
      'GET /live.js?run=1 200 OK',
      'GET /api/hello/log?run=1 200 OK',
      "GET /api/teapot?run=1 418 I'm a Teapot",
      'GET /files/missing.js?run=1 404 Not Found',
      '[ABORTED] GET /events?run=1 200 OK',
    ]
    // An entry in Combined: duration, client address, size, protocol, and the referrer that the demo captures.
    const entry =
      /^\[.{23}\] \[[A-Z ]{5}\] \[[^\]]+\] ((?:\[ABORTED\] )?GET \S+\?run=1 \d{3} [A-Za-z' ]+) \d+\.\d\dms - 127\.0\.0\.1 \(\d+(?: B|\.\d KB)\) \[(.*?)\]/
    const entries = async (): Promise<string[]> => {
      const lines = (await readLog()).filter((line) => line.includes('?run=1'))
      return lines.map((line) => entry.exec(line)?.slice(1).join(' over ') ?? line)
    }
    await expect.poll(entries).toHaveLength(wanted.length)
    expect(new Set(await entries())).toEqual(new Set(wanted.map((line) => `${line} over ${logged}`)))
  })

  it('exits cleanly on Ctrl-C while a page is open', async () => {
    await page.goto(`${origin}/`)
    await page.waitForFunction(() => document.getElementById('state')?.textContent?.trim() === 'live')
    const { exitCode, stderr } = await demo.end('SIGINT')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(demo.stdout).toMatch(/Closed\n$/)
  })
})

/** Returns the protocols over which the page and its files were loaded. */
function hopProtocols(page: Page, origin: string): Promise<string[]> {
  return page.evaluate((own) => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    const loaded = entries as PerformanceResourceTiming[]
    return [...new Set(loaded.filter(({ name }) => name.startsWith(own)).map((entry) => entry.nextHopProtocol))]
  }, origin)
}

/** Returns the hash that Chromium's `--ignore-certificate-errors-spki-list` accepts. */
async function publicKeyHash(certFile: string): Promise<string> {
  const { publicKey } = new X509Certificate(await readFile(certFile))
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
}
