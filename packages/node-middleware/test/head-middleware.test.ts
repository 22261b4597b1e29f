import type { ServerResponse } from 'node:http'
import { App } from '@fw/core'
import { setSinks } from '@fw/log'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import helmet from 'helmet'
import morgan from 'morgan'
import onFinished from 'on-finished'
import onHeaders from 'on-headers'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromNode, nodeRequest } from '../src/index.ts'
import { everyWay } from './every-way.ts'

beforeAll(() => setSinks([]))

everyWay(
  'helmet',
  (router) => {
    router.use(fromNode(helmet()))
    router.get('/', () => 'hello')
    router.get('/own', (ctx) => ctx.text('hello', { headers: { 'x-frame-options': 'DENY' } }))
    router.get('/fails', () => {
      throw new Error('failed')
    })
  },
  (send) => {
    it('adds its fields to the response of an fw handler', async () => {
      const { status, headers, text } = await send({ path: '/' })
      expect([status, text, headers.get('content-type')]).toEqual([200, 'hello', 'text/plain; charset=utf-8'])
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
      expect(headers.get('content-security-policy')).toContain("default-src 'self'")
      expect(headers.get('strict-transport-security')).toContain('max-age=')
    })

    it('leaves a field that the handler sets', async () => {
      expect((await send({ path: '/own' })).headers.get('x-frame-options')).toBe('DENY')
    })

    it.each([
      ['/fails', 500],
      ['/nowhere', 404],
    ])('adds its fields to the error page of %s', async (path, status) => {
      const response = await send({ path })
      expect([response.status, response.headers.get('x-frame-options')]).toEqual([status, 'SAMEORIGIN'])
    })
  },
)

everyWay(
  'cors',
  (router) => {
    router.use(fromNode(cors({ origin: 'https://app.example', credentials: true, methods: ['GET', 'PUT'] })))
    router.get('/', () => 'hello').put('/', () => 'changed')
  },
  (send) => {
    const origin = ['origin', 'https://app.example'] as const

    it('adds its fields to the response of an fw handler', async () => {
      const { headers, text } = await send({ path: '/', headers: [origin] })
      expect(text).toBe('hello')
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(headers.get('vary')).toBe('Origin')
    })

    it('responds to a preflight itself', async () => {
      const { status, headers, text } = await send({
        path: '/',
        method: 'OPTIONS',
        headers: [origin, ['access-control-request-method', 'PUT']],
      })
      expect([status, text]).toEqual([204, ''])
      expect(headers.get('access-control-allow-methods')).toBe('GET,PUT')
    })
  },
)

everyWay(
  'cookie-parser',
  (router) => {
    router.use(fromNode(cookieParser('secret')))
    router.get('/', (ctx) => Reflect.get(nodeRequest(ctx), 'cookies') as object)
  },
  (send) => {
    it('parses the cookies for an fw handler', async () => {
      const { text } = await send({ path: '/', headers: [['cookie', 'a=1; b=two%20words']] })
      expect(JSON.parse(text)).toEqual({ a: '1', b: 'two words' })
    })
  },
)

const lines: string[] = []

everyWay(
  'morgan',
  (router) => {
    const format = ':remote-addr :method :url HTTP/:http-version :status :res[content-length] :req[x-id] :response-time'
    router.use(fromNode(morgan(format, { stream: { write: (line) => void lines.push(line.trimEnd()) } })))
    router.get('/', () => 'hello')
    router.get(
      '/node',
      fromNode((_, res) => res.writeHead(201, { 'content-length': 2 }).end('ok')),
    )
  },
  (send, way) => {
    const version = { h1: '1.1', 'h1+tls': '1.1', h2: '2.0', h2c: '2.0', h3: '3.0', fetch: '1.1' }[way]
    const address = way === 'fetch' ? '-' : '127.0.0.1'

    it.each([
      ['/', '200 5'],
      ['/node', '201 2'],
      ['/nowhere?a=b', '404 55'],
    ])('logs a request for %s after its response', async (path, result) => {
      lines.length = 0
      await send({ path, headers: [['x-id', 'one']] })
      await expect.poll(() => lines).toHaveLength(1)
      expect(lines[0]).toMatch(
        new RegExp(`^${address} GET ${path.replace('?', '\\?')} HTTP/${version} ${result} one [\\d.]+$`),
      )
    })
  },
)

everyWay(
  'on-headers and on-finished',
  (router) => {
    router.use(
      fromNode((req, res, next) => {
        onHeaders(res, function (this: ServerResponse) {
          const type = String(this.getHeader('content-type'))
          this.setHeader('x-seen', `${this.statusCode} ${type}`)
          if (req.url === '/changed') this.statusCode = 203
        })
        onFinished(res, (error, { statusCode }) => finished.push(`${req.url} ${statusCode} ${error === null}`))
        next()
      }),
    )
    router.get('/', () => 'hello').get('/changed', () => 'hello')
    router.get('/empty', (ctx) => ctx.empty())
    router.get('/stream', (ctx) => ctx.stream(['one ', 'two']))
    router.get('/started', (ctx) => {
      const body = ctx.startResponse()
      body.write(Buffer.from('started'))
      body.end()
    })
    router.get('/fails', () => {
      throw new Error('failed')
    })
    router.get(
      '/node',
      fromNode((_, res) => res.writeHead(201, { 'content-type': 'text/css' }).end('ok')),
    )
  },
  (send) => {
    it.each([
      ['/', 200, '200 text/plain; charset=utf-8'],
      ['/changed', 203, '200 text/plain; charset=utf-8'],
      ['/empty', 204, '204 undefined'],
      ['/stream', 200, '200 application/octet-stream'],
      ['/started', 200, '200 undefined'],
      ['/fails', 500, '500 application/problem+json'],
      ['/node', 201, '201 text/css'],
      ['/nowhere', 404, '404 application/problem+json'],
    ])('runs both hooks for %s', async (path, status, seen) => {
      finished.length = 0
      const response = await send({ path })
      expect([response.status, response.headers.get('x-seen')]).toEqual([status, seen])
      await expect.poll(() => finished).toEqual([`${path} ${status} true`])
    })

    it('runs them for HEAD', async () => {
      finished.length = 0
      const response = await send({ path: '/', method: 'HEAD' })
      expect(response.headers.get('x-seen')).toBe('200 text/plain; charset=utf-8')
      expect(response.headers.get('content-length')).toBe('5')
      await expect.poll(() => finished).toEqual(['/ 200 true'])
    })
  },
)

const finished: string[] = []

describe('the order of fw filters and Node.js hooks', () => {
  it('runs the filter of inner middleware first, and that of outer middleware last', async () => {
    const order: string[] = []
    const app = new App()
    app.router.use((ctx, next) => {
      ctx.filterResponse(({ headers }) => order.push(`outer ${headers.get('x-order')}`))
      return next()
    })
    app.router.use(
      fromNode((_, res, next) => {
        onHeaders(res, function (this: ServerResponse) {
          order.push(`node ${String(this.getHeader('x-order'))}`)
          this.setHeader('x-order', 'node')
        })
        next()
      }),
    )
    app.router.use((ctx, next) => {
      ctx.filterResponse(({ headers }) => {
        order.push('inner')
        headers.set('x-order', 'inner')
      })
      return next()
    })
    app.router.get('/', () => 'hello')
    await app.fetch('/')
    expect(order).toEqual(['inner', 'node inner', 'outer node'])
  })
})
