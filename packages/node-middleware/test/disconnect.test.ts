import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { finished, pipeline, Writable } from 'node:stream'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol } from '@fw/testing'
import onFinished from 'on-finished'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromNode, type NodeMiddleware } from '../src/index.ts'

/** More than all buffers between the middleware and the client. */
const MUCH_BYTES = 64 * 1024 * 1024

let writtenBytes = 0
const events: string[] = []
let started = Promise.withResolvers<void>()

beforeAll(() => setSinks([]))

function note(event: string): () => void {
  return () => void events.push(event)
}

/** Notes the events of a request that its client cancels. */
function watch(req: IncomingMessage, res: ServerResponse): void {
  req.on('aborted', note('req aborted')).on('close', note('req close'))
  res.on('finish', note('res finish')).on('close', note('res close'))
  req.socket.on('close', note('socket close'))
  onFinished(res, () => events.push(`on-finished ${String(res.destroyed)} ${String(res.writableFinished)}`))
  finished(res, (error) => events.push(`finished() ${error?.message}`))
  started.resolve()
}

eachProtocol(
  'a client that disconnects',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
    const router = server.router()
    router.get(
      '/waiting',
      fromNode((req, res) => watch(req, res)),
    )
    router.get(
      '/streaming',
      fromNode((req, res) => {
        watch(req, res)
        res.write('first')
      }),
    )
    router.get('/handler', { use: fromNode((req, res, next) => (watch(req, res), next())) }, async (ctx) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      ctx.signal.addEventListener('abort', () => resolve())
      await promise
    })
    router.post(
      '/reading',
      fromNode((req, res) => {
        watch(req, res)
        req.on('error', (error) => events.push(`req error ${error.message}`)).resume()
      }),
    )
    router.get(
      '/much',
      fromNode((_req, res) => {
        const write = (): void => {
          while (writtenBytes < MUCH_BYTES && !res.writableNeedDrain) {
            writtenBytes += 64 * 1024
            res.write(Buffer.alloc(64 * 1024))
          }
          if (writtenBytes === MUCH_BYTES) res.end()
          else res.once('drain', write)
        }
        write()
      }),
    )
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
  },
  (client) => {
    it.each(['/waiting', '/streaming', '/handler'])('emits close for %s', async (path) => {
      events.length = 0
      started = Promise.withResolvers()
      const leaving = new AbortController()
      const responding = client()
        .request({ path, signal: leaving.signal })
        .then(async (response) => response.text())
      await started.promise
      leaving.abort()
      await expect(responding).rejects.toBeInstanceOf(Error)
      await expect
        .poll(() => events.toSorted())
        .toEqual([
          'finished() Premature close',
          'on-finished true false',
          'req aborted',
          'req close',
          'res close',
          'socket close',
        ])
    })

    it('fails the body that middleware is reading', async () => {
      events.length = 0
      started = Promise.withResolvers()
      const leaving = new AbortController()
      const body = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('first')
        await new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()))
      }
      const responding = client().request({ path: '/reading', body: body(), signal: leaving.signal })
      await started.promise
      leaving.abort()
      await expect(responding).rejects.toBeInstanceOf(Error)
      await expect.poll(() => events).toContain('res close')
      await expect.poll(() => events.some((event) => event.startsWith('req error'))).toBe(true)
    })

    it('makes middleware wait until the client reads', async () => {
      writtenBytes = 0
      const response = await client().request({ path: '/much' })
      let before = -1
      const isStalled = (): boolean => before === (before = writtenBytes)
      await expect.poll(isStalled, { interval: 100 }).toBe(true)
      expect(writtenBytes).toBeLessThan(MUCH_BYTES)
      for await (const _ of response.body) if (writtenBytes > before) break
      expect(writtenBytes).toBeGreaterThan(before)
    })
  },
)

describe('req.destroy()', () => {
  it.each<[string, NodeMiddleware]>([
    ['while middleware reads the body', (req) => void req.on('data', () => req.destroy())],
    ['before middleware reads the body', (req) => void req.destroy()],
    [
      'by the end of an iteration',
      async (req) => {
        for await (const _ of req) break
      },
    ],
  ])('aborts an exchange without a response %s', async (_, middleware) => {
    await using server = new Server()
    server.router().post('/', fromNode(middleware))
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect(Number(url.port), '127.0.0.1')
    let received = ''
    socket.on('data', (bytes: Buffer) => (received += bytes.toString())).on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc')
    await once(socket, 'close')
    expect(received).toBe('')
  })

  it.each<[string, NodeMiddleware, [number, string]]>([
    ['a response in the same turn', (req, res) => req.destroy() && res.end('sent'), [200, 'sent']],
    [
      'a response that has begun',
      (req, res) => (res.write('se'), req.destroy(), setImmediate(() => res.end('nt'))),
      [200, 'sent'],
    ],
    [
      'the error of a pipeline',
      (req, _res, next) => {
        const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) })
        pipeline(req, broken, (error) => next(Object.assign(error ?? {}, { status: 422, expose: true })))
      },
      [422, 'disk full'],
    ],
  ])('keeps %s', async (_, middleware, [status, text]) => {
    const server = new Server()
    server.router().post('/', fromNode(middleware))
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.from('abc')) })
    const response = await server.fetch('/', { method: 'POST', body, duplex: 'half' })
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)])
  })
})

function fail(): never {
  throw new Error('listener')
}

describe('a listener that throws', () => {
  it.each(['finish', 'callback', 'aborted'])('does not suppress later events: %s', async (event) => {
    const seen: string[] = []
    const waiting = Promise.withResolvers<void>()
    const server = new Server()
    server.router().post(
      '/',
      fromNode((req, res) => {
        req
          .on('aborted', () => event === 'aborted' && fail())
          .on('close', () => seen.push('req close'))
          .on('error', () => {})
        res.on('finish', () => event === 'finish' && fail()).on('close', () => seen.push('res close'))
        if (event === 'aborted') waiting.resolve()
        else if (event === 'callback') {
          res.write('a', fail)
          res.end()
        } else res.end('a')
      }),
    )
    const leaving = new AbortController()
    const responding = server
      .fetch('/', { method: 'POST', body: 'a body', signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => 'aborted')
    if (event === 'aborted') {
      await waiting.promise
      leaving.abort()
    }
    expect(await responding).toBe(event === 'aborted' ? 'aborted' : 'a')
    await expect.poll(() => seen.toSorted()).toEqual(['req close', 'res close'])
  })
})

describe('the abort of a response', () => {
  it.each<[string, (req: IncomingMessage, res: ServerResponse) => void]>([
    ['res.destroy()', (_req, res) => void res.destroy(new Error('given up'))],
    ['req.socket.destroy()', (req) => void req.socket.destroy()],
    [
      'res.destroy() after a piece',
      (_req, res) => {
        res.write('a')
        res.destroy()
      },
    ],
  ])('reaches the client of server.fetch: %s', async (_, handler) => {
    const server = new Server()
    server.router().get('/', fromNode(handler))
    await expect(server.fetch('/').then((response) => response.text())).rejects.toBeInstanceOf(Error)
  })
})
