import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { launchChromium, testCertificate } from '@fw/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webSocket, type WebSocketClose } from '../src/index.ts'

let browser: Browser

beforeAll(async () => {
  setSinks([])
  browser = await launchChromium({ spki: (await testCertificate()).spkiSha256 })
})
afterAll(() => browser?.close())

interface Site {
  readonly server: Server
  readonly origin: string
  /** URL of the WebSocket route at `path`. */
  readonly socketUrl: (path: string) => string
  /** Protocol version and connection of each request and each socket. */
  readonly seen: string[]
  readonly closes: WebSocketClose[]
}

/** Starts a server with a page, and with routes for WebSockets. */
async function site(http2: boolean, origins: readonly string[] = []): Promise<Site> {
  const { key, cert } = await testCertificate()
  const server = new Server({ tls: { key, cert }, http2 })
  const seen: string[] = []
  const closes: WebSocketClose[] = []
  const router = server.router()
  router.use((ctx, next) => {
    const { method, path, protocol, exchange } = ctx
    if (path !== '/favicon.ico') seen.push(`${method} ${path} ${protocol} ${exchange.remotePort}`)
    return next()
  })
  router.get('/', (ctx) => ctx.html('<title>page</title>'))
  webSocket(
    router,
    '/echo',
    { protocols: ['echo.v1'], compression: true, maxMessageBytes: 2 ** 20 },
    {
      message: (socket, data) => socket.send(data),
      close: (_, close) => void closes.push(close),
    },
  )
  webSocket(router, '/plain', {}, { open: (socket) => socket.send('plain') })
  webSocket(router, '/shared', { origins }, { open: (socket) => socket.send('shared') })
  const { port, url } = await server.listen({ host: '127.0.0.1', port: 0 })
  const { origin } = url
  return { server, origin, seen, closes, socketUrl: (path) => `wss://127.0.0.1:${port}${path}` }
}

async function openPage(origin: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(origin)
  return page
}

/** Opens a socket in a page. Resolves with the first message, or with `refused`. */
function firstMessage(page: Page, url: string): Promise<string> {
  return page.evaluate(
    (target) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(target)
        socket.onmessage = ({ data }) => {
          resolve(String(data))
          socket.close()
        }
        socket.onerror = () => resolve('refused')
      }),
    url,
  )
}

describe.each([
  ['HTTP/1.1', false],
  ['HTTP/2.0', true],
] as const)('a WebSocket of a page in Chromium over %s', (protocol, http2) => {
  it('exchanges text and binary messages with a subprotocol and compression, and closes with a reason', async () => {
    const { server, origin, socketUrl, seen, closes } = await site(http2)
    const page = await openPage(origin)
    const result = await page.evaluate(async (url) => {
      const socket = new WebSocket(url, ['other', 'echo.v1'])
      socket.binaryType = 'arraybuffer'
      const received: unknown[] = []
      const next = (): Promise<unknown> => new Promise((resolve) => (socket.onmessage = ({ data }) => resolve(data)))
      await new Promise((resolve, reject) => {
        socket.onopen = resolve
        socket.onerror = reject
      })
      for (const message of ['hällo', 'x'.repeat(300_000), new Uint8Array([0, 255])]) {
        const reply = next()
        socket.send(message)
        const data = await reply
        received.push(
          data instanceof ArrayBuffer ? [...new Uint8Array(data)] : (data as string).slice(0, 5),
          (data as string).length,
        )
      }
      const closed = new Promise<CloseEvent>((resolve) => (socket.onclose = resolve))
      socket.close(4001, 'bye')
      const { code, reason, wasClean } = await closed
      return { received, protocol: socket.protocol, extensions: socket.extensions, code, reason, wasClean }
    }, socketUrl('/echo'))
    expect(result).toMatchObject({
      received: ['hällo', 5, 'xxxxx', 300_000, [0, 255], undefined],
      protocol: 'echo.v1',
      code: 4001,
      reason: 'bye',
      wasClean: true,
    })
    expect(result.extensions).toContain('permessage-deflate')
    await expect.poll(() => closes).toEqual([{ code: 4001, reason: 'bye', clean: true }])

    // On HTTP/2, the socket is a stream of the connection that delivered the page.
    const [pageRequest = '', socketRequest = ''] = seen.filter(
      (each) => each.includes(' / ') || each.includes(' /echo '),
    )
    const [, , , pagePort] = pageRequest.split(' ')
    const [method, , version, socketPort] = socketRequest.split(' ')
    expect(version).toBe(protocol)
    expect(method).toBe(http2 ? 'CONNECT' : 'GET')
    expect(socketPort === pagePort).toBe(http2)
    await page.close()
    await server.close({ drainMs: 0 })
  })

  it('cannot be opened by a page from another site, unless the route allows its origin', async () => {
    const other = await site(http2)
    const { server, origin, socketUrl } = await site(http2, [other.origin.replace('127.0.0.1', 'localhost')])
    // `localhost` and 127.0.0.1 are different sites.
    const foreign = await openPage(other.origin.replace('127.0.0.1', 'localhost'))
    expect(await firstMessage(foreign, socketUrl('/plain'))).toBe('refused')
    expect(await firstMessage(foreign, socketUrl('/shared'))).toBe('shared')
    const own = await openPage(origin)
    expect(await firstMessage(own, socketUrl('/plain'))).toBe('plain')
    expect(await firstMessage(own, socketUrl('/shared'))).toBe('refused')
    await own.setContent(`<iframe sandbox="allow-scripts" srcdoc="<p>sandboxed</p>"></iframe>`)
    const frame = own.frames().find((each) => each !== own.mainFrame())
    const sandboxed = await frame?.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(url)
          socket.onopen = () => resolve('open')
          socket.onerror = () => resolve('refused')
        }),
      socketUrl('/plain'),
    )
    expect(sandboxed).toBe('refused')
    await Promise.all([server, other.server].map((each) => each.close({ drainMs: 0 })))
  })

  it('is closed with 1001 when the server closes', async () => {
    const { server, origin, socketUrl } = await site(http2)
    const page = await openPage(origin)
    await page.evaluate((url) => {
      const socket = new WebSocket(url)
      const closed = new Promise((resolve) => {
        socket.onclose = ({ code, reason, wasClean }) => resolve([code, reason, wasClean])
      })
      Object.assign(globalThis, { socketClosed: closed })
      return new Promise((resolve) => (socket.onmessage = () => resolve(undefined)))
    }, socketUrl('/plain'))
    await server.close({ drainMs: 20_000 })
    const closed = await page.evaluate(() => (globalThis as { socketClosed?: Promise<unknown> }).socketClosed)
    expect(closed).toEqual([1001, expect.stringMatching(/^retry-after=\d+$/), true])
  })
})
