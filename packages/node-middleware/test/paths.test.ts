import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { rawExchange } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromNode, nodeRequest } from '../src/index.ts'

beforeAll(() => setSinks([]))

/**
 * `@fastify/middie`, on which `@fastify/express` is based, compared paths with its own matcher. A path in a form that only the
 * router understood skipped the middleware: CVE-2026-22031 (percent-encoding) and CVE-2026-2880 (repeated slashes, `;`, trailing
 * slashes). `fromNode()` takes no path: the router that finds the handler also finds its middleware.
 */
describe('middleware that guards a path', () => {
  const server = new Server({ routing: { caseSensitive: false, trailingSlash: 'ignore' } })
  let port = 0
  const handled: string[] = []

  beforeAll(async () => {
    const router = server.router()
    const admin = router.group('/admin')
    admin.use(
      fromNode((req, res, next) => {
        if (req.headers.authorization === 'secret') return next()
        return res.writeHead(401).end('guarded')
      }),
    )
    admin.get('/', (ctx) => void handled.push(ctx.path)).get('/*path', (ctx) => void handled.push(ctx.path))
    port = Number((await server.listen({ port: 0, host: '127.0.0.1' })).url.port)
  })
  afterAll(() => server.close({ drainMs: 0 }))

  const statusOf = async (target: string, fields = ''): Promise<number> => {
    const { text } = await rawExchange(port, `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${fields}\r\n`)
    return Number(text.slice(9, 12))
  }

  it.each([
    '/admin/users',
    '/%61dmin/users',
    '/%61%64%6d%69%6e/users',
    '/admin%2fusers',
    '//admin/users',
    '/admin//users',
    '/admin///',
    '/admin/users/',
    '/admin/users;a=b',
    '/admin;/users',
    '/ADMIN/users',
    '/admin/../admin/users',
    '/./admin/users',
    '/admin/%2e%2e/admin/users',
    '/admin/users?/public',
    '/admin/users%3f',
    '/public/..%2fadmin/users',
    '/admin\\users',
    'http://a/admin/users',
    'http://a/%61dmin/users',
  ])('runs for %s whenever its handler would', async (target) => {
    handled.length = 0
    const status = await statusOf(target)
    expect(handled).toEqual([])
    const allowed = await statusOf(target, 'authorization: secret\r\n')
    // A form that the router does not match reaches neither the middleware nor the handler.
    expect(status === 401).toBe(handled.length > 0)
    expect(allowed).not.toBe(401)
  })

  it('runs for the plain path', async () => {
    expect(await statusOf('/admin/users')).toBe(401)
    expect(await statusOf('/%61dmin/users')).toBe(401)
  })
})

describe('the URL that middleware sees', () => {
  const server = new Server()
  const router = server.router()
  const echo = fromNode((req, res) => res.end(`${req.url} ${Reflect.get(req, 'originalUrl')}`))

  it.each(['/api/users?a=b', '/api/%75sers', '/api//users?', '/api/a;b'])(
    'is the target as received: %s',
    async (target) => {
      router.group('/api').use(echo)
      expect(await (await server.fetch(target)).text()).toBe(`${target} ${target}`)
    },
  )

  it('does not change the route if middleware rewrites it', async () => {
    const rewriting = new Server()
    rewriting.router().use(
      fromNode((req, _, next) => {
        req.url = '/other'
        next()
      }),
    )
    rewriting
      .router()
      .get('/page', (ctx) => `${ctx.path} ${nodeRequest(ctx).url}`)
      .get('/other', () => 'other')
    expect(await (await rewriting.fetch('/page')).text()).toBe('/page /other')
  })
})
