import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { launchChromium } from '@fw/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csp, CspNonce, securityHeaders } from '../src/index.ts'

const server = new Server()
const other = new Server()
let browser: Browser
let url: string
let otherUrl: string

beforeAll(async () => {
  setSinks([])
  const router = server.router()
  router.use(securityHeaders({ csp: csp({ 'script-src': [CspNonce, 'strict-dynamic'], 'object-src': ['none'] }) }))
  router.get('/page', (ctx) =>
    ctx.html(`<title>none</title>
      <script>document.title += ' injected'</script>
      <script nonce="wrong">document.title += ' guessed'</script>
      <script nonce="${ctx.get(CspNonce)}">
        document.title += ' own'
        const script = document.createElement('script')
        script.src = '/loaded.js'
        document.head.append(script)
      </script>
      <img src="x" onerror="document.title += ' attribute'">`),
  )
  router.get('/loaded.js', (ctx) => {
    ctx.responseHeaders.set('content-type', 'text/javascript')
    return "document.title += ' loaded'"
  })
  router.get('/without', (ctx) => ctx.html(`<title>none</title><script>document.title = 'injected'</script>`))
  url = (await server.listen({ host: '127.0.0.1', port: 0 })).url.origin
  // Browsers treat `localhost` and 127.0.0.1 as different sites.
  other.router().get('/', (ctx) => ctx.html(`<iframe src="${url}/page"></iframe>`))
  otherUrl = (await other.listen({ host: '127.0.0.1', port: 0 })).url.origin.replace('127.0.0.1', 'localhost')
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([server, other].map((each) => each.close({ drainMs: 0 })))
})

describe('a page in Chromium', () => {
  it('runs only the script with the nonce and the scripts that it loads', async () => {
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    await page.goto(`${url}/page`)
    await expect.poll(() => page.title()).toBe('none own loaded')
    // The browser reports the two scripts and the attribute in this order.
    expect(refused.filter((text) => /content security policy/i.test(text))).toHaveLength(3)
    await page.close()
  })

  it('does not run inline scripts if the handler does not read the nonce', async () => {
    const page = await browser.newPage()
    await page.goto(`${url}/without`)
    expect(await page.title()).toBe('none')
    await page.close()
  })

  it('receives a new nonce when it is opened again', async () => {
    const page = await browser.newPage()
    const nonceOf = (): Promise<unknown> =>
      page.evaluate('[...document.scripts].map((script) => script.nonce).find((nonce) => nonce.length === 22)')
    await page.goto(`${url}/page`)
    const first = await nonceOf()
    await page.goto(`${url}/without`)
    await page.goBack()
    await expect.poll(() => page.title()).toBe('none own loaded')
    expect(first).toMatch(/^[\w-]{22}$/)
    expect(await nonceOf()).not.toBe(first)
    await page.close()
  })

  it('is not shown in a frame on a different site', async () => {
    const page = await browser.newPage()
    await page.goto(otherUrl)
    const [frame] = page.mainFrame().childFrames()
    expect(await frame?.title()).not.toContain('own')
    await page.close()
  })
})
