import { renameSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Server } from '@fw/core'
import {
  eachProtocol,
  tempFolder,
  type ClientResponse,
  type ProtocolClient,
  type RunningServer,
  type ServerDemand,
  type TempFolder,
} from '@fw/testing'
import type { Outcome } from '@fw/types'
import { afterEach, describe, expect, it } from 'vitest'
import { sendFile, staticFiles } from '../src/index.ts'
import { openFilesIn } from './open-files.ts'

const LARGE = 1_500_000
/** Content without repetition, so misplaced bytes are detected. */
const large = Buffer.from(Array.from({ length: LARGE / 4 }, (_, i) => i.toString(36).padStart(4, '0')).join(''))
/** More bytes than the transport and the client buffer, so that a client can stop in the middle. */
const HUGE = 24 * 1024 * 1024
const SECONDS = 1_706_933_106
const MODIFIED = 'Sat, 03 Feb 2024 04:05:06 GMT'

let folder: TempFolder
/** The outcome of each request. */
let outcomes: Outcome[] = []
let begun = 0
let warnings: string[] = []

async function start({ tls, http3 }: ServerDemand): Promise<RunningServer> {
  folder = await tempFolder({
    'out.txt': 'OUTSIDE',
    'root/index.html': 'SHELL',
    'root/a.txt': 'hello',
    'root/dir/index.html': 'DIR',
    'root/app.js': 'IDENTITY',
    'root/app.js.br': 'BR',
    'root/app.js.gz': 'GZIP',
    'root/.env': 'HIDDEN',
    'root/.well-known/x': 'KNOWN',
    'root/data.unknown-type': '?',
    'root/large.bin': large,
  })
  symlinkSync('../out.txt', folder.join('root/link.txt'))
  for (const name of ['a.txt', 'large.bin']) utimesSync(folder.join('root', name), SECONDS, SECONDS)
  const server = new Server(tls === undefined ? {} : { tls, http3 })
  const router = server.router()
  router.use((ctx, next) => {
    begun++
    ctx.onFinish((outcome) => outcomes.push(outcome))
    return next()
  })
  router.get('/report', (ctx) => sendFile(ctx, folder.join('root/a.txt'), { download: 'año.txt' }))
  staticFiles(router, '/', folder.join('root'), {
    spa: true,
    maxCachedFileBytes: 64 * 1024,
    cacheControl: (path, isFallback) => (path.endsWith('.html') ? `no-cache, x=${isFallback}` : undefined),
    onWarning: (message) => warnings.push(message),
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return {
    port: Number(url.port),
    async close() {
      await server.close({ drainMs: 0 })
      await rm(folder.path, { recursive: true, force: true })
    },
  }
}

const hugePath = (): string => folder.join('root/huge.bin')

/** Waits for the outcome of the next request, as an access log receives it. */
async function outcomeOf(action: () => Promise<unknown>): Promise<Outcome | undefined> {
  // A client can receive its response before the request ends on the server.
  await expect.poll(() => outcomes.length).toBe(begun)
  outcomes = []
  begun = 0
  await action()
  await expect.poll(() => outcomes.length).toBe(1)
  return outcomes[0]
}

/** Reads some bytes, and returns a reader for the rest. */
async function readSome(response: ClientResponse): Promise<AsyncIterator<Uint8Array>> {
  const body = response.body[Symbol.asyncIterator]()
  await body.next()
  return body
}

/** Requests a large file and reads its first bytes. */
async function begin(of: ProtocolClient): Promise<AsyncIterator<Uint8Array>> {
  writeFileSync(hugePath(), '')
  truncateSync(hugePath(), HUGE)
  const response = await of.request({ path: '/huge.bin' })
  expect(response.headers.get('content-length')).toBe(String(HUGE))
  return readSome(response)
}

/** Reads to the end. Returns the bytes, or 'cut off' if the response was aborted. */
async function readRest(body: AsyncIterator<Uint8Array>): Promise<number | 'cut off'> {
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await body.next()
      if (done === true) return bytes
      bytes += value.byteLength
    }
  } catch {
    // An incomplete response must cause a transport error.
    return 'cut off'
  }
}

