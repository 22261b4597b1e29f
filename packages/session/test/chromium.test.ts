import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { launchChromium, testCertificate } from '@fw/testing'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memorySessions, sealedSession, session, type Sessions } from '../src/index.ts'

interface Data {
  visits: number
}

let browser: Browser
let context: BrowserContext
let secure: Server
let clear: Server
let secureUrl: string
let clearUrl: string

beforeAll(async () => {
  setSinks([])
  const { key, cert } = await testCertificate()
  secure = serverWith({ tls: { key, cert } })
  clear = serverWith({})
  secureUrl = (await secure.listen({ host: '127.0.0.1', port: 0 })).url.origin
  clearUrl = (await clear.listen({ host: '127.0.0.1', port: 0 })).url.origin
  browser = await launchChromium({ args: ['--host-resolver-rules=MAP example.test 127.0.0.1'] })
})
beforeEach(async () => {
  context = await browser.newContext({ ignoreHTTPSErrors: true })
})
afterEach(() => context.close())
afterAll(async () => {
  await browser?.close()
  await Promise.all([secure, clear].map((server) => server.close({ drainMs: 0 })))
})

function serverWith(options: ConstructorParameters<typeof Server>[0]): Server {
  const server = new Server(options)
  addRoutes(server.router().group('/sealed'), sealedSession<Data>({ secrets: ['only for a test: 32 random bytes'] }))
  addRoutes(server.router().group('/stored'), session<Data>({ store: memorySessions() }))
  return server
}

function addRoutes(router: ReturnType<Server['router']>, sessions: Sessions<Data>): void {
  router.use(sessions).get('/', async (ctx) => {
    const current = await sessions.of(ctx)
    current.update(({ visits = 0 }) => ({ visits: visits + 1 }))
    return ctx.html(`<title>${current.data.visits}</title>`)
  })
}

/** Opens a page twice. Returns its second title and the cookie names. */
async function visit(url: string): Promise<[title: string, ...cookies: string[]]> {
  const page = await context.newPage()
  await page.goto(url)
  await page.goto(url)
  return [await page.title(), ...(await context.cookies()).map(({ name }) => name)]
}

describe('Chromium', () => {
  it.each(['/sealed', '/stored'])('keeps a session over TLS: %s', async (path) => {
    expect(await visit(`${secureUrl}${path}`)).toEqual(['2', '__Host-session'])
  })

  it.each(['/sealed', '/stored'])('keeps a session on localhost without TLS: %s', async (path) => {
    expect(await visit(`${clearUrl}${path}`)).toEqual(['2', 'session'])
  })

  it.each(['/sealed', '/stored'])('does not keep a session on any other host without TLS: %s', async (path) => {
    const { port } = new URL(clearUrl)
    expect(await visit(`http://example.test:${port}${path}`)).toEqual(['1'])
  })
})
