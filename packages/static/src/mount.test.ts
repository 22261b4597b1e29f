import { FileRequest, type SentFile } from '@fw/http-fields'
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Server } from '@fw/core'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { serve, type Response } from '../test/serve.ts'
import { staticFiles } from './index.ts'

const NAVIGATION = 'text/html,application/xhtml+xml,*/*;q=0.8'
const APP = { 'app.js': 'IDENTITY', 'app.js.br': 'BR', 'app.js.gz': 'GZIP', 'plain.js': 'PLAIN' }

describe('a sidecar', () => {
  it('is not sent if middleware encodes the file, which learns what is sent', async () => {
    await using folder = await tempFolder(APP)
    const sent: (SentFile | undefined)[] = []
    await using server = await serve((router) => {
      router.use((ctx, next) => {
        const request = new FileRequest(ctx.headers.has('x-plain'))
        ctx.set(FileRequest, request)
        ctx.filterResponse(() => void sent.push(request.sent))
        return next()
      })
      staticFiles(router, '/', folder.path)
    })
    const sidecar = await server.ask('/app.js', { 'accept-encoding': 'br' })
    expect(sent.pop()).toEqual({ path: join(folder.path, 'app.js'), lengthBytes: 2, bytes: Buffer.from('BR') })
    // The second request finds the file in memory.
    for (let i = 0; i < 2; i++) {
      const plain = await server.ask('/app.js', { 'accept-encoding': 'br', 'x-plain': '1' })
      expect([plain.text, plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
        'IDENTITY',
        null,
        'Accept-Encoding',
      ])
      expect(plain.headers.get('etag')).not.toBe(sidecar.headers.get('etag'))
      const file = sent.pop()
      expect(file).toMatchObject({
        path: join(folder.path, 'app.js'),
        lengthBytes: 8,
        bytes: Buffer.from('IDENTITY'),
        sidecar: { coding: 'br', lengthBytes: 2, etag: sidecar.headers.get('etag') },
      })
      expect(String(await file?.sidecar?.read())).toBe('BR')
    }
    // A conditional response has no body.
    expect((await server.ask('/app.js', { 'x-plain': '1', 'if-none-match': '*' })).status).toBe(304)
    expect(sent.pop()).toBe(undefined)
    // The client refuses a body without a coding, but the middleware adds one.
    const refusing = await server.ask('/app.js', { 'accept-encoding': 'identity;q=0', 'x-plain': '1' })
    expect([refusing.status, refusing.text]).toEqual([200, 'IDENTITY'])
    expect((await server.ask('/app.js', { 'accept-encoding': 'br' })).text).toBe('BR')
  })

  it('is sent if the file is streamed, although middleware encodes it', async () => {
    await using folder = await tempFolder({ 'app.js': 'a'.repeat(65_537), 'app.js.br': 'BR' })
    await using server = await serve((router) => {
      router.use((ctx, next) => {
        ctx.set(FileRequest, new FileRequest(true))
        return next()
      })
      staticFiles(router, '/streamed', folder.path, { cacheInMemory: false })
      staticFiles(router, '/whole', folder.path)
    })
    expect((await server.ask('/streamed/app.js', { 'accept-encoding': 'br' })).text).toBe('BR')
    expect((await server.ask('/whole/app.js', { 'accept-encoding': 'br' })).text).toHaveLength(65_537)
  })

  it('is sent with Vary to clients that accept its content coding', async () => {
    await using folder = await tempFolder({ ...APP, 'z.css': 'Z', 'z.css.zst': 'ZSTD', 'only.js.gz': 'ALONE' })
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const table: [string, string, string, string | null][] = [
      // path, Accept-Encoding, body, coding
      ['/app.js', 'gzip, br', 'BR', 'br'],
      ['/app.js', 'gzip', 'GZIP', 'gzip'],
      ['/app.js', 'GZIP;q=0.5', 'GZIP', 'gzip'],
      ['/app.js', 'br;q=0, gzip', 'GZIP', 'gzip'],
      ['/app.js', 'gzip;q=0', 'IDENTITY', null],
      ['/app.js', 'zstd', 'IDENTITY', null],
      ['/app.js', 'notgzip', 'IDENTITY', null],
      ['/z.css', 'gzip, br, zstd', 'ZSTD', 'zstd'],
    ]
    for (const [path, accepted, body, coding] of table) {
      const response = await server.ask(path, { 'accept-encoding': accepted })
      expect([accepted, response.text, response.headers.get('content-encoding')]).toEqual([accepted, body, coding])
      expect(response.headers.get('vary')).toBe('Accept-Encoding')
      expect(response.headers.get('content-type')).toMatch(/^(text\/(?:javascript|css)); charset=utf-8$/)
      expect(response.headers.get('content-length')).toBe(String(body.length))
    }
    const plain = await server.ask('/plain.js', { 'accept-encoding': 'gzip, br' })
    expect([plain.text, plain.headers.get('vary')]).toEqual(['PLAIN', null])
    const byName = await server.ask('/app.js.gz', { 'accept-encoding': 'gzip' })
    expect([byName.text, byName.headers.get('content-encoding')]).toEqual(['GZIP', null])
    expect((await server.ask('/only.js', { 'accept-encoding': 'gzip' })).status).toBe(404)
  })

  it('is ignored if the option is off', async () => {
    await using folder = await tempFolder(APP)
    await using server = await serve((router) => staticFiles(router, '/', folder.path, { precompressed: false }))
    const response = await server.ask('/app.js', { 'accept-encoding': 'gzip, br' })
    expect([response.text, response.headers.get('vary')]).toEqual(['IDENTITY', null])
  })

  it('is ignored while it is empty, as after a failed build', async () => {
    await using folder = await tempFolder({ 'a.js': 'ID', 'a.js.br': '', 'a.js.gz': 'GZIP' })
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const ask = async (): Promise<string> => (await server.ask('/a.js', { 'accept-encoding': 'gzip, br' })).text
    expect(await ask()).toBe('GZIP')
    await delay(30)
    expect([await ask(), await ask()]).toEqual(['GZIP', 'GZIP'])
    writeFileSync(folder.join('a.js.br'), 'BR')
    expect(await ask()).toBe('BR')
  })

  it('has its own tag, even with the size and time of the plain file', async () => {
    await using folder = await tempFolder({ 'a.js': 'AAAA', 'a.js.gz': 'BBBB', 'a.js.br': 'CCCC' })
    for (const name of ['a.js', 'a.js.gz', 'a.js.br']) utimesSync(folder.join(name), 1e9, 1e9)
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const tags = new Map<string, string>()
    for (const accepted of ['identity', 'gzip', 'br']) {
      const { headers } = await server.ask('/a.js', { 'accept-encoding': accepted })
      tags.set(accepted, headers.get('etag') ?? '')
    }
    expect(new Set(tags.values()).size).toBe(3)
    const gzip = tags.get('gzip') ?? ''
    const same = await server.ask('/a.js', { 'accept-encoding': 'gzip', 'if-none-match': gzip })
    expect([same.status, same.headers.get('vary'), same.headers.get('etag')]).toEqual([304, 'Accept-Encoding', gzip])
    expect((await server.ask('/a.js', { 'accept-encoding': 'br', 'if-none-match': gzip })).status).toBe(200)
  })

  it('is ignored if it is not a regular file inside the directory', async () => {
    await using folder = await tempFolder({ 'root/a.js': 'ID', 'root/b.js': 'ID', 'root/c.js': 'ID', secret: 'SECRET' })
    execFileSync('mkfifo', [folder.join('root/a.js.gz')])
    symlinkSync('../secret', folder.join('root/b.js.gz'))
    symlinkSync('nowhere', folder.join('root/c.js.gz'))
    await using server = await serve((router) => staticFiles(router, '/', folder.join('root')))
    for (const path of ['/a.js', '/b.js', '/c.js']) {
      const response = await server.ask(path, { 'accept-encoding': 'gzip' })
      expect([path, response.text, response.headers.get('content-encoding')]).toEqual([path, 'ID', null])
    }
  })

  it('is checked again for each request', async () => {
    await using folder = await tempFolder(APP)
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const ask = (): Promise<Response> => server.ask('/app.js', { 'accept-encoding': 'gzip' })
    expect((await ask()).text).toBe('GZIP')
    rmSync(folder.join('app.js.gz'))
    expect((await ask()).text).toBe('IDENTITY')
    writeFileSync(folder.join('app.js.gz'), 'AGAIN')
    expect((await ask()).text).toBe('AGAIN')
    rmSync(folder.join('app.js'))
    expect((await ask()).status).toBe(404)
  })

  it('causes a 406 if the client accepts no available content coding', async () => {
    await using folder = await tempFolder(APP)
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const response = await server.ask('/app.js', { 'accept-encoding': '*;q=0' })
    expect(response.status).toBe(406)
    expect(response.headers.get('vary')).toMatch(/accept-encoding/i)
  })
})