eachProtocol('static files', start, (client) => {
  const ask = async (path: string, fields: Record<string, string> = {}, method = 'GET') => {
    const response = await client().request({ method, path, headers: Object.entries(fields) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  afterEach(() => void (warnings = []))

  it.each<[string, string, Record<string, string>, number, string | null]>([
    ['a file', '/a.txt', {}, 200, 'hello'],
    ['the index', '/', {}, 200, 'SHELL'],
    ['the index of a directory', '/dir', {}, 200, 'DIR'],
    ['a decoded name', '/%61.txt?x=1', {}, 200, 'hello'],
    ['the public dot directory', '/.well-known/x', {}, 200, 'KNOWN'],
    ['a sidecar', '/app.js', { 'accept-encoding': 'gzip, br' }, 200, 'BR'],
    ['the accepted content coding', '/app.js', { 'accept-encoding': 'br;q=0, gzip' }, 200, 'GZIP'],
    ['no content coding', '/app.js', { 'accept-encoding': 'identity' }, 200, 'IDENTITY'],
    ['406 if no content coding is accepted', '/app.js', { 'accept-encoding': '*;q=0' }, 406, null],
    ['304 by date', '/a.txt', { 'if-modified-since': MODIFIED }, 304, ''],
    ['304 by any tag', '/a.txt', { 'if-none-match': '*' }, 304, ''],
    [
      '200 because only the tag counts',
      '/a.txt',
      { 'if-none-match': '"x"', 'if-modified-since': MODIFIED },
      200,
      'hello',
    ],
    ['412 by tag', '/a.txt', { 'if-match': '"x"' }, 412, null],
    ['412 by date', '/a.txt', { 'if-unmodified-since': 'Sat, 03 Feb 2024 04:05:05 GMT' }, 412, null],
    ['a range', '/a.txt', { range: 'bytes=1-3' }, 206, 'ell'],
    ['a suffix', '/a.txt', { range: 'bytes=-2' }, 206, 'lo'],
    ['416', '/a.txt', { range: 'bytes=5-' }, 416, null],
    ['the whole file for several ranges', '/a.txt', { range: 'bytes=0-0,2-2' }, 200, 'hello'],
    ['a range of the version that the client has', '/a.txt', { range: 'bytes=0-0', 'if-range': MODIFIED }, 206, 'h'],
    [
      'the whole file if the client has a different version',
      '/a.txt',
      { range: 'bytes=0-0', 'if-range': '"x"' },
      200,
      'hello',
    ],
    ['the fallback', '/some/route', {}, 200, 'SHELL'],
    ['404 for an asset', '/missing.js', { accept: '*/*' }, 404, null],
    ['the fallback for a page', '/missing.js', { accept: 'text/html' }, 200, 'SHELL'],
    ['404 for a dot file', '/.env', { accept: 'text/html' }, 404, null],
    ['404 for a link that leaves the directory', '/link.txt', { accept: '*/*' }, 404, null],
    ['404 for an encoded separator', '/dir%2findex.html', { accept: 'text/html' }, 404, null],
    ['404 for a backslash', '/dir%5cindex.html', { accept: 'text/html' }, 404, null],
    ['404 for NUL', '/a.txt%00', { accept: 'text/html' }, 404, null],
    ['404 for two dots', '/dir/../a.txt', { accept: 'text/html' }, 404, null],
    ['404 for encoded dots', '/%2e%2e/out.txt', { accept: 'text/html' }, 404, null],
  ])('sends %s', async (_, path, fields, status, text) => {
    for (let i = 0; i < 2; i++) {
      const got = await ask(path, fields)
      expect([got.status, status < 400 ? got.text : null]).toEqual([status, text])
      expect(got.text).not.toMatch(/OUTSIDE|HIDDEN/)
    }
  })

  it('sends every required header field', async () => {
    const { headers } = await ask('/a.txt')
    expect(headers.get('etag')).toMatch(/^"0x[0-9a-f]+-0x5"$/)
    expect(Object.fromEntries(headers)).toMatchObject({
      'last-modified': MODIFIED,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    const coded = (await ask('/app.js', { 'accept-encoding': 'br' })).headers
    expect([coded.get('content-encoding'), coded.get('vary')]).toEqual(['br', 'Accept-Encoding'])
    expect((await ask('/missing.js')).headers.get('vary')).toMatch(/(^|, )accept(,|$)/i)
    expect((await ask('/data.unknown-type')).headers.get('content-type')).toBe('application/octet-stream')
    expect((await ask('/')).headers.get('cache-control')).toBe('no-cache, x=false')
    expect((await ask('/route')).headers.get('cache-control')).toBe('no-cache, x=true')
    expect((await ask('/report')).headers.get('content-disposition')).toContain("filename*=UTF-8''a%C3%B1o.txt")
  })

  it('answers HEAD like GET, and other methods with 405', async () => {
    const head = await ask('/a.txt', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '5', ''])
    const post = await ask('/a.txt', {}, 'POST')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('streams large files to several clients without an error', async () => {
    const bodies = Array.from({ length: 4 }, async () => {
      const response = await client().request({ path: '/large.bin' })
      expect(response.headers.get('content-length')).toBe(String(LARGE))
      return Buffer.from(await response.bytes())
    })
    for (const body of await Promise.all(bodies)) expect(body.equals(large)).toBe(true)
    const slice = await client().request({ path: '/large.bin', headers: [['range', 'bytes=70000-1400000']] })
    expect(Buffer.from(await slice.bytes()).equals(large.subarray(70_000, 1_400_001))).toBe(true)
  })

  it('reports the number of sent body bytes to an access log', async () => {
    const etag = (await ask('/large.bin', {}, 'HEAD')).headers.get('etag') ?? ''
    const table: [string, string, Record<string, string>, number, number][] = [
      ['GET', '/a.txt', {}, 200, 5],
      ['HEAD', '/a.txt', {}, 200, 0],
      ['GET', '/a.txt', { range: 'bytes=1-3' }, 206, 3],
      ['GET', '/app.js', { 'accept-encoding': 'br' }, 200, 2],
      ['GET', '/large.bin', {}, 200, LARGE],
      ['HEAD', '/large.bin', {}, 200, 0],
      ['GET', '/large.bin', { range: 'bytes=-70000' }, 206, 70_000],
      ['GET', '/large.bin', { 'if-none-match': etag }, 304, 0],
    ]
    for (const [method, path, fields, status, bodyBytes] of table) {
      const outcome = await outcomeOf(() => ask(path, fields, method))
      expect([method, path, outcome]).toEqual([method, path, { status, bodyBytes, aborted: false }])
    }
  })

  describe('a file that changes during the response', () => {
    it('is sent in its old state if it was replaced or has grown', async () => {
      const body = await begin(client())
      writeFileSync(hugePath(), 'more', { flag: 'a' })
      writeFileSync(folder.join('next'), 'replaced')
      renameSync(folder.join('next'), hugePath())
      expect((await ask('/huge.bin')).text).toBe('replaced')
      // The first slice was read before the change.
      const rest = await readRest(body)
      expect(rest).toBeLessThan(HUGE)
      expect(rest).toBeGreaterThan(HUGE - 1024 * 1024)
    })

    it('aborts the response if it became shorter, and completes the next response', async () => {
      const outcome = await outcomeOf(async () => {
        const body = await begin(client())
        truncateSync(hugePath(), 1000)
        expect(await readRest(body)).toBe('cut off')
      })
      expect(outcome).toMatchObject({ status: 200, aborted: true })
      expect(outcome?.bodyBytes).toBeLessThan(HUGE)
      await expect.poll(() => warnings).toEqual([expect.stringContaining('huge.bin changed')])
      expect((await ask('/huge.bin')).text).toHaveLength(1000)
      expect((await ask('/a.txt')).text).toBe('hello')
    })

    it('frees its descriptor when the client disconnects, and reports the request as aborted', async () => {
      const outcome = await outcomeOf(async () => {
        writeFileSync(hugePath(), '')
        truncateSync(hugePath(), HUGE)
        const response = await client().request({ path: '/huge.bin' })
        const body = await readSome(response)
        response.abort()
        await body.return?.()
      })
      expect(outcome).toMatchObject({ status: 200, aborted: true })
      expect(outcome?.bodyBytes).toBeLessThan(HUGE)
      await expect.poll(() => openFilesIn(folder.path)).toEqual([])
      expect((await ask('/a.txt')).text).toBe('hello')
    })
  })
})
