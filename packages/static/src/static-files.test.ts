import { mkdirSync, symlinkSync } from 'node:fs'
import { HttpError } from '@fw/core'
import { rawExchange, tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { serve } from '../test/serve.ts'
import { staticFiles, type StaticFilesOptions } from './index.ts'

const NOT_FOUND = 'nothing here'

const mount = (prefix: string, directory: string, options?: StaticFilesOptions) =>
  serve((router) => staticFiles(router, prefix, directory, options))

const get = async (port: number, target: string, fields = ''): Promise<string> => {
  const request = `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${fields}\r\n`
  return (await rawExchange(port, request)).text
}

describe('staticFiles', () => {
  it('serves files, nested files and the index of a directory, with or without its slash', async () => {
    await using folder = await tempFolder({
      'index.html': 'ROOT',
      'a.txt': 'hello',
      'x/y/n.txt': 'deep',
      'dir/index.html': 'DIR',
      'v1.2/index.html': 'V',
      'noindex/secret.txt': 's',
      '你 好#?.txt': 'named',
      'app/[slug]/a|b.js': 'brackets',
    })
    mkdirSync(folder.join('d/index.html'), { recursive: true })
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const served: [string, string][] = [
      ['/', 'ROOT'],
      ['/index.html', 'ROOT'],
      ['/a.txt', 'hello'],
      ['/a.txt?v=1&p=../../etc', 'hello'],
      ['/x/y/n.txt', 'deep'],
      ['/app/[slug]/a|b.js', 'brackets'],
      ['/app/%5Bslug%5D/a%7Cb.js', 'brackets'],
      ['/dir/', 'DIR'],
      ['/dir', 'DIR'],
      ['/v1.2/', 'V'],
      ['/%E4%BD%A0%20%E5%A5%BD%23%3F.txt', 'named'],
      ['/%61.txt', 'hello'],
    ]
    for (const [path, body] of served) {
      const { status, text } = await server.ask(path)
      expect([path, status, text]).toEqual([path, 200, body])
    }
    for (const path of ['/nope.txt', '/noindex/', '/noindex', '/a.txt/', '/a.txt/b', '/d/']) {
      const { status, text } = await server.ask(path)
      expect([path, status, text.match(/ENOENT|secret|fw-test/)]).toEqual([path, 404, null])
    }
  })

  it('answers HEAD like GET, without the body', async () => {
    await using folder = await tempFolder({ 'a.txt': 'hello' })
    await using server = await serve((router) => staticFiles(router, '/', folder.path))
    const [got, head] = [await server.ask('/a.txt'), await server.ask('/a.txt', {}, 'HEAD')]
    for (const name of ['content-length', 'content-type', 'etag', 'last-modified', 'accept-ranges']) {
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)])
      expect(head.headers.has(name)).toBe(true)
    }
    expect(head.text).toBe('')
    expect((await server.ask('/nope', {}, 'HEAD')).status).toBe(404)
  })

  it('does not handle other methods', async () => {
    await using folder = await tempFolder({ 'a.txt': 'hello' })
    await using server = await serve((router) => {
      staticFiles(router, '/', folder.path)
      router.post('/form', () => 'posted')
    })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await server.ask('/a.txt', {}, method)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect(response.text).not.toContain('hello')
    }
    expect((await server.ask('/form', {}, 'POST')).text).toBe('posted')
  })

  it('gives more specific routes precedence, regardless of registration order', async () => {
    await using folder = await tempFolder({ 'api/users': 'a file', 'b.txt': 'B' })
    await using server = await serve((router) => {
      staticFiles(router, '/', folder.path)
      router.get('/api/users', () => 'a route')
      router.notFound(() => 'mine')
    })
    expect((await server.ask('/api/users')).text).toBe('a route')
    expect((await server.ask('/b.txt')).text).toBe('B')
    const miss = await server.ask('/nope')
    expect([miss.status, miss.text]).toEqual([404, 'mine'])
  })

  it.each([
    // prefix of the group, of the mount, request, body
    ['', '/static', '/static/a.txt', 'A'],
    ['', '/static', '/static/', 'INDEX'],
    ['', '/static', '/static', 'INDEX'],
    ['', '/static/', '/static/a.txt', 'A'],
    ['', '/a/b', '/a/b/a.txt', 'A'],
    ['', '/app/:version', '/app/7/a.txt', 'A'],
    ['', '/app/:version', '/app/a%2fb/a.txt', 'A'],
    ['', '/my files', '/my%20files/a.txt', 'A'],
    ['/group', '/', '/group/a.txt', 'A'],
    ['/group', '/', '/group', 'INDEX'],
    ['/group', '/', '/group/', 'INDEX'],
    ['/group/:id', '/static', '/group/1/static/a.txt', 'A'],
    ['', '/static', '/static-secret.txt', NOT_FOUND],
    ['', '/static', '/a.txt', NOT_FOUND],
    ['', '/static', '/static/static/a.txt', NOT_FOUND],
  ])('mounts in group %j at %j and serves %s as %j', async (group, prefix, path, body) => {
    await using folder = await tempFolder({ 'index.html': 'INDEX', 'a.txt': 'A' })
    await using server = await serve((router) => {
      staticFiles(group === '' ? router : router.group(group), prefix, folder.path)
      router.notFound(() => NOT_FOUND)
    })
    const { status, text } = await server.ask(path)
    expect([text, status]).toEqual([body, body === NOT_FOUND ? 404 : 200])
  })

  it('serves several directories, each from its own root', async () => {
    await using folder = await tempFolder({
      'one/a.txt': 'ONE',
      'one/two/only.txt': 'HIDDEN',
      'two/a.txt': 'TWO',
      'two/index.html': 'SHELL',
    })
    await using server = await serve((router) => {
      staticFiles(router, '/', folder.join('one'))
      staticFiles(router, '/two', folder.join('two'), { spa: true })
      staticFiles(router.group('/group'), '/three', folder.join('two'))
    })
    for (let i = 0; i < 2; i++) {
      expect((await server.ask('/a.txt')).text).toBe('ONE')
      expect((await server.ask('/two/a.txt')).text).toBe('TWO')
      expect((await server.ask('/group/three/a.txt')).text).toBe('TWO')
      expect((await server.ask('/two/only.txt', { accept: 'text/html' })).text).toBe('SHELL')
      expect((await server.ask('/route', { accept: 'text/html' })).status).toBe(404)
    }
  })

  it('refuses hostile paths over a socket', async () => {
    await using folder = await tempFolder({
      'root/a.txt': 'SHELL',
      'root/.env': 'SECRET',
      'root/x..y.txt': 'DOTS',
      'out.txt': 'OUTSIDE',
    })
    symlinkSync('../out.txt', folder.join('root/link.txt'))
    await using server = await serve((router) =>
      staticFiles(router, '/', folder.join('root'), { spa: true, fallbackFile: 'a.txt' }),
    )
    const targets = [
      '/../out.txt',
      '/dir/../a.txt',
      '/%2e%2e/out.txt',
      '/..%2fout.txt',
      '/dir%5ca.txt',
      '/a.txt%00',
      '/%zz',
    ]
    targets.push('/%ff', '/.env', '/%2eenv', '/x..y.txt', '/..\\out.txt', '/a%0d%0ax-injected:1', '/.well-known/x')
    for (const target of targets) {
      const text = await get(server.port, target, 'accept: text/html\r\n')
      expect([target, /OUTSIDE|SECRET|DOTS|SHELL|x-injected: ?1/.exec(text)]).toEqual([target, null])
      expect(text).toMatch(/^HTTP\/1\.1 40[04] /)
    }
    expect(await get(server.port, '/link.txt')).not.toContain('OUTSIDE')
  })

  it('sends a redirect for repeated slashes, which would otherwise bypass a guard', async () => {
    await using folder = await tempFolder({ 'admin/secret.txt': 'S', 'dir/index.html': 'D' })
    await using server = await serve((router) => {
      staticFiles(router, '/', folder.path)
      const admin = router.group('/admin')
      admin.use(() => {
        throw new HttpError(401)
      })
      staticFiles(admin, '/', folder.join('admin'))
    })
    const table = [
      ['//admin/secret.txt', '/admin/secret.txt'],
      ['/dir//?a=b//c', '/dir/?a=b//c'],
      ['///dir?x=1', '/dir?x=1'],
    ]
    for (const [target = '', location] of table) {
      const response = await get(server.port, target)
      expect(response).toMatch(/^HTTP\/1\.1 308 /)
      expect(response).toContain(`location: ${location}\r\n`)
    }
    for (const target of ['//example.com/..', '//example.com/', '/.//example.com', '//^/..']) {
      expect(await get(server.port, target)).toMatch(/^HTTP\/1\.1 404 /)
    }
    expect((await server.ask('/admin/secret.txt')).status).toBe(401)
  })

  it('adds the trailing slash to a directory path with the option redirect', async () => {
    await using folder = await tempFolder({ 'dir/index.html': 'DIR', 'index.html': 'ROOT' })
    await using server = await serve((router) => staticFiles(router, '/static', folder.path, { redirect: true }))
    const table = [
      ['/static/dir?x=1', '/static/dir/?x=1'],
      ['/static', '/static/'],
    ]
    for (const [path = '', location] of table) {
      const response = await server.ask(path)
      expect([response.status, response.headers.get('location')]).toEqual([308, location])
    }
    expect((await server.ask('/static/dir/')).text).toBe('DIR')
  })

  it('does not reveal unserved files through redirects', async () => {
    await using folder = await tempFolder({
      'root/index.html': 'ROOT',
      'root/empty/a.txt': 'A',
      'outside/index.html': 'OUT',
    })
    symlinkSync('../outside', folder.join('root/link'))
    for (const spa of [false, true]) {
      const options = { redirect: true, onWarning: () => {} }
      await using server = await serve((router) =>
        staticFiles(router, '/', folder.join('root'), spa ? { ...options, spa } : options),
      )
      const status = spa ? 200 : 404
      const table: [string, number][] = [
        ['/link', 404],
        ['//link', 404],
        ['//link/index.html', 404],
        ['/empty', status],
        ['/nothing', status],
      ]
      for (const [path, expected] of table) expect([path, (await server.ask(path)).status]).toEqual([path, expected])
    }
  })

  it('throws at registration for invalid arguments', async () => {
    await using folder = await tempFolder({ 'a.txt': '' })
    await expect(mount('/', folder.join('missing'))).rejects.toThrow(/missing", which does not exist\. Create it/)
    await expect(mount('/', folder.join('a.txt'))).rejects.toThrow(/a\.txt", which is not a directory\./)
    await expect(mount('static', folder.path)).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: 'staticFiles: urlPrefix must be a string that begins with "/", got "static". Use "/static".',
      }),
    )
    await expect(mount('/a/*rest', folder.path)).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message:
          'staticFiles: urlPrefix must be without empty, optional and wildcard segments, got "/a/*rest". Remove them: the prefix covers all paths below it.',
      }),
    )
    const misspelled = { spaa: true } as StaticFilesOptions
    await expect(mount('/', folder.path, misspelled)).rejects.toThrow(
      'staticFiles: unknown option "spaa". Did you mean "spa"?',
    )
  })
})
