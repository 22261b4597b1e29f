import { symlinkSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { serve } from '../test/serve.ts'
import { sendFile, type SendFileOptions } from './index.ts'

describe('sendFile', () => {
  it('sends a file with the same header fields as staticFiles', async () => {
    await using folder = await tempFolder({ 'a.txt': 'hello' })
    await using server = await serve((router) => {
      router.get('/path', (ctx) => sendFile(ctx, folder.join('a.txt')))
      router.get('/url', (ctx) => sendFile(ctx, pathToFileURL(folder.join('a.txt'))))
    })
    for (const path of ['/path', '/url']) {
      const { status, headers, text } = await server.ask(path)
      expect([status, text, headers.get('content-type')]).toEqual([200, 'hello', 'text/plain; charset=utf-8'])
      expect((await server.ask(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304)
      expect((await server.ask(path, { range: 'bytes=1-2' })).text).toBe('el')
      const head = await server.ask(path, {}, 'HEAD')
      expect([head.headers.get('content-length'), head.text]).toEqual(['5', ''])
    }
  })

  it('sets the header fields of its options', async () => {
    await using folder = await tempFolder({ 'año.txt': 'x' })
    const respond = async (options: SendFileOptions) => {
      await using server = await serve((router) =>
        router.get('/', (ctx) => sendFile(ctx, folder.join('año.txt'), options)),
      )
      return (await server.ask('/')).headers
    }
    const own = await respond({ download: true, contentType: 'text/x-mine', cacheControl: 'no-store', etag: false })
    expect(own.get('content-disposition')).toBe(`attachment; filename="a_o.txt"; filename*=UTF-8''a%C3%B1o.txt`)
    expect([own.get('content-type'), own.get('cache-control'), own.get('etag')]).toEqual([
      'text/x-mine',
      'no-store',
      null,
    ])
    const named = await respond({ download: 'report.pdf', lastModified: false })
    expect(named.get('content-disposition')).toBe('attachment; filename="report.pdf"')
    expect(named.has('last-modified')).toBe(false)
    expect((await respond({})).has('content-disposition')).toBe(false)
  })

  it.each(['none', 'a%00b', 'a%00.txt', 'n'.repeat(300), `${'d/'.repeat(3000)}x`])(
    'answers 404 to %j, which is not a file',
    async (name) => {
      await using folder = await tempFolder({ 'a.txt': 'A', a: 'A' })
      await using server = await serve((router) => {
        router.get('/path/*name', (ctx) => sendFile(ctx, folder.join(ctx.params.name)))
        router.get('/url/*name', (ctx) => sendFile(ctx, new URL(`file://${folder.path}/${name}`)))
        router.get('/root/*name', (ctx) => sendFile(ctx, ctx.params.name, { root: folder.path }))
      })
      for (const at of ['path', 'url', 'root'])
        expect([at, (await server.ask(`/${at}/${name}`)).status]).toEqual([at, 404])
    },
  )

  it('omits fields that describe a body from a 304', async () => {
    await using folder = await tempFolder({ 'a.txt': 'A' })
    await using server = await serve((router) => {
      const options = { download: true, contentType: 'text/x-mine', cacheControl: 'no-cache' }
      router.get('/', (ctx) => sendFile(ctx, folder.join('a.txt'), options))
    })
    const { status, headers } = await server.ask('/', { 'if-none-match': '*' })
    expect([status, headers.get('cache-control')]).toEqual([304, 'no-cache'])
    expect([...headers.keys()].filter((name) => name.startsWith('content-'))).toEqual([])
  })

  it('cannot leave its root', async () => {
    await using folder = await tempFolder({
      'root/a.txt': 'A',
      'root/x/b..c.txt': 'BC',
      'out.txt': 'OUTSIDE',
      'root/.env': 'S',
    })
    symlinkSync('../out.txt', folder.join('root/link.txt'))
    await using server = await serve((router) =>
      router.get('/:name', (ctx) => sendFile(ctx, ctx.params.name, { root: folder.join('root') })),
    )
    expect((await server.ask('/a.txt')).text).toBe('A')
    expect((await server.ask('/x%2fb..c.txt')).text).toBe('BC')
    const names = [
      '..%2fout.txt',
      '%2e%2e%2fout.txt',
      'x%2f..%2f..%2fout.txt',
      'x%5c..%5cout.txt',
      'link.txt',
      '.env',
      'x',
      'x%2f',
    ]
    for (const name of names) {
      const response = await server.ask(`/${name}`)
      expect([name, response.status, response.text.includes('OUTSIDE')]).toEqual([name, 404, false])
    }
  })

  it('calls the notFound handler, and can be called by that handler', async () => {
    await using folder = await tempFolder({ '404.html': 'Not here' })
    await using server = await serve((router) => {
      router.get('/', (ctx) => sendFile(ctx, folder.join('missing.txt')))
      router.get('/directory', (ctx) => sendFile(ctx, folder.path))
      router.notFound((ctx) => sendFile(ctx, folder.join('404.html')))
    })
    for (const path of ['/', '/directory', '/elsewhere']) {
      const { status, text, headers } = await server.ask(path, { 'if-none-match': '*', range: 'bytes=0-1' })
      expect([path, status, text]).toEqual([path, 404, 'Not here'])
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })

  it('responds with the standard 404 if the file of the notFound handler is missing', async () => {
    await using folder = await tempFolder({})
    await using server = await serve((router) => {
      router.get('/', (ctx) => sendFile(ctx, folder.join('missing.txt')))
      router.notFound((ctx) => sendFile(ctx, folder.join('404.html')))
    })
    for (const path of ['/', '/elsewhere']) {
      const { status, headers } = await server.ask(path)
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'application/problem+json'])
    }
  })

  it('ignores conditional fields in a POST', async () => {
    await using folder = await tempFolder({ 'a.txt': 'hello' })
    await using server = await serve((router) => router.post('/', (ctx) => sendFile(ctx, folder.join('a.txt'))))
    const { status, text } = await server.ask(
      '/',
      { 'if-none-match': '*', range: 'bytes=0-1', 'content-length': '0' },
      'POST',
    )
    expect([status, text]).toEqual([200, 'hello'])
  })

  it.each<[string, unknown, string]>([
    [
      'a.txt',
      { downlod: true },
      'unknown option "downlod". Did you mean "download"? Known options: root, download, contentType, cacheControl, etag, lastModified.',
    ],
    [
      'a.txt',
      { download: 5 },
      'option "download" must be true, false or a file name, got 5. Omit it to use the default.',
    ],
    ['a.txt', { contentType: 5 }, 'option "contentType" must be a string, got 5. Omit it to use the default.'],
    [
      'a.txt',
      { root: 5 },
      'option "root" must be a non-empty path or a file: URL, got 5. Use "." for the working directory.',
    ],
    [
      'a.txt',
      'root',
      'options must be an object, got "root". Known options: root, download, contentType, cacheControl, etag, lastModified.',
    ],
    // If `root` comes from an unset variable, a path from a request must not be served from any directory.
    [
      '/etc/hosts',
      { root: undefined },
      'option "root" must be a non-empty path or a file: URL, got undefined. Omit it if the path is trusted.',
    ],
    [
      'package.json',
      { root: '' },
      'option "root" must be a non-empty path or a file: URL, got "". Use "." for the working directory.',
    ],
    ['', {}, 'path must be a non-empty path or a file: URL, got "". Use "." for the working directory.'],
    [
      undefined as unknown as string,
      { root: '.' },
      'path must be a string, got undefined. Option "root" requires a path below it.',
    ],
  ])('refuses to send %j with %j', async (path, options, message) => {
    const failures: unknown[] = []
    await using server = await serve((router) => {
      router.get('/', (ctx) => sendFile(ctx, path, options as SendFileOptions))
      router.onError((error) => void failures.push(error))
    })
    expect((await server.ask('/')).status).toBe(500)
    expect(failures).toEqual([expect.objectContaining({ name: 'TypeError', message: `sendFile: ${message}` })])
  })
})
