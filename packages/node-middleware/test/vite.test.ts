import { once, EventEmitter } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { tempFolder } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer, type ViteDevServer } from 'vite'
import { WebSocket } from 'ws'
import { fromNode, nodeRequest } from '../src/index.ts'

/** Receives the upgrades that a route passes on. */
const upgrades = new EventEmitter()
const server = new Server()
let vite: ViteDevServer
let origin = ''

beforeAll(async () => {
  setSinks([])
  const { path } = await tempFolder()
  await writeFile(`${path}/index.html`, '<title>page</title><script type="module" src="/main.ts"></script>')
  await writeFile(`${path}/main.ts`, 'const text: string = "typed"\ndocument.title = text\n')
  vite = await createServer({
    root: path,
    configFile: false,
    logLevel: 'silent',
    cacheDir: `${path}/cache`,
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, hmr: { server: upgrades as HttpServer }, watch: null },
  })
  const router = server.router()
  router.use((ctx, next) => {
    const { upgrade } = ctx.exchange
    if (upgrade === undefined || ctx.headers.get('sec-websocket-protocol') !== 'vite-hmr') return next()
    const request = nodeRequest(ctx)
    const { socket, head } = upgrade()
    return void upgrades.emit('upgrade', request, socket, Buffer.from(head))
  })
  // Vite sends its page for every path that reaches it.
  router.get('/api', () => 'an fw handler')
  router.use(fromNode(vite.middlewares))
  origin = (await server.listen({ port: 0, host: '127.0.0.1' })).url.origin
})

afterAll(async () => {
  await vite.close()
  await server.close({ drainMs: 0 })
})

describe('the development server of Vite', () => {
  it.each(['/', '/index.html'])('serves the page at %s with its client', async (path) => {
    const response = await fetch(origin + path, { headers: { accept: 'text/html' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html'])
    expect(await response.text()).toMatch(/\/@vite\/client[^]*<title>page<\/title>/)
  })

  it('transforms TypeScript', async () => {
    const response = await fetch(`${origin}/main.ts`)
    expect(response.headers.get('content-type')).toBe('text/javascript')
    expect(await response.text()).toMatch(/^const text = "typed";?\n/)
  })

  it('sends 304 for a module that the page has', async () => {
    const etag = (await fetch(`${origin}/main.ts`)).headers.get('etag') ?? ''
    expect((await fetch(`${origin}/main.ts`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  it('serves the page through server.fetch', async () => {
    const response = await server.fetch('/', { headers: { accept: 'text/html', host: 'localhost' } })
    expect(await response.text()).toContain('/@vite/client')
  })

  it('leaves routes that were registered before to fw', async () => {
    expect(await (await fetch(`${origin}/api`)).text()).toBe('an fw handler')
  })

  it('connects the page for updates', async () => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/?token=${vite.config.webSocketToken}`, 'vite-hmr')
    const [message] = (await once(socket, 'message')) as [Buffer]
    expect(JSON.parse(message.toString())).toEqual({ type: 'connected' })
    socket.close()
    await once(socket, 'close')
  })
})
