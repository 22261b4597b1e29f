import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { launchChromium } from '@fw/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cors } from '../src/index.ts'

const api = new Server()
const site = new Server()
const other = new Server()
const requests: string[] = []
let browser: Browser
let apiUrl: string
let page: Page
let otherPage: Page

async function listen(server: Server): Promise<string> {
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  return url.origin
}

beforeAll(async () => {
  setSinks([])
  for (const each of [site, other]) each.router().get('/', (ctx) => ctx.html('<title>page</title>'))
  const siteUrl = await listen(site)
  const router = api.router()
  router.use((ctx, next) => {
    requests.push(`${ctx.method} ${ctx.path}`)
    return next()
  })
  router.use(cors({ origins: [siteUrl], credentials: true, exposedHeaders: ['x-total'] }))
  router.get('/login', (ctx) => {
    ctx.cookies.set('session', 'abc', { httpOnly: true })
    return 'signed in'
  })
  router.get('/notes', (ctx) => {
    ctx.responseHeaders.set('x-total', '7')
    ctx.responseHeaders.set('x-secret', '8')
    return 'notes'
  })
  router.put('/notes', async (ctx) => ({ session: ctx.cookies.get('session'), body: await ctx.json() }))
  router.get('/public', { cors: { origins: '*' } }, () => 'public')
  router.get('/failing', (ctx) => ctx.text('sorry', { status: 503 }))
  apiUrl = await listen(api)
  browser = await launchChromium()
  const context = await browser.newContext()
  page = await context.newPage()
  await page.goto(siteUrl)
  otherPage = await context.newPage()
  await otherPage.goto(await listen(other))
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([api, site, other].map((server) => server.close({ drainMs: 0 })))
})

interface Answer {
  readonly status: number
  readonly body: string
  readonly total: string | null
  readonly secret: string | null
}

interface PageRequest {
  readonly method?: string
  readonly credentials?: 'include'
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends a request from a page. @returns the response, or the error that the page receives instead */
function request(from: Page, path: string, init: PageRequest = {}): Promise<Answer | string> {
  return from.evaluate(
    async ({ url, options }) => {
      try {
        const response = await fetch(url, options)
        const { status, headers } = response
        return { status, body: await response.text(), total: headers.get('x-total'), secret: headers.get('x-secret') }
      } catch (error) {
        return String(error)
      }
    },
    { url: `${apiUrl}${path}`, options: init },
  )
}

describe('a page from a listed origin in Chromium', () => {
  it('reads the response and the exposed fields', async () => {
    expect(await request(page, '/notes')).toEqual({ status: 200, body: 'notes', total: '7', secret: null })
  })

  it('sends a PUT with JSON and cookies after a preflight', async () => {
    await request(page, '/login', { credentials: 'include' })
    requests.length = 0
    const headers = { 'content-type': 'application/json', 'x-trace': '1' }
    const init: PageRequest = { method: 'PUT', credentials: 'include', headers, body: '{"text":"hello"}' }
    const body = '{"session":"abc","body":{"text":"hello"}}'
    expect(await request(page, '/notes', init)).toMatchObject({ status: 200, body })
    expect(requests).toEqual(['OPTIONS /notes', 'PUT /notes'])
    // The browser caches the preflight result.
    await request(page, '/notes', init)
    expect(requests).toEqual(['OPTIONS /notes', 'PUT /notes', 'PUT /notes'])
  })

  it('cannot use a method for which the path has no route', async () => {
    requests.length = 0
    expect(await request(page, '/notes', { method: 'DELETE' })).toContain('TypeError')
    expect(requests).toEqual(['OPTIONS /notes'])
  })

  it('reads the status of an error', async () => {
    expect(await request(page, '/failing')).toMatchObject({ status: 503, body: 'sorry' })
  })
})

describe('a page from an unlisted origin in Chromium', () => {
  it('cannot read a response', async () => {
    expect(await request(otherPage, '/notes')).toContain('TypeError')
    expect(await request(otherPage, '/notes', { credentials: 'include' })).toContain('TypeError')
  })

  it('cannot send a request that needs a preflight', async () => {
    requests.length = 0
    expect(await request(otherPage, '/notes', { method: 'PUT', body: 'x' })).toContain('TypeError')
    expect(requests).toEqual(['OPTIONS /notes'])
  })

  it('reads the response from a route that allows every origin', async () => {
    expect(await request(otherPage, '/public')).toMatchObject({ status: 200, body: 'public' })
  })
})
