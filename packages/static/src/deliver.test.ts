import { appendFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { connectH1, rawExchange, tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { openFilesIn } from '../test/open-files.ts'
import { serve } from '../test/serve.ts'
import { deliver } from './deliver.ts'
import { staticFiles, type StaticFilesOptions } from './index.ts'
import { represent } from './http/representation.ts'
import { readWhole } from './files/read-whole.ts'
import { openSource } from './files/source.ts'

const DIGITS = { 'v.txt': '123456789' }
const MODIFIED = 'Sat, 03 Feb 2024 04:05:06 GMT'
const LARGE = 4 * 1024 * 1024

/** No response may depend on whether the file is in memory. */
describe.each([true, false])('a response (in memory: %s)', (cacheInMemory) => {
  const open = async (files: Record<string, string>, options: StaticFilesOptions = {}) => {
    const folder = await tempFolder(files)
    for (const name of Object.keys(files)) utimesSync(folder.join(name), 1_706_933_106.5, 1_706_933_106.5)
    const server = await serve((router) => staticFiles(router, '/', folder.path, { cacheInMemory, ...options }))
    return {
      folder,
      server,
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]()
        await folder[Symbol.asyncDispose]()
      },
    }
  }

  it('answers 200 with all fields that caches need', async () => {
    await using at = await open(DIGITS)
    for (let i = 0; i < 2; i++) {
      const { status, headers, text } = await at.server.ask('/v.txt')
      expect([status, text]).toEqual([200, '123456789'])
      expect(headers.get('content-length')).toBe('9')
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(headers.get('last-modified')).toBe(MODIFIED)
      expect(headers.get('etag')).toMatch(/^"0x[0-9a-f]+-0x9"$/)
      expect(headers.get('accept-ranges')).toBe('bytes')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.has('vary')).toBe(false)
      expect(headers.has('cache-control')).toBe(false)
      expect(headers.has('transfer-encoding')).toBe(false)
    }
  })

  it('answers 304 with only the validators', async () => {
    await using at = await open(DIGITS)
    const etag = (await at.server.ask('/v.txt')).headers.get('etag') ?? ''
    for (const method of ['GET', 'HEAD']) {
      for (const fields of [{ 'if-none-match': `"x", W/${etag}` }, { 'if-modified-since': MODIFIED }]) {
        const { status, headers, text } = await at.server.ask('/v.txt', fields, method)
        expect([status, text, headers.get('etag'), headers.get('last-modified')]).toEqual([304, '', etag, MODIFIED])
        for (const name of ['content-type', 'content-encoding', 'content-range']) expect(headers.has(name)).toBe(false)
      }
    }
  })

  it('answers ranges with 206 or 416 after evaluating every condition', async () => {
    await using at = await open(DIGITS)
    const etag = (await at.server.ask('/v.txt')).headers.get('etag') ?? ''
    const table: [Record<string, string>, number, string | null, string | null][] = [
      [{ range: 'bytes=0-4' }, 206, '12345', 'bytes 0-4/9'],
      [{ range: 'bytes=-3' }, 206, '789', 'bytes 6-8/9'],
      [{ range: 'bytes=8-' }, 206, '9', 'bytes 8-8/9'],
      [{ range: 'bytes=5-2' }, 200, '123456789', null],
      [{ range: 'bytes=0-1,3-4' }, 200, '123456789', null],
      [{ range: 'bytes=9-' }, 416, null, 'bytes */9'],
      [{ range: 'bytes=0-4', 'if-range': etag }, 206, '12345', 'bytes 0-4/9'],
      [{ range: 'bytes=0-4', 'if-range': MODIFIED }, 206, '12345', 'bytes 0-4/9'],
      [{ range: 'bytes=0-4', 'if-range': '"x"' }, 200, '123456789', null],
      [{ range: 'bytes=0-4', 'if-match': '"x"' }, 412, null, null],
      [{ range: 'bytes=9-', 'if-match': '"x"' }, 412, null, null],
      [{ range: 'bytes=0-4', 'if-none-match': etag }, 304, '', null],
    ]
    for (const [fields, status, body, contentRange] of table) {
      const { headers, text, ...response } = await at.server.ask('/v.txt', fields)
      // The test only requires that an error body does not contain the file.
      const sent = response.status < 400 || text.includes('123456789') ? text : null
      expect([fields, response.status, sent, headers.get('content-range')]).toEqual([
        fields,
        status,
        body,
        contentRange,
      ])
    }
    expect((await at.server.ask('/v.txt')).text).toBe('123456789')
  })

  it('omits a validator that is turned off', async () => {
    await using at = await open(DIGITS, { etag: false, lastModified: false })
    const { headers } = await at.server.ask('/v.txt')
    expect([headers.get('etag'), headers.get('last-modified')]).toEqual([null, null])
    expect((await at.server.ask('/v.txt', { 'if-modified-since': MODIFIED })).status).toBe(200)
  })

  it('sends the current time instead of a modification time in the future', async () => {
    await using at = await open(DIGITS)
    utimesSync(at.folder.join('v.txt'), 32_503_680_000, 32_503_680_000)
    const { headers } = await at.server.ask('/v.txt')
    expect(Date.parse(headers.get('last-modified') ?? '')).toBeLessThanOrEqual(Date.now())
  })

  it('keeps fields that middleware has set', async () => {
    await using folder = await tempFolder({ 'data.bin': 'x', 'app.js': 'A', 'app.js.gz': 'G' })
    await using server = await serve((router) => {
      router.use((ctx, next) => {
        ctx.responseHeaders.set('vary', 'Origin')
        if (ctx.path.endsWith('.bin')) ctx.responseHeaders.set('content-type', 'application/x-mine')
        return next()
      })
      staticFiles(router, '/', folder.path, { cacheInMemory })
    })
    expect((await server.ask('/data.bin')).headers.get('content-type')).toBe('application/x-mine')
    expect((await server.ask('/app.js')).headers.get('vary')).toBe('Origin, Accept-Encoding')
  })

  it('streams large files and slices of them', async () => {
    const content = Array.from({ length: LARGE / 8 }, (_, i) => i.toString(36).padStart(8, '0')).join('')
    await using at = await open({ 'large.bin': content })
    expect((await at.server.ask('/large.bin')).text === content).toBe(true)
    const slice = await at.server.ask('/large.bin', { range: 'bytes=65530-1131081' })
    expect([slice.status, slice.text === content.slice(65_530, 1_131_082)]).toEqual([206, true])
    const head = await at.server.ask('/large.bin', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, String(LARGE), ''])
  })
})