describe('a single-page application', () => {
  const SPA = { 'index.html': 'SHELL', 'about/index.html': 'ABOUT', 'empty/x': '', 'index.html.gz': 'GZ' }

  it('answers paths without a file with the fallback file', async () => {
    await using folder = await tempFolder(SPA)
    await using server = await serve((router) => staticFiles(router, '/', folder.path, { spa: true }))
    for (const path of ['/route', '/users/42', '/route?file=a.js', '/a.b/c', '/%D0%BF', '/empty/', '/']) {
      const response = await server.ask(path)
      expect([path, response.status, response.text]).toEqual([path, 200, 'SHELL'])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
    expect((await server.ask('/about/')).text).toBe('ABOUT')
    const head = await server.ask('/route', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '5', ''])
    const coded = await server.ask('/route', { 'accept-encoding': 'gzip' })
    expect([coded.text, coded.headers.get('content-encoding')]).toEqual(['GZ', 'gzip'])
    const same = await server.ask('/route', { 'if-none-match': (await server.ask('/')).headers.get('etag') ?? '' })
    expect(same.status).toBe(304)
  })

  it('answers 404 for an asset unless Accept names HTML', async () => {
    await using folder = await tempFolder({ 'index.html': 'SHELL' })
    await using server = await serve((router) => staticFiles(router, '/', folder.path, { spa: true }))
    for (const path of ['/missing.js', '/missing.JS', '/missing%2ejs', '/assets/a.woff2']) {
      const asset = await server.ask(path, { accept: '*/*' })
      expect([path, asset.status, asset.text.includes('SHELL')]).toEqual([path, 404, false])
      expect(asset.headers.get('vary')).toMatch(/(^|, )accept(,|$)/i)
      const page = await server.ask(path, { accept: NAVIGATION })
      expect([path, page.status, page.text]).toEqual([path, 200, 'SHELL'])
      expect(page.headers.get('vary')).toBe('Accept')
    }
    expect((await server.ask('/.well-known/assetlinks', { accept: NAVIGATION })).status).toBe(404)
  })

  it('answers 404 and logs the reason for a file that must not be sent', async () => {
    await using folder = await tempFolder({ 'root/index.html': 'SHELL', 'root/x': 'X', out: 'OUT' })
    symlinkSync('../out', folder.join('root/link'))
    symlinkSync('x', folder.join('root/inner'))
    for (const symlinks of ['inside', 'deny'] as const) {
      const warned: string[] = []
      await using server = await serve((router) =>
        staticFiles(router, '/', folder.join('root'), { spa: true, symlinks, onWarning: (text) => warned.push(text) }),
      )
      const responses = [await server.ask('/link'), await server.ask('/inner'), await server.ask('/none')]
      expect(responses.map(({ status }) => status)).toEqual([404, symlinks === 'deny' ? 404 : 200, 200])
      expect(warned[0]).toMatch(/link: a link leads out/)
    }
  })

  it('sends the configured fallback file, but the index file for a directory', async () => {
    await using folder = await tempFolder({ 'index.html': 'INDEX', 'shell/app.html': 'APP' })
    await using server = await serve((router) =>
      staticFiles(router, '/', folder.path, { spa: true, fallbackFile: 'shell/app.html' }),
    )
    expect((await server.ask('/x/y')).text).toBe('APP')
    expect((await server.ask('/')).text).toBe('INDEX')
  })

  it('is disabled by default and applies only below its prefix', async () => {
    await using folder = await tempFolder({ 'index.html': 'SHELL' })
    await using off = await serve((router) => staticFiles(router, '/', folder.path))
    expect((await off.ask('/route')).status).toBe(404)
    await using server = await serve((router) => staticFiles(router, '/app', folder.path, { spa: true }))
    expect((await server.ask('/app/route')).text).toBe('SHELL')
    expect((await server.ask('/other/route')).status).toBe(404)
  })

  it('answers 404 if the fallback file cannot be sent', async () => {
    await using folder = await tempFolder({ 'a.txt': '' })
    await using server = await serve((router) => staticFiles(router, '/', folder.path, { spa: true }))
    expect((await server.ask('/route')).status).toBe(404)
    execFileSync('mkfifo', [folder.join('index.html')])
    expect((await server.ask('/route')).status).toBe(404)
    expect((await server.ask('/')).status).toBe(404)
  })
})

