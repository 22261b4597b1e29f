import { compress } from '@fw/compress'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { checkPreconditions, etag } from '../src/index.ts'

const TEXT = 'hello '.repeat(1000)
const BYTES = new Uint8Array(5000).fill(7)

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router().use(etag())
  router.get('/text', () => TEXT)
  router.get('/bytes', (ctx) => ctx.bytes(BYTES))
  router.get('/own', (ctx) => {
    ctx.responseHeaders.set('etag', '"own"')
    return TEXT
  })
  router.get('/stream', () => new Blob([TEXT]).stream())
  router.put('/state', (ctx) => void checkPreconditions(ctx, { etag: '"v7"' }))
  const note = router.group('/note').use(compress())
  note.get('/', (ctx) => (checkPreconditions(ctx, { etag: '"v7"', required: true }) ? ctx.text(TEXT) : undefined))
  note.put('/', (ctx) => void checkPreconditions(ctx, { etag: '"v7"', required: true }))
  router
    .group('/compressed')
    .use(compress(), etag())
    .get('/text', () => TEXT)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('etag()', start, (client) => {
  const ask = async (path: string, fields: Record<string, string> = {}, method = 'GET') => {
    const response = await client().request({ method, path, headers: Object.entries(fields) })
    const { length } = await response.bytes()
    return { status: response.status, length, headers: response.headers }
  }

  it.each(['/text', '/bytes', '/own'])('sends 304 without a body to a client that has %s', async (path) => {
    const first = await ask(path)
    const tag = first.headers.get('etag') ?? ''
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[\w-]+"$/)])
    for (const method of ['GET', 'HEAD']) {
      const second = await ask(path, { 'if-none-match': tag }, method)
      expect([second.status, second.length, second.headers.get('etag')]).toEqual([304, 0, tag])
      expect(second.headers.get('content-type')).toBeNull()
    }
    const other = await ask(path, { 'if-none-match': '"other"' })
    expect([other.status, other.length]).toEqual([200, first.length])
  })

  it('sends the same tag for HEAD as for GET', async () => {
    const [get, head] = [await ask('/text'), await ask('/text', {}, 'HEAD')]
    expect([head.status, head.length, head.headers.get('etag')]).toEqual([200, 0, get.headers.get('etag')])
  })

  it('sends a stream without a tag', async () => {
    const { status, length, headers } = await ask('/stream', { 'if-none-match': '*' })
    expect([status, length, headers.get('etag')]).toEqual([200, TEXT.length, null])
  })

  it('sends 412 instead of a body if If-Match names a different tag', async () => {
    const { status, headers } = await ask('/text', { 'if-match': '"other"' })
    expect([status, headers.get('content-type')]).toEqual([412, 'application/problem+json'])
    expect(headers.get('etag')).toBeNull()
  })

  it('refuses a change to an old version', async () => {
    expect((await ask('/state', { 'if-match': '"v6"' }, 'PUT')).status).toBe(412)
    expect((await ask('/state', { 'if-match': '"v7"' }, 'PUT')).status).toBe(204)
  })

  it('sends a tag under compression that If-Match accepts', async () => {
    const { headers } = await ask('/note', { 'accept-encoding': 'gzip' })
    const tag = headers.get('etag') ?? ''
    expect([tag, headers.get('content-encoding')]).toEqual(['"v7"', null])
    expect((await ask('/note', { 'if-match': tag }, 'PUT')).status).toBe(204)
  })

  it('tags the plain body under compression and recognizes the weak tag', async () => {
    const { headers, length } = await ask('/compressed/text', { 'accept-encoding': 'gzip' })
    const tag = headers.get('etag') ?? ''
    expect([headers.get('content-encoding'), tag.startsWith('W/"'), length < TEXT.length]).toEqual(['gzip', true, true])
    const second = await ask('/compressed/text', { 'accept-encoding': 'gzip', 'if-none-match': tag })
    expect([second.status, second.length, second.headers.get('etag')]).toEqual([304, 0, tag])
  })
})
