import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol } from '@fw/testing'
import onFinished from 'on-finished'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromNode } from '../src/index.ts'

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
