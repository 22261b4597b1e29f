import { writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { tempFolder } from '@fw/testing'
import compression from 'compression'
import express, { type ErrorRequestHandler } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromNode, type NodeMiddleware } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const folder = await tempFolder()
await writeFile(`${folder.path}/page.html`, '<h1>page</h1>')

beforeAll(() => setSinks([]))

const onError: ErrorRequestHandler = (error: Error, _req, res, _next) =>
  void res.status(500).send(`caught ${error.message}`)

function newApplication(): express.Express {
  const app = express()
  app.use(express.json(), express.static(folder.path))
  app.get('/users/:id', (req, res) => void res.status(203).json({ id: req.params.id, query: req.query }))
  app.post('/echo', (req, res) => void res.send(req.body))
  app.get('/redirect', (_req, res) => res.redirect('/users/7'))
  app.get('/file', (_req, res) => res.sendFile(`${folder.path}/page.html`))
  app.get('/fails', () => {
    throw new Error('failed')
  })
  const api = express.Router()
  api.get('/host', (req, res) => void res.send(`${req.hostname} ${req.protocol} ${req.baseUrl} ${req.url}`))
  return app.use('/api', api).use(onError)
}

everyWay(
  'an Express application',
  (router) => {
    router.get('/own', () => 'an fw handler')
    router.use(fromNode(newApplication()))
    router.get('/later', () => 'a later fw handler')
  },
  (send, way) => {
    it('runs its routes', async () => {
      const { status, headers, text } = await send({ path: '/users/7?a=b' })
      expect([status, headers.get('content-type')]).toEqual([203, 'application/json; charset=utf-8'])
      expect(JSON.parse(text)).toEqual({ id: '7', query: { a: 'b' } })
      expect(headers.get('x-powered-by')).toBe('Express')
    })

    it('parses bodies', async () => {
      const headers = [['content-type', 'application/json']] as const
      expect((await send({ path: '/echo', body: '{"a":1}', headers })).text).toBe('{"a":1}')
    })

    it('sends redirects and files', async () => {
      expect((await send({ path: '/page.html' })).text).toBe('<h1>page</h1>')
      expect((await send({ path: '/file' })).text).toBe('<h1>page</h1>')
      const { status, headers } = await send({ path: '/redirect' })
      expect([status, headers.get('location')]).toEqual([302, '/users/7'])
    })

    it('has its own routers and error handlers', async () => {
      const isTls = way !== 'h1' && way !== 'h2c' && way !== 'fetch'
      const headers = [['host', 'example.org']] as const
      expect((await send({ path: '/api/host', headers })).text).toBe(
        `example.org ${isTls ? 'https' : 'http'} /api /host`,
      )
      expect((await send({ path: '/fails' })).text).toBe('caught failed')
    })

    it('leaves other paths to fw', async () => {
      expect((await send({ path: '/own' })).text).toBe('an fw handler')
      expect((await send({ path: '/later' })).text).toBe('a later fw handler')
      expect((await send({ path: '/nowhere' })).status).toBe(404)
    })
  },
)

describe('an Express application that fromNode() does not receive itself', () => {
  const app = express()
  app.get('/now', (req, res) => void res.status(203).send(`${req.hostname} ${req.path}`))
  app.get('/later', (_req, res) => void setImmediate(() => res.status(203).json({ a: 1 })))
  app.get('/promise', async (_req, res) => {
    await Promise.resolve()
    res.write('a ')
    res.end('stream')
  })
  app.post('/body', express.text(), (req, res) => void res.send(req.body))
  const outer = express()
  outer.use(app)
  const run = app as unknown as NodeMiddleware

  it.each<[string, NodeMiddleware]>([
    ['in a function', (req, res, next) => run(req, res, next)],
    ['in a later turn', (req, res, next) => void setImmediate(run, req, res, next)],
    ['in a router', express.Router().use(app) as unknown as NodeMiddleware],
    ['in another application', (req, res, next) => (outer as unknown as NodeMiddleware)(req, res, next)],
  ])('runs %s', async (_, middleware) => {
    const server = new Server()
    server
      .router()
      .use(fromNode(middleware))
      .get('/own', () => 'an fw handler')
    for (const [path, status, text] of [
      ['/now', 203, 'localhost /now'],
      ['/later', 203, '{"a":1}'],
      ['/promise', 200, 'a stream'],
      ['/own', 200, 'an fw handler'],
    ] as const) {
      const response = await server.fetch(path)
      expect([response.status, await response.text()]).toEqual([status, text])
    }
    const response = await server.fetch('/body', {
      method: 'POST',
      body: 'a body',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await response.text()).toBe('a body')
  })
})

describe('an Express application inside other middleware', () => {
  it('keeps the methods that middleware has replaced', async () => {
    const server = new Server()
    const router = server.router().use(fromNode(compression({ threshold: 0 })), fromNode(newApplication()))
    router.get('/later', () => 'a later fw handler')
    for (const [path, body] of [
      ['/page.html', '<h1>page</h1>'],
      ['/later', 'a later fw handler'],
    ] as const) {
      const response = await server.fetch(path, { headers: { 'accept-encoding': 'gzip' } })
      expect(gunzipSync(await response.bytes()).toString()).toBe(body)
    }
  })
})
