import { once } from 'node:events'
import { createServer, type Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'

const TEXT = 'hello '.repeat(500)
const CODED: Readonly<Record<string, (text: string) => Uint8Array>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  'gzip, br': (text) => brotliCompressSync(gzipSync(text)),
  'x-own': (text) => Buffer.from(text),
}

describe('a Response from fetch()', () => {
  let upstream: NodeServer
  let base = ''

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const coding = decodeURIComponent((request.url ?? '/').slice(1))
      const body = CODED[coding]?.(TEXT) ?? Buffer.from(TEXT)
      response.setHeaders(new Headers({ 'content-length': String(body.byteLength), connection: 'close', 'x-own': '1' }))
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      if (coding in CODED) response.setHeader('content-encoding', coding)
      response.end(body)
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  })

  afterAll(() => {
    upstream.close()
  })

  const through = async (coding: string, method = 'GET'): Promise<Response> => {
    const app = new App()
    app.router.all('/*path', (ctx) => fetch(`${base}/${encodeURIComponent(ctx.params.path)}`, { method: ctx.method }))
    return app.fetch(`/${encodeURIComponent(coding)}`, { method })
  }

  it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, br'])(
    'is sent decoded if it arrived with the content coding %s',
    async (coding) => {
      const response = await through(coding)
      expect(await response.text()).toBe(TEXT)
      expect(['content-encoding', 'connection'].map((name) => response.headers.get(name))).toEqual([null, null])
      // The length must not be the length of the encoded bytes. It is known only if all bytes have arrived.
      expect([null, String(TEXT.length)]).toContain(response.headers.get('content-length'))
      expect([response.headers.get('x-own'), response.headers.getSetCookie()]).toEqual(['1', ['a=1', 'b=2']])
    },
  )

  it.each([
    ['without a content coding', 'plain', null],
    ['with a content coding that fetch() does not decode', 'x-own', 'x-own'],
  ])('keeps its length %s', async (_, coding, announced) => {
    const response = await through(coding)
    expect(await response.text()).toBe(TEXT)
    expect(response.headers.get('content-encoding')).toBe(announced)
    expect(response.headers.get('content-length')).toBe(String(TEXT.length))
  })

  it('keeps all fields if it has no body', async () => {
    const { headers } = await through('gzip', 'HEAD')
    expect([headers.get('content-encoding'), headers.get('content-length')]).toEqual([
      'gzip',
      String(gzipSync(TEXT).byteLength),
    ])
  })
})

it('keeps every field of a Response that the handler created', async () => {
  const app = new App()
  const body = gzipSync('x')
  app.router.get('/', () => new Response(body, { headers: { 'content-encoding': 'gzip' } }))
  const response = await app.fetch('/')
  expect([response.headers.get('content-encoding'), Buffer.from(await response.arrayBuffer())]).toEqual(['gzip', body])
})
