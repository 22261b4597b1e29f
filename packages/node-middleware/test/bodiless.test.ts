import type { ServerResponse } from 'node:http'
import session, { MemoryStore, type SessionData } from 'express-session'
import { setSinks } from '@fw/log'
import { beforeAll, expect, it, vi } from 'vitest'
import { fromNode } from '../src/index.ts'
import { everyWay } from './every-way.ts'

beforeAll(() => setSinks([]))

/** The ids of the stored sessions. */
const saved = new Set<string>()

/** A store that stores a session later than in the same turn, as one in a database does. */
class SlowStore extends MemoryStore {
  override set(id: string, data: SessionData, callback?: (error?: unknown) => void): void {
    setTimeout(() => {
      saved.add(id)
      super.set(id, data, callback)
    }, 5)
  }
}

everyWay(
  'a response without a body that passes through express-session',
  (router) => {
    const options = { secret: 'a secret', resave: true, saveUninitialized: true, store: new SlowStore() }
    router.use(fromNode(session(options)))
    for (const status of [204, 205, 304]) {
      router.get(`/started/${status}`, (ctx) => {
        ctx.status = status
        ctx.startResponse().end()
      })
      router.get(`/stream/${status}`, (ctx) => ctx.stream(['text'], { status }))
      router.get(`/text/${status}`, (ctx) => ctx.text('text', { status }))
      router.get(`/empty/${status}`, (ctx) => ctx.empty(status))
    }
  },
  (send) => {
    it.each(
      [204, 205, 304].flatMap((status) => ['started', 'stream', 'text', 'empty'].map((kind) => ({ status, kind }))),
    )('is sent, with the session cookie: $kind, $status', async ({ kind, status }) => {
      const response = await send({ path: `/${kind}/${status}` })
      expect([response.status, response.text]).toEqual([status, ''])
      const [, id = ''] = /^connect\.sid=s%3A([^.]+)\./.exec(response.headers.get('set-cookie') ?? '') ?? []
      // startResponse() sends the head immediately.
      if (kind === 'started') await vi.waitUntil(() => saved.has(id))
      expect(saved.has(id)).toBe(true)
    })
  },
)

everyWay(
  'a patched method that changes the status',
  (router) => {
    for (const status of [204, 205, 304]) {
      router.get(
        `/end/:when/${status}`,
        {
          use: fromNode((req, res, next) => {
            const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
            res.end = (...args: unknown[]) => {
              res.statusCode = status
              const run = (): unknown => end(...args)
              if (req.url?.includes('later') === true) setImmediate(run)
              else run()
              return res
            }
            next()
          }),
        },
        () => 'body',
      )
      router.get(
        `/writeHead/${status}`,
        {
          use: fromNode((_req, res, next) => {
            const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
            res.writeHead = (_status: number, ...args: unknown[]) => writeHead(status, ...args)
            next()
          }),
        },
        () => 'body',
      )
    }
  },
  (send) => {
    it.each([204, 205, 304])('can remove the body: %i', async (status) => {
      for (const path of ['/end/now', '/end/later', '/writeHead']) {
        const response = await send({ path: `${path}/${status}` })
        expect([path, response.status, response.text]).toEqual([path, status, ''])
      }
    })
  },
)

everyWay(
  'a patched end() that adds text',
  (router) => {
    const use = fromNode((_req, res, next) => {
      const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
      res.end = (body?: unknown) =>
        end(Buffer.concat([Buffer.isBuffer(body) ? body : Buffer.from(''), Buffer.from('end')]))
      next()
    })
    router.get('/empty', { use }, (ctx) => ctx.empty(200))
    router.get('/bytes', { use }, (ctx) => ctx.bytes(new Uint8Array([97])))
    router.get('/none', { use }, (ctx) => ctx.empty(204))
  },
  (send) => {
    it.each([
      ['/empty', 200, 'end'],
      ['/bytes', 200, 'aend'],
      ['/none', 204, ''],
    ])('is sent, and receives a Buffer: %s', async (path, status, text) => {
      expect(await send({ path })).toMatchObject({ status, text })
    })
  },
)

everyWay(
  'a patched write()',
  (router) => {
    const use = fromNode((_req, res, next) => {
      const write = res.write.bind(res) as (...args: unknown[]) => boolean
      res.write = (chunk: unknown) => write(Buffer.isBuffer(chunk) ? 'b' : 'u')
      next()
    })
    router.get('/', { use }, (ctx) => ctx.stream([new Uint8Array([97])]))
  },
  (send) => {
    it('receives a Buffer', async () => expect((await send({ path: '/' })).text).toBe('b'))
  },
)
