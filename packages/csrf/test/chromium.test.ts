import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { launchChromium } from '@fw/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { csrf, type CsrfRefusal } from '../src/index.ts'

const bank = new Server()
const site = new Server()
/** The bank's decisions: the path of a request that passed, or the field that caused a refusal. */
const decisions: (string | CsrfRefusal)[] = []
let browser: Browser
let context: BrowserContext
/** The bank at each address. The browser treats `localhost` as a different site. */
let bankUrl: string
let bankPort: string
let siteUrl: string

beforeAll(async () => {
  setSinks([])
  const router = bank.router()
  router.use(
    csrf({
      onRefused: (ctx, refusal) => {
        decisions.push(refusal)
        return ctx.html('<title>refused</title>')
      },
    }),
  )
  router.get('/', (ctx) => ctx.html(formPage('')))
  router.get('/no-referrer', (ctx) => {
    ctx.responseHeaders.set('referrer-policy', 'no-referrer')
    return ctx.html(formPage(''))
  })
  router.post('/transfers', (ctx) => {
    decisions.push(ctx.path)
    return ctx.html('<title>transferred</title>')
  })
  router.get('/socket', (ctx) => {
    if (ctx.exchange.upgrade !== undefined) decisions.push(ctx.path)
    return 'no upgrade'
  })
  site.router().get('/', (ctx) => ctx.html(formPage(bankUrl)))
  const listening = await bank.listen({ host: '127.0.0.1', port: 0 })
  bankUrl = listening.url.origin
  bankPort = listening.url.port
  siteUrl = (await site.listen({ host: '127.0.0.1', port: 0 })).url.origin
  browser = await launchChromium()
  context = await browser.newContext()
})
afterEach(() => {
  decisions.length = 0
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([bank, site].map((server) => server.close({ drainMs: 0 })))
})

function formPage(target: string): string {
  return `<form method="post" action="${target}/transfers"><button>send</button></form>`
}

async function open(url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** Submits the form on a page. Returns the title of the response. */
async function sendForm(url: string): Promise<string> {
  const page = await open(url)
  await Promise.all([page.waitForNavigation(), page.click('button')])
  return page.title()
}

/** Opens a WebSocket from a page. Waits until it fails or opens. */
async function openSocket(url: string, socketUrl: string): Promise<void> {
  const page = await open(url)
  await page.evaluate(
    (target) =>
      new Promise((resolve) => {
        const socket = new WebSocket(target)
        socket.onopen = socket.onerror = resolve
      }),
    socketUrl,
  )
}

describe('a form in Chromium', () => {
  it('is accepted on its own site', async () => {
    expect(await sendForm(bankUrl)).toBe('transferred')
    expect(decisions).toEqual(['/transfers'])
  })

  it('is accepted on its own site without a referrer, despite its null Origin', async () => {
    expect(await sendForm(`${bankUrl}/no-referrer`)).toBe('transferred')
  })

  it('is refused on a different port of the same site', async () => {
    expect(await sendForm(siteUrl)).toBe('refused')
    expect(decisions).toEqual([{ field: 'sec-fetch-site', value: 'same-site' }])
  })

  it('is refused on a different site', async () => {
    expect(await sendForm(siteUrl.replace('127.0.0.1', 'localhost'))).toBe('refused')
    expect(decisions).toEqual([{ field: 'sec-fetch-site', value: 'cross-site' }])
  })

  it('is refused in a sandboxed frame, whose origin is null', async () => {
    const page = await open(siteUrl)
    await page.setContent(`<iframe sandbox="allow-forms" src="${bankUrl}/"></iframe>`)
    await page.frameLocator('iframe').locator('button').click()
    await expect.poll(() => decisions).toEqual([{ field: 'sec-fetch-site', value: 'cross-site' }])
  })
})

describe('a WebSocket in Chromium', () => {
  it('reaches the handler from its own site', async () => {
    await openSocket(bankUrl, `ws://127.0.0.1:${bankPort}/socket`)
    expect(decisions).toEqual(['/socket'])
  })

  it('is refused from a different site', async () => {
    await openSocket(siteUrl.replace('127.0.0.1', 'localhost'), `ws://127.0.0.1:${bankPort}/socket`)
    expect(decisions).toHaveLength(1)
    expect(decisions[0]).toHaveProperty('field')
  })
})
