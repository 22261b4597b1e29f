import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpError, Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol } from '@fw/testing'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { fromNode, nodeRequest } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const closed: string[] = []

/** The server behind the proxy. */
const upstream = createServer((req: IncomingMessage, res: ServerResponse) => {
  if (req.url === '/endless') {
    res.writeHead(200, { 'content-type': 'text/plain' }).write('first')
    res.on('close', () => closed.push('endless'))
    return
  }
  if (req.url === '/gone') {
    req.socket.destroy()
    return
  }
  if (req.url === '/unusual') {
    res.writeHead(999).end('unusual')
    return
  }
  res.setHeader('x-method', req.method ?? '')
  res.setHeader('set-cookie', ['a=1', 'b=2'])
  res.statusCode = 201
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const { host, 'x-forwarded-for': address, 'x-forwarded-proto': scheme } = req.headers
    res.end(JSON.stringify({ url: req.url, host, address, scheme, body: Buffer.concat(chunks).toString() }))
  })
})
const sockets = new WebSocketServer({ server: upstream, path: '/chat' })
sockets.on('connection', (socket) => socket.on('message', (text: Buffer) => socket.send(`echo ${text.toString()}`)))
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const target = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

beforeAll(() => setSinks([]))
afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})

const proxy = createProxyMiddleware({ target, changeOrigin: true, xfwd: true, pathRewrite: { '^/api': '' } })

async function* slices(...all: string[]): AsyncGenerator<Uint8Array> {
  for (const text of all) yield Buffer.from(text)
}

everyWay(
  'http-proxy-middleware',
  (router) => {
    router.use((ctx, next) => {
      ctx.responseHeaders.set('x-proxied-by', 'fw')
      return next()
    })
    router.group('/api').all('/*path', fromNode(proxy))
    router.get('/own', () => 'own')
  },
  (send, way) => {
    const isTls = way !== 'h1' && way !== 'h2c' && way !== 'fetch'

    it('forwards a request and its response', async () => {
      const { status, headers, text } = await send({ path: '/api/users?a=b' })
      expect(status).toBe(201)
      expect([headers.get('x-method'), headers.get('x-proxied-by')]).toEqual(['GET', 'fw'])
      expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      expect(JSON.parse(text)).toMatchObject({ url: '/users?a=b', scheme: isTls ? 'https' : 'http', body: '' })
      const address = way === 'fetch' ? undefined : '127.0.0.1'
      expect((JSON.parse(text) as { address?: string }).address).toBe(address)
    })

    it('forwards a body', async () => {
      const { headers, text } = await send({ path: '/api/users', method: 'PUT', body: 'a body' })
      expect(headers.get('x-method')).toBe('PUT')
      expect(JSON.parse(text)).toMatchObject({ body: 'a body' })
    })

    it('forwards a body of unknown length', async () => {
      const { text } = await send({ path: '/api/users', body: slices('one ', 'two') })
      expect(JSON.parse(text)).toMatchObject({ body: 'one two' })
    })

    it('forwards HEAD', async () => {
      const { status, headers, text } = await send({ path: '/api/users', method: 'HEAD' })
      expect([status, headers.get('x-method'), text]).toEqual([201, 'HEAD', ''])
    })

    it('responds with 504 if the server behind it disconnects', async () => {
      expect((await send({ path: '/api/gone' })).status).toBe(504)
    })

    it('responds with 502 if the server behind it sends status 999', async () => {
      expect(await send({ path: '/api/unusual' })).toMatchObject({ status: 502, text: 'unusual' })
    })

    it('leaves other paths to fw', async () => {
      expect((await send({ path: '/own' })).text).toBe('own')
    })
  },
)

eachProtocol(
  'a proxied response',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, trustProxy: false })
    server.router().group('/api').all('/*path', fromNode(proxy))
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
  },
  (client) => {
    it('is streamed, and ends upstream when the client disconnects', async () => {
      closed.length = 0
      const response = await client().request({ path: '/api/endless' })
      for await (const bytes of response.body) {
        expect(Buffer.from(bytes).toString()).toBe('first')
        break
      }
      await expect.poll(() => closed).toEqual(['endless'])
    })
  },
)

describe('a WebSocket behind http-proxy-middleware', () => {
  it('is forwarded by a route that takes over the connection', async () => {
    await using server = new Server()
    const chat = createProxyMiddleware({ target })
    server.router().get('/chat', (ctx) => {
      const request = nodeRequest(ctx)
      const { socket, head } = ctx.exchange.upgrade?.() ?? {}
      if (socket === undefined || head === undefined) throw new HttpError(426)
      return chat.upgrade(request, socket as never, Buffer.from(head))
    })
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = new WebSocket(`ws://127.0.0.1:${url.port}/chat`)
    await once(socket, 'open')
    socket.send('hello')
    const [message] = (await once(socket, 'message')) as [Buffer]
    expect(message.toString()).toBe('echo hello')
    socket.close()
    await once(socket, 'close')
  })
})
