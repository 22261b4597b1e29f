import { writeFile } from 'node:fs/promises'
import { setSinks } from '@fw/log'
import { tempFolder } from '@fw/testing'
import serveStatic from 'serve-static'
import { beforeAll, expect, it } from 'vitest'
import { fromNode } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const LARGE = 'large '.repeat(200_000)
const folder = await tempFolder()
await writeFile(`${folder.path}/page.html`, '<h1>page</h1>')
await writeFile(`${folder.path}/large.txt`, LARGE)

beforeAll(() => setSinks([]))

everyWay(
  'serve-static',
  (router) => {
    router.use(fromNode(serveStatic(folder.path)))
    router.get('/page.html', () => 'unreachable').get('/api', () => 'an fw handler')
  },
  (send) => {
    it('sends a file with its fields', async () => {
      const { status, headers, text } = await send({ path: '/page.html' })
      expect([status, text, headers.get('content-length')]).toEqual([200, '<h1>page</h1>', '13'])
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('accept-ranges')).toBe('bytes')
    })

    it('sends a large file with backpressure', async () => {
      const { headers, text } = await send({ path: '/large.txt' })
      expect(headers.get('content-length')).toBe(String(LARGE.length))
      expect(text === LARGE).toBe(true)
    })

    it('sends a range', async () => {
      const { status, headers, text } = await send({ path: '/page.html', headers: [['range', 'bytes=1-2']] })
      expect([status, text, headers.get('content-range')]).toEqual([206, 'h1', 'bytes 1-2/13'])
    })

    it('sends 304 for a file that the client has', async () => {
      const etag = (await send({ path: '/page.html' })).headers.get('etag') ?? ''
      const { status, text } = await send({ path: '/page.html', headers: [['if-none-match', etag]] })
      expect([status, text]).toEqual([304, ''])
    })

    it('announces the length for HEAD', async () => {
      const { status, headers, text } = await send({ path: '/page.html', method: 'HEAD' })
      expect([status, headers.get('content-length'), text]).toEqual([200, '13', ''])
    })

    it('passes other paths and methods to fw', async () => {
      expect((await send({ path: '/api' })).text).toBe('an fw handler')
      expect((await send({ path: '/missing' })).status).toBe(404)
      expect((await send({ path: '/page.html', method: 'POST' })).status).toBe(405)
    })
  },
)

everyWay(
  'serve-static without fallthrough',
  (router) => {
    router.get('/*path', fromNode(serveStatic(folder.path, { fallthrough: false })))
  },
  (send) => {
    it.each([
      ['/missing.html', 404],
      ['/..%2fpage.html', 403],
      ['/page.html%00', 400],
    ])('responds to %s with the status of its error: %i', async (path, status) => {
      expect((await send({ path })).status).toBe(status)
    })

    it('sends the fields of its error', async () => {
      const { status, headers } = await send({ path: '/page.html', headers: [['range', 'bytes=50-60']] })
      expect([status, headers.get('content-range')]).toEqual([416, 'bytes */13'])
    })
  },
)
