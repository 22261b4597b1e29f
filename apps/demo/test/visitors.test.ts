import { accessLog, RequestLogger } from '@fw/access-log'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { sse } from '@fw/sse'
import { eachProtocol, tempFolder, type ServerDemand } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { handlerSources } from '../src/app/routes.ts'
import { Collector } from '../src/live/collector.ts'
import { Feed } from '../src/live/feed.ts'
import type { FeedEvents, WelcomeMessage } from '../src/live/messages.ts'
import { LogLines } from '../src/observe/log-lines.ts'
import { Observer } from '../src/observe/observer.ts'
import { Visitor, Visitors } from '../src/visitors.ts'
import { DemoProcess } from './demo-process.ts'

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close(): Promise<void> }> {
  log.setLevel(log.Level.Debug)
  const feed = new Feed(true)
  const collector = new Collector(feed, () => [])
  const observer = new Observer(collector)
  const visitors = new Visitors(observer.current)
  log.setSinks([new LogLines(observer.current, handlerSources(), false)])
  const server = new Server({ ...(tls && { tls: { key: tls.key, cert: tls.cert } }), http3, trustProxy: false })
  server
    .router()
    .use(...observer.around(accessLog()), observer.measured('visitor', visitors.middleware))
    .get('/events', async (ctx) => {
      const visitor = ctx.local(Visitor)
      return feed.follow(await sse<FeedEvents>(ctx), visitor, { visitor } as WelcomeMessage)
    })
    .get('/hello/:name', async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      ctx.local(RequestLogger).info('Greeting {}', ctx.params.name)
      return 'hello'
    })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return {
    port,
    async close() {
      observer.close()
      collector.close()
      await feed.close()
      await server.close({ drainMs: 0 })
    },
  }
}

eachProtocol("a visitor's feed in public mode", start, (client) => {
  /** Requests a path as a visitor, and reads a visitor's feed. */
  const get = (path: string, cookie?: string) =>
    client().request({ path, headers: cookie === undefined ? [] : [['cookie', cookie]] })
  const newVisitor = async (): Promise<string> => {
    const response = await get('/hello/first')
    await response.text()
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^(?:__Host-)?visitor=[\w-]{22}; .*HttpOnly.*SameSite=Strict/i)
    return cookie.split(';', 1)[0] ?? ''
  }
  const follow = async (cookie?: string): Promise<{ text(): string; stop(): void }> => {
    const response = await get('/events', cookie)
    let text = ''
    const decoder = new TextDecoder()
    void (async () => {
      for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true })
    })().catch(() => {})
    await expect.poll(() => text).toContain('event: welcome')
    return { text: () => text, stop: () => response.abort() }
  }

  it('shows a visitor only their own requests and log lines, even while others are in progress', async () => {
    const [ada, bob] = [await newVisitor(), await newVisitor()]
    expect(ada).not.toBe(bob)
    const [ofAda, ofBob, ofStranger] = [await follow(ada), await follow(bob), await follow()]
    const requests = [ada, bob, ada, bob, undefined].map((cookie, n) =>
      get(`/hello/${cookie === ada ? 'ada' : cookie === bob ? 'bob' : 'stranger'}-${n}`, cookie),
    )
    for (const response of await Promise.all(requests)) await response.text()
    await (await get('/nowhere/ada', ada)).text()

    for (const line of ['Greeting ada-0', 'Greeting ada-2', 'GET /hello/ada-0 200', 'GET /nowhere/ada 404']) {
      await expect.poll(() => ofAda.text()).toContain(line)
    }
    await expect.poll(() => ofBob.text()).toContain('GET /hello/bob-3 200')
    // All visitors receive the counts.
    for (const each of [ofAda, ofBob, ofStranger]) await expect.poll(() => each.text()).toContain('event: counts')
    expect(ofAda.text()).not.toMatch(/bob|stranger/)
    expect(ofBob.text()).not.toMatch(/ada|stranger/)
    expect(ofStranger.text()).not.toMatch(/ada-|bob-|stranger-|event: requests/)
    for (const each of [ofAda, ofBob, ofStranger]) each.stop()
  })
})

describe('DEMO_HOST', () => {
  it.each([{}, { DEMO_HOST: '' }])('defaults to loopback in the environment %j', async (environment) => {
    await using folder = await tempFolder()
    const ports = { DEMO_PORT: '0', DEMO_TLS_PORT: '0', DEMO_HTTP3: 'off', DEMO_TRAFFIC: 'off' }
    await using demo = new DemoProcess({ ...ports, DEMO_DATA_DIR: folder.path, DEMO_LOG_LEVEL: 'off', ...environment })
    const { cleartext, tls } = await demo.addresses()
    expect([cleartext.hostname, tls.hostname]).toEqual(['127.0.0.1', '127.0.0.1'])
    const other = fetch(`http://127.0.0.2:${cleartext.port}/healthz`)
    await expect(other).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })
})

describe("the demo's log", () => {
  it.each<[Record<string, string>, string]>([
    [{}, '127.0.0.1'],
    [{ DEMO_PROXIES: '1' }, '198.51.100.4'],
  ])('shows the client address $1 in the environment $0', async (environment, address) => {
    await using folder = await tempFolder()
    const ports = { DEMO_PORT: '0', DEMO_TLS_PORT: '0', DEMO_HTTP3: 'off', DEMO_TRAFFIC: 'off' }
    await using demo = new DemoProcess({ ...ports, DEMO_DATA_DIR: folder.path, ...environment })
    const { cleartext } = await demo.addresses()
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.4' }
    await (await fetch(new URL('/api/hello/x', cleartext), { headers })).text()
    await expect.poll(() => demo.stdout).toContain(`ms - ${address} (`)
  })
})
