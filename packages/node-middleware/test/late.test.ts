import type { ServerResponse } from 'node:http'
import { Server } from '@fw/core'
import { Level, setSinks } from '@fw/log'
import { eachProtocol } from '@fw/testing'
import express from 'express'
import { beforeEach, describe, expect, it } from 'vitest'
import { fromNode, type NodeMiddleware, nodeResponse } from '../src/index.ts'

/** Messages of warnings and errors. */
const logged: string[] = []

beforeEach(() => {
  logged.length = 0
  setSinks([
    {
      write({ level, message }) {
        if (level >= Level.Warn) logged.push(message)
      },
      flush() {},
      close() {},
    },
  ])
})

/** Calls every method that changes or sends a response. */
function useAll(res: ServerResponse, note: (event: string) => void): void {
  res.on('error', () => note('error event'))
  res.statusCode = 201
  res.setHeader('x-a', 'b').appendHeader('x-a', 'c').removeHeader('x-a')
  res.setHeaders(new Map([['x-a', 'b']]))
  res.addTrailers({ 'x-t': 'a' })
  res.flushHeaders()
  res.writeHead(202, { 'x-a': 'b' })
  res.write('late', (error) => note(`write ${(error as NodeJS.ErrnoException).code}`))
  res.end('later', () => note('end'))
}

describe('a response after the timeout of the route', () => {
  it.each<[string, boolean]>([
    ['sent', false],
    ['prepared by an asynchronous error handler', true],
  ])('has no effect while the 503 is %s', async (_, isSlow) => {
    const notes: string[] = []
    const used = Promise.withResolvers<void>()
    const server = new Server()
    const router = server.router()
    router.onError(async (_error, ctx) => {
      if (isSlow) await used.promise
      return ctx.text('timeout', { status: 503 })
    })
    const late: NodeMiddleware = (req, res) => {
      req.signal.addEventListener('abort', () => {
        const run = (): void => {
          useAll(res, (event) => void notes.push(event))
          used.resolve()
        }
        if (isSlow) run()
        else res.on('finish', () => setImmediate(run))
      })
    }
    router.get('/', { timeoutMs: 5 }, fromNode(late))
    const response = await server.fetch('/')
    expect([response.status, await response.text(), response.headers.get('x-a')]).toEqual([503, 'timeout', null])
    await used.promise
    await expect.poll(() => notes).toContain('write ERR_STREAM_DESTROYED')
    expect(notes).not.toContain('error event')
    expect(logged).toEqual([])
  })

  it('has no effect if an Express application sends it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const app = express()
    app.get('/', (_req, res) => void res.on('finish', () => setImmediate(() => (res.json({ a: 1 }), resolve()))))
    const server = new Server()
    server.router().get('/', { timeoutMs: 5 }, fromNode(app))
    expect((await server.fetch('/')).status).toBe(503)
    await promise
    expect(logged).toEqual([expect.stringContaining('The response took too long')])
  })

  it('does not run the handler if middleware calls next', async () => {
    let isRun = false
    const called = Promise.withResolvers<void>()
    const server = new Server()
    const use = fromNode((req, _res, next) => {
      req.signal.addEventListener('abort', () => {
        next()
        called.resolve()
      })
    })
    server.router().get('/', { timeoutMs: 5, use }, () => {
      isRun = true
    })
    expect((await server.fetch('/')).status).toBe(503)
    await called.promise
    expect([isRun, logged]).toEqual([false, [expect.stringContaining('The response took too long')]])
  })
})

describe('a response after the error page', () => {
  it('has no effect', async () => {
    const notes: string[] = []
    const server = new Server()
    server.router().get(
      '/',
      fromNode((_req, res, next) => {
        res.on('finish', () => setImmediate(() => useAll(res, (event) => void notes.push(event))))
        next(new Error('failed'))
      }),
    )
    expect((await server.fetch('/')).status).toBe(500)
    await expect.poll(() => notes).toContain('write ERR_STREAM_DESTROYED')
    expect(logged).toEqual([expect.stringContaining('failed')])
  })

  it('has no effect if the error page passed through patched methods', async () => {
    const done = Promise.withResolvers<void>()
    const server = new Server()
    server.router().get(
      '/',
      fromNode((_req, res, next) => {
        const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
        res.end = (...args: unknown[]) => end(...args)
        res.on('finish', () => setImmediate(() => (useAll(res, () => {}), done.resolve())))
        next(new Error('failed'))
      }),
    )
    expect((await server.fetch('/')).status).toBe(500)
    await done.promise
    expect(logged).toEqual([expect.stringContaining('failed')])
  })
})

describe('a response after that of an fw handler', () => {
  it('has no effect', async () => {
    const done = Promise.withResolvers<void>()
    const server = new Server()
    server.router().get('/', (ctx) => {
      const res = nodeResponse(ctx)
      ctx.onFinish(() => setImmediate(() => (useAll(res, () => {}), done.resolve())))
      return 'handled'
    })
    expect(await (await server.fetch('/')).text()).toBe('handled')
    await done.promise
    expect(logged).toEqual([])
  })
})

let waiting = Promise.withResolvers<() => void>()
let started = Promise.withResolvers<void>()
let runs = 0

eachProtocol(
  'a client that disconnects before middleware calls next',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
    const use = fromNode((_req, res, next) => {
      res.on('close', () => waiting.resolve(next))
      started.resolve()
    })
    server.router().get('/', { use }, () => void (runs += 1))
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
  },
  (client) => {
    it.each<[string, unknown[]]>([
      ['next()', []],
      ['next(error)', [new Error('request aborted')]],
    ])('logs no error, and ignores a late %s', async (_, args) => {
      waiting = Promise.withResolvers()
      started = Promise.withResolvers()
      const leaving = new AbortController()
      const responding = client().request({ path: '/', signal: leaving.signal })
      await started.promise
      leaving.abort()
      await expect(responding).rejects.toBeInstanceOf(Error)
      const next: (...given: unknown[]) => void = await waiting.promise
      next(...args)
      await new Promise((resolve) => setImmediate(resolve))
      expect([runs, logged]).toEqual([0, []])
    })
  },
)