describe('a large file', () => {
  const SIZE = 32 * 1024 * 1024

  it('sends the opened file even after its name is deleted or reused', async () => {
    await using folder = await tempFolder({ 'big.bin': 'A'.repeat(SIZE) })
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const client = await connectH1({ port: server.port })
    const response = await client.request({ path: '/big.bin' })
    writeFileSync(folder.join('next.bin'), 'B'.repeat(SIZE))
    renameSync(folder.join('next.bin'), folder.join('big.bin'))
    const bytes = await response.bytes()
    expect([bytes.byteLength, Buffer.from(bytes).indexOf('B')]).toEqual([SIZE, -1])
    rmSync(folder.join('big.bin'))
    expect((await client.request({ path: '/big.bin' })).status).toBe(404)
    await client.close()
  })

  it('closes the connection and warns when the file shrinks', async () => {
    await using folder = await tempFolder({ 'big.bin': 'A'.repeat(SIZE), 'a.txt': 'next response' })
    const warnings: string[] = []
    await using server = await serve((router) =>
      staticFiles(router, '/', folder.path, { onWarning: (message) => warnings.push(message) }),
    )
    const head = 'HTTP/1.1\r\nhost: x\r\n\r\n'
    let isCut = false
    const { text, ended } = await rawExchange(server.port, `GET /big.bin ${head}GET /a.txt ${head}`, {
      timeoutMs: 5000,
      until: () => {
        if (!isCut) truncateSync(folder.join('big.bin'), 1000)
        isCut = true
        return false
      },
    })
    expect(text).toContain(`content-length: ${SIZE}\r\n`)
    expect(text.length).toBeLessThan(SIZE)
    expect(text).not.toContain('next response')
    expect(ended).not.toBe('open')
    expect(warnings).toEqual([`${folder.join('big.bin')} changed while it was being sent`])
  })

  it('closes the file when the client disconnects', async () => {
    await using folder = await tempFolder({ 'big.bin': 'A'.repeat(SIZE) })
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const client = await connectH1({ port: server.port })
    for (let i = 0; i < 20; i++) {
      const response = await client.request({ path: '/big.bin' })
      expect(openFilesIn(folder.path)).not.toEqual([])
      response.abort()
    }
    await expect.poll(() => openFilesIn(folder.path)).toEqual([])
    await client.close()
  })
})

