import { rm } from 'node:fs/promises'
import { eachProtocol, tempFolder, type RunningServer, type ServerDemand } from '@fw/testing'
import { Server } from '@fw/core'
import { expect, it } from 'vitest'
import { staticFiles } from '../src/index.ts'

const LARGE = 1_500_000
const large = Buffer.from(Array.from({ length: LARGE / 4 }, (_, i) => i.toString(36).padStart(4, '0')).join(''))

async function start({ tls, http3 }: ServerDemand): Promise<RunningServer> {
  const folder = await tempFolder({
    'index.html': 'SHELL',
    'a.txt': 'hello',
    'app.js': 'IDENTITY',
    'app.js.br': 'BR',
    'large.bin': large,
  })
  const server = new Server(tls === undefined ? {} : { tls, http3 })
  staticFiles(server.router(), '/', folder.path, { spa: true, maxCachedFileBytes: 64 * 1024 })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return {
    port: Number(url.port),
    async close() {
      await server.close({ drainMs: 0 })
      await rm(folder.path, { recursive: true, force: true })
    },
  }
}

eachProtocol('static files', start, (client) => {
  it('sends a file, its head, and 304', async () => {
    const got = await client().request({ path: '/a.txt' })
    expect([got.status, await got.text()]).toEqual([200, 'hello'])
    const head = await client().request({ method: 'HEAD', path: '/a.txt' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', ''])
    const etag = got.headers.get('etag') ?? ''
    const same = await client().request({ path: '/a.txt', headers: [['if-none-match', etag]] })
    expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, ''])
  })

  it('sends a sidecar, a slice, the fallback, and 404', async () => {
    const coded = await client().request({ path: '/app.js', headers: [['accept-encoding', 'br']] })
    expect([coded.headers.get('content-encoding'), await coded.text()]).toEqual(['br', 'BR'])
    const slice = await client().request({ path: '/a.txt', headers: [['range', 'bytes=1-3']] })
    expect([slice.status, await slice.text()]).toEqual([206, 'ell'])
    const route = await client().request({ path: '/some/route' })
    expect([route.status, await route.text()]).toEqual([200, 'SHELL'])
    const missing = await client().request({ path: '/missing.js' })
    expect(missing.status).toBe(404)
    await missing.text()
  })

  it('streams large files to several at once, octet by octet', async () => {
    const bodies = Array.from({ length: 4 }, async () => {
      const response = await client().request({ path: '/large.bin' })
      expect(response.headers.get('content-length')).toBe(String(LARGE))
      return Buffer.from(await response.bytes())
    })
    for (const body of await Promise.all(bodies)) expect(body.equals(large)).toBe(true)
    const slice = await client().request({ path: '/large.bin', headers: [['range', 'bytes=70000-1400000']] })
    expect(Buffer.from(await slice.bytes()).equals(large.subarray(70_000, 1_400_001))).toBe(true)
  })

  it('goes on serving after a client gave up', async () => {
    const given = await client().request({ path: '/large.bin' })
    given.abort()
    const next = await client().request({ path: '/a.txt' })
    expect(await next.text()).toBe('hello')
  })
})