describe('cacheControl', () => {
  it('is called for each response with the path of the sent file', async () => {
    await using folder = await tempFolder({ 'index.html': 'SHELL', 'app.js': 'A', 'a.txt': 'T' })
    const asked: [string, boolean][] = []
    await using server = await serve((router) =>
      staticFiles(router, '/s', folder.path, {
        spa: true,
        cacheControl: (path, isFallback) => {
          asked.push([path, isFallback])
          if (path.endsWith('.txt')) return undefined
          return isFallback ? 'no-cache' : 'max-age=60'
        },
      }),
    )
    const table: [string, string | null][] = [
      ['/s/app.js', 'max-age=60'],
      ['/s/', 'max-age=60'],
      ['/s/index.html', 'max-age=60'],
      ['/s/route', 'no-cache'],
      ['/s/a.txt', null],
    ]
    for (const [path, value] of table) {
      expect([path, (await server.ask(path)).headers.get('cache-control')]).toEqual([path, value])
    }
    expect(asked).toEqual([
      ['/app.js', false],
      ['/index.html', false],
      ['/index.html', false],
      ['/index.html', true],
      ['/a.txt', false],
    ])
    const same = await server.ask('/s/app.js', { 'if-none-match': '*' })
    expect([same.status, same.headers.get('cache-control')]).toEqual([304, 'max-age=60'])
    expect((await server.ask('/s/missing.js')).headers.get('cache-control')).toBeNull()
  })
})

