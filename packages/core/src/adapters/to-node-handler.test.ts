import { once } from 'node:events'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connect, type ProtocolClient } from '@fw/testing'
import type { Outcome } from '@fw/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { toNodeHandler } from './to-node-handler.ts'

const errors: unknown[] = []
const finished = Promise.withResolvers<Outcome>()
const app = new App({ onError: (_, error) => errors.push(error) })
app.router
  .get('/facts/:id', (ctx) => [
    ctx.params.id,
    ctx.query.get('q'),
    ctx.protocol,
    ctx.headers.get('x-a'),
    ctx.remoteAddress,
  ])
  .post('/echo', async (ctx) => ctx.bytes(await ctx.bytes()))
  .post('/pipe', (ctx) => ctx.stream(ctx.stream()))
  .post('/limited', { limits: { maxBodyBytes: 3 } }, async (ctx) => ctx.text(await ctx.text()))
  .get('/cookies', (ctx) => {
    ctx.responseHeaders.append('set-cookie', 'a=1')
    ctx.responseHeaders.append('set-cookie', 'b=2')
    return 'x'
  })
  .get('/empty', (ctx) => ctx.empty())
  .get('/endless', async (ctx) => {
    ctx.onFinish(finished.resolve)
    const body = ctx.startResponse()
    while (body.isOpen) {
      body.write(Buffer.alloc(16_384))
      await body.drained()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  .get('/broken', async (ctx) => {
    ctx.startResponse().write(Buffer.from('x'))
    throw new Error('broken')
  })

describe.each(['h1', 'h2c'] as const)('toNodeHandler (%s)', (protocol) => {
  let server: http.Server | http2.Http2Server
  let client: ProtocolClient

  beforeAll(async () => {
    const handler = toNodeHandler(app.router)
    server = protocol === 'h1' ? http.createServer(handler) : http2.createServer(handler)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = await connect(protocol, { port: (server.address() as AddressInfo).port })
  })
  afterAll(async () => {
    await client.close()
    await new Promise((resolve) => server.close(resolve))
  })

  it("passes the request's method, target, fields and address to the handler", async () => {
    const response = await client.request({ path: '/facts/a%20b?q=1', headers: [['x-a', 'b']] })
    const facts = JSON.parse(await response.text()) as unknown
    expect(facts).toEqual(['a b', '1', protocol === 'h1' ? 'HTTP/1.1' : 'HTTP/2.0', 'b', '127.0.0.1'])
  })

  it.each(['/echo', '/pipe'])('transfers a large body in both directions by %s', async (path) => {
    const body = Buffer.alloc(900_000, 'fw')
    const response = await client.request({ method: 'POST', path, body })
    expect(Buffer.compare(await response.bytes(), body)).toBe(0)
  })

  it("applies each route's body limits", async () => {
    expect((await client.request({ method: 'POST', path: '/limited', body: Buffer.from('abc') })).status).toBe(200)
    expect((await client.request({ method: 'POST', path: '/limited', body: Buffer.from('abcd') })).status).toBe(413)
  })

  it('answers 404, 405, HEAD requests and responses without a body', async () => {
    expect((await client.request({ path: '/nope' })).status).toBe(404)
    expect((await client.request({ method: 'DELETE', path: '/echo' })).status).toBe(405)
    const head = await client.request({ method: 'HEAD', path: '/cookies' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '1', ''])
    expect((await client.request({ path: '/empty' })).status).toBe(204)
  })

  it('sends several fields with the same name separately', async () => {
    const response = await client.request({ path: '/cookies' })
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('aborts a response that fails midway, so the client detects an error', async () => {
    const response = await client.request({ path: '/broken' })
    await expect(response.text()).rejects.toBeInstanceOf(Error)
    expect(errors.splice(0)).toMatchObject([{ message: 'broken' }])
  })
})

describe('toNodeHandler', () => {
  it('reports that the client disconnected', async () => {
    const server = http.createServer(toNodeHandler(app.router)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const request = http.get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path: '/endless' })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    await once(response, 'data')
    request.destroy()
    expect(await finished.promise).toMatchObject({ status: 200, aborted: true })
    await new Promise((resolve) => server.close(resolve))
  })

  // A Node.js server discards unread bytes when the response ends.
  it('fails a read after the response instead of returning part of the body', async () => {
    const { router } = new App()
    const responded = Promise.withResolvers<void>()
    const read = Promise.withResolvers<unknown>()
    router.post('/', (ctx) => {
      ctx.onFinish(() => {
        void responded.promise.then(() => ctx.text()).then(read.resolve, (error: unknown) => read.resolve(error))
      })
      return 'early'
    })
    const server = http.createServer(toNodeHandler(router)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const request = http.request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': 10 } })
    request.on('error', () => {})
    request.write('first')
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    await response.resume().toArray()
    responded.resolve()
    request.end('later')
    expect(await read.promise).toBeInstanceOf(Error)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it.each(['a part of the body', 'the whole body'])('reports that other code has already read %s', async (what) => {
    const { router } = new App()
    router.post('/', (ctx) => ctx.text().catch((error: Error) => error.message))
    const handler = toNodeHandler(router)
    const server = http.createServer((request, response) => {
      if (what === 'the whole body') request.resume().on('end', () => handler(request, response))
      else request.once('data', () => handler(request.pause(), response))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const request = http.request({ port, host: '127.0.0.1', method: 'POST' }).on('error', () => {})
    request.write('first')
    if (what === 'the whole body') request.end('later')
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    expect(String(await response.toArray())).toContain('The body has already been read')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('rejects a route group', () => {
    expect(() => toNodeHandler(new App().router.group('/a'))).toThrow(
      'toNodeHandler: router must be the router of a Server or an App, got a RouteGroup. Pass server.router()',
    )
  })
})

describe('toNodeHandler as middleware', () => {
  let server: http.Server
  let origin: string
  const seen: string[] = []

  beforeAll(async () => {
    const { router } = new App({ routing: { trailingSlash: 'redirect' } })
    router.use((ctx, next) => {
      seen.push(ctx.path)
      return next()
    })
    router.get('/here', () => 'ours').get('/gone', (ctx) => ctx.notFound())
    const handler = toNodeHandler(router)
    server = http.createServer((request, response) => handler(request, response, () => response.end('theirs')))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  it.each([
    ['GET', '/here', 200, 'ours'],
    ['HEAD', '/here', 200, ''],
    ['OPTIONS', '/here', 204, ''],
    ['GET', '/here/', 308, ''],
    ['GET', '/%zz', 400, 'malformed'],
    ['GET', '/gone', 404, 'Not Found'],
    ['POST', '/here', 200, 'theirs'],
    ['GET', '/elsewhere', 200, 'theirs'],
  ])('answers %s %s with %i and %j', async (method, path, status, text) => {
    seen.length = 0
    const response = await fetch(origin + path, { method, redirect: 'manual' })
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(text)
    expect(seen).toEqual(text === 'theirs' ? [] : [path])
  })
})