/** Serves a file that stops changing at the given read. Counts how often the file is opened. */
const serveRestless = async (stillFrom: number) => {
  const folder = await tempFolder({ 'a.txt': 'content' })
  const counts = { opened: 0, closed: 0, prepared: 0 }
  const server = await serve((router) =>
    router.get('/a.txt', async (ctx) => {
      await deliver(ctx, {
        path: '/files/resource',
        open: async () => {
          const source = await openSource(folder.join('a.txt'), `${folder.path}/`, 'inside')
          if (typeof source === 'string') return source
          counts.opened++
          return { ...source, close: () => source.close().then(() => void counts.closed++) }
        },
        describe: (stats) => represent('/a.txt', 'identity', stats, { etag: true, lastModified: true }),
        isLoaded: () => true,
        load: (source) => (counts.opened < stillFrom ? Promise.resolve({ before: undefined }) : readWhole(source)),
        prepare: () => counts.prepared++,
        onCut: () => expect.unreachable('nothing was sent'),
      })
    }),
  )
  return {
    counts,
    ask: server.ask.bind(server),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

it.each([true, false])(
  'sends a file that grows on each read as it was when opened (in memory: %s)',
  async (isLoaded) => {
    await using folder = await tempFolder({ log: 'line 0\n' })
    let lines = 0
    await using server = await serve((router) =>
      router.get('/log', async (ctx) => {
        await deliver(ctx, {
          path: '/files/resource',
          open: () => openSource(folder.join('log'), `${folder.path}/`, 'inside'),
          describe: (stats) => represent('/log', 'identity', stats, { etag: true, lastModified: true }),
          isLoaded: () => {
            appendFileSync(folder.join('log'), `line ${++lines}\n`)
            return isLoaded
          },
          load: readWhole,
          prepare: () => {},
          onCut: () => expect.unreachable('it has only grown'),
        })
      }),
    )
    const whole = await server.ask('/log')
    expect([whole.status, whole.text]).toEqual([200, 'line 0\nline 1\nline 2\nline 3\n'])
    expect(whole.headers.get('etag')).toMatch(/-0x1c"$/)
    const part = await server.ask('/log', { range: 'bytes=-7' })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'line 7\n', 'bytes 49-55/56'])
  },
)

describe('a file that is changed each time it is read', () => {
  it('is reopened until it stops changing', async () => {
    await using at = await serveRestless(3)
    const { status, text } = await at.ask('/a.txt')
    expect([status, text, at.counts]).toEqual([200, 'content', { opened: 3, closed: 3, prepared: 1 }])
  })

  it('is answered with 503 and Retry-After after the last attempt', async () => {
    await using at = await serveRestless(Infinity)
    const { status, headers } = await at.ask('/a.txt')
    expect([status, headers.get('retry-after'), headers.get('etag')]).toEqual([503, '1', null])
    expect(at.counts).toEqual({ opened: 4, closed: 4, prepared: 0 })
  })
})