it.each([
  [Promise.resolve('no-cache'), 'a Promise'],
  [60, '60'],
  [null, 'null'],
])('refuses %s as the result of cacheControl', async (value, shown) => {
  await using folder = await tempFolder({ 'a.txt': 'A' })
  await using server = await serve((router) => {
    router.onError((error, ctx) => ctx.text(String(error)))
    staticFiles(router, '/', folder.path, { cacheControl: (() => value) as never })
  })
  expect((await server.ask('/a.txt')).text).toBe(
    `TypeError: staticFiles: cacheControl must return a string or undefined, got ${shown} for /a.txt. Return, for example, 'no-cache'.`,
  )
})

describe('freshness', () => {
  it('detects a change between two requests in one turn without a network', async () => {
    await using folder = await tempFolder({ 'a.txt': 'old' })
    const server = new Server()
    staticFiles(server.router(), '/', folder.path)
    const ask = async (): Promise<string> => (await server.fetch('/a.txt')).text()
    await delay(40)
    for (let i = 0; i < 3; i++) expect(await ask()).toBe('old')
    for (let i = 0; i < 20; i++) {
      writeFileSync(folder.join('a.txt'), `new ${i}`)
      expect(await ask()).toBe(`new ${i}`)
    }
  })

  it.each(['/app.js', '/some/route'])(
    'responds identically from memory and disk, with conditions, content codings and Cache-Control (%s)',
    async (path) => {
      await using folder = await tempFolder(APP)
      await using server = await serve((router) =>
        staticFiles(router, '/', folder.path, {
          spa: true,
          fallbackFile: 'app.js',
          cacheControl: (file, isFallback) => `public, x="${file} ${isFallback}"`,
        }),
      )
      const requests: Record<string, string>[] = [
        {},
        { 'accept-encoding': 'gzip' },
        { 'accept-encoding': 'br, gzip' },
        { 'accept-encoding': '*;q=0' },
        { range: 'bytes=1-2' },
        { range: 'bytes=99-' },
        { 'if-none-match': '*' },
        { 'if-match': '"x"' },
      ]
      const round = async (): Promise<unknown[]> => {
        const responses: unknown[] = []
        for (const method of ['GET', 'HEAD']) {
          for (const headers of requests) {
            const { status, text, headers: fields } = await server.ask(path, headers, method)
            fields.delete('date')
            responses.push([status, text, [...fields]])
          }
        }
        return responses
      }
      const fromFile = await round()
      await delay(40)
      await round()
      expect(await round()).toEqual(fromFile)
    },
  )

  it.each([true, false])(
    'detects every change to the fallback file on the next request (in memory: %s)',
    async (cacheInMemory) => {
      await using folder = await tempFolder({ 'index.html': 'one' })
      await using server = await serve((router) => staticFiles(router, '/', folder.path, { spa: true, cacheInMemory }))
      const texts = async (): Promise<string[]> => {
        const responses = [await server.ask('/a/route'), await server.ask('/another'), await server.ask('/a/route')]
        return responses.map(({ status, text }) => `${status} ${status === 200 ? text : ''}`)
      }
      await delay(40)
      for (let i = 0; i < 2; i++) expect(await texts()).toEqual(Array(3).fill('200 one'))
      writeFileSync(folder.join('index.html'), 'two')
      expect(await texts()).toEqual(Array(3).fill('200 two'))
      rmSync(folder.join('index.html'))
      expect(await texts()).toEqual(Array(3).fill('404 '))
      writeFileSync(folder.join('index.html'), 'three')
      expect(await texts()).toEqual(Array(3).fill('200 three'))
      writeFileSync(folder.join('another'), 'file')
      expect(await texts()).toEqual(['200 three', '200 file', '200 three'])
    },
  )

  it.each([true, false])('detects every change on the next request (in memory: %s)', async (cacheInMemory) => {
    await using folder = await tempFolder({ 'r1/s.txt': 'one!', 'r2/s.txt': 'two!' })
    symlinkSync('r1', folder.join('current'))
    for (const name of ['r1', 'r2']) utimesSync(folder.join(name, 's.txt'), 1e9, 1e9)
    await using server = await serve((router) => {
      staticFiles(router, '/', folder.path, { cacheInMemory })
      staticFiles(router, '/release', folder.join('current'), { cacheInMemory })
    })
    for (const path of ['/current/s.txt', '/release/s.txt']) {
      for (let i = 0; i < 3; i++) expect((await server.ask(path)).text).toBe('one!')
    }
    symlinkSync('r2', folder.join('next'))
    renameSync(folder.join('next'), folder.join('current'))
    for (const path of ['/current/s.txt', '/release/s.txt']) expect((await server.ask(path)).text).toBe('two!')

    const { headers } = await server.ask('/r1/s.txt')
    utimesSync(folder.join('r1/s.txt'), 1e9, 1e9 + 1)
    const touched = await server.ask('/r1/s.txt', { 'if-none-match': headers.get('etag') ?? '' })
    expect([touched.status, touched.text]).toEqual([200, 'one!'])
    expect((await server.ask('/new.txt')).status).toBe(404)
    writeFileSync(folder.join('new.txt'), 'born')
    expect((await server.ask('/new.txt')).text).toBe('born')
  })
})
