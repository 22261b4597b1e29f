import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Server } from '@fw/core'
import { freePort, launchChromium } from '@fw/testing'
import { CuttableLine, RedisServer } from '@fw/testing/redis'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const EXAMPLE = join(import.meta.dirname, '../08-login')

let redis: RedisServer
let line: CuttableLine
let browser: Browser
/** The two processes of the example, which share one Redis server. */
const nodes: { readonly url: string; readonly process: ChildProcess }[] = []
/** A page on another site, because `127.0.0.1` and `localhost` are different sites. */
const site = new Server()
let siteUrl: string

async function startNode(): Promise<void> {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), REDIS_URL: line.url }
  const child = spawn(process.execPath, ['main.ts'], { cwd: EXAMPLE, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://localhost:${port}`
  nodes.push({ url, process: child })
  await vi.waitFor(async () => expect((await fetch(`${url}/login`)).status).toBe(200), { timeout: 60_000 })
}

beforeAll(async () => {
  redis = await RedisServer.start()
  line = await CuttableLine.to(redis.path)
  await Promise.all([startNode(), startNode()])
  site
    .router()
    .get('/', (ctx) =>
      ctx.html(`<form method="post" action="${nodes[0]?.url}/logout"><button>Win a prize</button></form>`),
    )
  siteUrl = (await site.listen({ host: '127.0.0.1', port: 0 })).url.origin
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  for (const { process: child } of nodes) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  await site.close({ drainMs: 0 })
  await line?.[Symbol.asyncDispose]()
  await redis?.[Symbol.asyncDispose]()
})

async function logIn(page: Page, password: string): Promise<number> {
  await page.goto(`${nodes[0]?.url}/login`)
  await page.fill('[name=name]', 'ada')
  await page.fill('[name=password]', password)
  const [response] = await Promise.all([page.waitForNavigation(), page.click('button')])
  return response?.status() ?? 0
}

async function sessionId(page: Page): Promise<string | undefined> {
  return (await page.context().cookies(nodes[0]?.url)).find(({ name }) => name === 'session')?.value
}

describe('a browser on two processes that share a Redis server', () => {
  it('logs in, gets another session id, is refused cross-site, and logs out on both', async () => {
    const page = await (await browser.newContext()).newPage()
    expect(await logIn(page, 'wrong')).toBe(403)
    const before = await sessionId(page)
    expect(before).toBeDefined()
    expect(await logIn(page, 'correct horse')).toBe(200)
    const after = await sessionId(page)
    expect(after).not.toBe(before)

    for (const { url } of nodes) {
      await page.goto(url)
      expect(await page.textContent('p')).toBe('Hello ada, after 1 wrong passwords')
    }

    await page.goto(siteUrl)
    const [refused] = await Promise.all([page.waitForNavigation(), page.click('button')])
    expect(refused?.status()).toBe(403)
    await page.goto(nodes[1]?.url ?? '')
    expect(await page.title()).toBe('Home')

    await Promise.all([page.waitForNavigation(), page.click('button')])
    for (const { url } of nodes) {
      // A copy of the cookie is as useless as the browser without it.
      const replay = await fetch(url, { headers: { cookie: `session=${after}` }, redirect: 'manual' })
      expect(replay.headers.get('location')).toBe('/login')
      await page.goto(url)
      expect(await page.title()).toBe('Log in')
    }
  })

  it('is limited after too many guesses, on both', async () => {
    const page = await (await browser.newContext()).newPage()
    // Units return while a slow machine hashes passwords.
    let status = 0
    for (let guess = 0; guess < 100 && status !== 429; guess++) status = await logIn(page, 'guess')
    expect(status).toBe(429)
    const body = new URLSearchParams({ name: 'ada', password: 'correct horse' })
    const other = await fetch(`${nodes[1]?.url}/login`, { method: 'POST', body })
    expect(other.status).toBe(429)
    expect(other.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
