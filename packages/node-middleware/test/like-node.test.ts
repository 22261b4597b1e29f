import { once } from 'node:events'
import { createServer, IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished, pipeline, Readable } from 'node:stream'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromNode } from '../src/index.ts'

/** A handler that notes what it sees. */
type Handler = (req: IncomingMessage, res: ServerResponse, note: (...values: unknown[]) => void) => void

/** Fields that the servers add themselves. */
const ADDED = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'])

let handler: Handler = () => {}
const noted: unknown[][] = []
const listener = (req: IncomingMessage, res: ServerResponse): void =>
  handler(req, res, (...values) => void noted.push(values))
const nodeServer = createServer(listener)
const fwServer = new Server()
const ports: number[] = []

beforeAll(async () => {
  setSinks([])
  nodeServer.listen(0, '127.0.0.1')
  await once(nodeServer, 'listening')
  fwServer.router().all('/*path', fromNode(listener))
  const { url } = await fwServer.listen({ port: 0, host: '127.0.0.1' })
  ports.push((nodeServer.address() as AddressInfo).port, Number(url.port))
})
afterAll(async () => {
  nodeServer.closeAllConnections()
  nodeServer.close()
  await fwServer.close({ drainMs: 0 })
})

/** The response, and the notes of the handler. */
interface Result {
  readonly status: number
  readonly headers: readonly [name: string, value: string][]
  readonly text: string
  readonly notes: readonly unknown[][]
}

async function resultOf(port: number, init: RequestInit): Promise<Result> {
  noted.length = 0
  const response = await fetch(`http://127.0.0.1:${port}/path?a=b`, init)
  const text = await response.text()
  await settle(20)
  const headers = [...response.headers].filter(([name]) => !ADDED.has(name))
  return { status: response.status, headers, text, notes: [...noted] }
}

/** Runs a handler with `node:http`, then with `fromNode()`. */
async function both(given: Handler, init: RequestInit = {}): Promise<{ node: Result; fw: Result }> {
  handler = given
  const [nodePort = 0, fwPort = 0] = ports
  return { node: await resultOf(nodePort, init), fw: await resultOf(fwPort, init) }
}

function throws(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch {
    return true
  }
}

describe('a response that behaves like that of node:http', () => {
  it.each<[string, Handler]>([
    ['a status', (_req, res) => res.writeHead(203).end('a')],
    ['a status and a reason', (_req, res) => res.writeHead(203, 'Reason').end('a')],
    ['an object', (_req, res) => res.writeHead(203, { 'X-A': 'b', 'x-n': 1, 'x-l': ['a', 'b'] }).end('a')],
    ['a reason and an object', (_req, res) => res.writeHead(203, 'Reason', { 'x-a': 'b' }).end('a')],
    ['a flat array', (_req, res) => res.writeHead(203, ['x-a', 'b', 'x-a', 'c', 'x-n', 1]).end('a')],
    [
      'an array of pairs',
      (_req, res) =>
        res
          .writeHead(203, [
            ['x-a', 'b'],
            ['x-b', 'c'],
          ] as never)
          .end('a'),
    ],
    ['a reason and an array', (_req, res) => res.writeHead(203, 'Reason', ['x-a', 'b']).end('a')],
    [
      'fields that were set before',
      (_req, res) => {
        res.setHeader('x-a', 'old').setHeader('x-b', 'kept')
        res.writeHead(203, { 'X-A': 'new' }).end('a')
      },
    ],
    [
      'an array with fields that were set before',
      (_req, res) => {
        res.setHeader('x-a', 'old')
        res.writeHead(203, ['X-A', 'new', 'x-a', 'newer']).end('a')
      },
    ],
    ['several cookies', (_req, res) => res.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end()],
  ])('sends the head of writeHead with %s', async (_, given) => {
    const { node, fw } = await both(given)
    expect(fw).toEqual(node)
  })

  it.each<[string, Handler]>([
    ['text', (_req, res) => res.end('é')],
    ['text in another encoding', (_req, res) => (res.write('c3', 'hex'), res.end('qQ==', 'base64'))],
    ['latin1', (_req, res) => res.end('é', 'latin1')],
    ['bytes', (_req, res) => res.end(Buffer.from([1, 2, 255]))],
    ['a Uint8Array in pieces', (_req, res) => (res.write(new Uint8Array([1, 2])), res.end(new Uint8Array([3])))],
    ['no body', (_req, res) => res.end()],
    ['an empty write', (_req, res) => (res.write(''), res.end('after'))],
    ['204', (_req, res) => res.writeHead(204).end()],
    ['304', (_req, res) => res.writeHead(304, { etag: '"a"' }).end()],
    ['a stream', (_req, res) => void Readable.from(['one ', 'two']).pipe(res)],
    [
      'an announced length',
      (_req, res) => (res.writeHead(200, { 'content-length': 4 }), res.write('ab'), res.end('cd')),
    ],
    [
      'flushed headers',
      (_req, res) => {
        res.setHeader('x-a', 'b')
        res.flushHeaders()
        setImmediate(() => res.end('later'))
      },
    ],
  ])('sends %s', async (_, given) => {
    const { node, fw } = await both(given)
    expect(fw).toEqual(node)
  })

  it('keeps fields', async () => {
    const { node, fw } = await both((_req, res, note) => {
      res.setHeader('X-Upper', 'a')
      res.setHeader('x-list', ['a', 'b'])
      res.appendHeader('x-list', 'c').appendHeader('x-new', ['d', 'e'])
      res.setHeaders(new Headers([['x-map', 'f']]))
      res.setHeaders(new Map([['x-other', 'g']]))
      res.setHeader('x-gone', 'h')
      res.removeHeader('X-Gone')
      note(res.getHeader('x-upper'), res.getHeader('X-List'), res.getHeader('x-new'), res.getHeader('x-gone'))
      note(res.hasHeader('X-LIST'), res.hasHeader('x-gone'), res.getHeaderNames())
      note({ ...res.getHeaders() })
      res.end()
    })
    expect(fw).toEqual(node)
    expect(fw.notes[0]).toEqual(['a', ['a', 'b', 'c'], ['d', 'e'], undefined])
  })

  it('rejects late and invalid fields', async () => {
    const { node, fw } = await both((_req, res, note) => {
      note(
        throws(() => res.setHeader('a b', 'c')),
        throws(() => res.setHeader('x-a', 'a\nb')),
      )
      note(
        throws(() => res.setHeader('x-a', undefined as never)),
        throws(() => res.writeHead(200, ['x-a'])),
      )
      note(
        throws(() => res.write(1)),
        throws(() => res.write(null)),
      )
      res.writeHead(200)
      note(
        throws(() => res.setHeader('x-a', 'b')),
        throws(() => res.removeHeader('x-a')),
        throws(() => res.writeHead(200)),
      )
      res.end('a')
      note(
        throws(() => res.appendHeader('x-a', 'b')),
        throws(() => res.end()),
      )
    })
    expect(fw).toEqual(node)
    expect(fw.notes.flat()).toEqual([true, true, true, true, true, true, true, true, true, true, false])
  })

  it('rejects invalid trailer fields', async () => {
    const { node, fw } = await both((_req, res, note) => {
      note(
        throws(() => res.addTrailers({ 'x-a': 'a\r\nb: c' })),
        throws(() => res.addTrailers({ 'a b': 'c' })),
        throws(() => res.addTrailers({ 'x-a': 'b' })),
      )
      res.end('a')
    })
    expect(fw).toEqual(node)
    expect(fw.notes.flat()).toEqual([true, true, false])
  })

  it('reports its state', async () => {
    const { node, fw } = await both((_req, res, note) => {
      const state = (): unknown[] => [
        res.headersSent,
        res.finished,
        res.writableEnded,
        res.writableFinished,
        res.destroyed,
        res.statusCode,
        res.writable,
      ]
      note(state())
      res.writeHead(202)
      note(state())
      res.write('a')
      note(state())
      res.on('finish', () => note('finish', state().slice(0, 4)))
      res.end('b')
      note(state().slice(0, 3))
      res.on('close', () => note('close', res.destroyed, res.closed))
    })
    expect(fw).toEqual(node)
  })

  it('calls back, and emits finish before close', async () => {
    const { node, fw } = await both((_req, res, note) => {
      res.on('finish', () => note('finish'))
      res.on('close', () => note('close'))
      res.once('prefinish', () => {})
      res.write('a', () => note('written'))
      res.end('b')
    })
    expect(fw).toEqual(node)
    expect(fw.notes).toEqual([['written'], ['finish'], ['close']])
  })

  it('calls back at the end', async () => {
    const { node, fw } = await both((_req, res, note) => res.end('a', () => note('ended', res.writableFinished)))
    expect(fw).toEqual(node)
    expect(fw.notes).toEqual([['ended', true]])
  })

  it('reports a write after the end', async () => {
    const { node, fw } = await both((_req, res, note) => {
      res.on('error', (error: Error & { code: string }) => note('error', error.code))
      res.end('a')
      res.write('b', (error) => note('callback', (error as Error & { code: string }).code))
    })
    expect(fw).toEqual(node)
    expect(fw.notes).toEqual(expect.arrayContaining([['callback', 'ERR_STREAM_WRITE_AFTER_END']]))
  })

  it('reports a write after destroy', async () => {
    const codes: (string | undefined)[] = []
    const given: Handler = (_req, res) => {
      res.on('error', () => codes.push('error event'))
      res.write('a')
      res.destroy()
      res.write('b', (error) => void codes.push((error as NodeJS.ErrnoException | null)?.code))
    }
    await expect(both(given)).rejects.toBeInstanceOf(Error)
    await expect.poll(() => codes).toEqual(['ERR_STREAM_DESTROYED'])
    codes.length = 0
    await expect(resultOf(ports[1] ?? 0, {})).rejects.toBeInstanceOf(Error)
    await expect.poll(() => codes).toEqual(['ERR_STREAM_DESTROYED'])
  })

  it.each<[string, Handler]>([
    ['finished()', (_req, res, note) => (finished(res, (error) => note('done', error?.message)), res.end('a'))],
    [
      'pipeline()',
      (_req, res, note) => {
        pipeline(Readable.from(['a', 'b']), res, (error) => note('done', error?.message))
      },
    ],
  ])('works with %s of node:stream', async (_, given) => {
    const { node, fw } = await both(given)
    expect(fw).toEqual(node)
    expect(fw.notes.at(-1)).toEqual(['done', undefined])
  })

  it('is an instance of the classes of node:http', async () => {
    const { node, fw } = await both((req, res, note) => {
      note(req instanceof IncomingMessage, req instanceof Readable, res instanceof ServerResponse, res.req === req)
      note(res.socket === req.socket, req.connection === req.socket)
      res.end()
    })
    expect(fw).toEqual(node)
  })
})

describe('a request that behaves like that of node:http', () => {
  it('has the members of the head', async () => {
    const fields = { 'x-a': 'b', cookie: 'a=1; b=2', accept: 'text/css, text/html' }
    const { node, fw } = await both(
      (req, res, note) => {
        const { host: _host, ...headers } = req.headers as OutgoingHttpHeaders
        note(req.method, req.url, req.httpVersion, req.httpVersionMajor, req.httpVersionMinor)
        note(headers, req.headersDistinct['x-a'], req.trailers, req.rawTrailers, req.aborted)
        note(req.rawHeaders.indexOf('x-a') % 2, req.socket.remoteAddress, req.socket.remoteFamily)
        note(
          'encrypted' in req.socket && req.socket.encrypted === true,
          req.socket.readable,
          req.socket.writable,
          req.socket.destroyed,
        )
        note(typeof req.socket.remotePort, typeof req.socket.localPort)
        res.end()
      },
      { headers: fields },
    )
    expect(fw).toEqual(node)
  })

  it.each<[string, Handler]>([
    [
      'data events',
      (req, res, note) => {
        const chunks: Buffer[] = []
        req.on('data', (chunk: Buffer) => chunks.push(chunk))
        req.on('end', () => {
          note(Buffer.concat(chunks).toString(), req.complete, req.readableEnded)
          res.end()
        })
      },
    ],
    [
      'iteration',
      async (req, res, note) => {
        let text = ''
        for await (const chunk of req.setEncoding('utf8')) text += chunk as string
        note(text, req.complete)
        res.end()
      },
    ],
    ['pipe()', (req, res) => void req.pipe(res)],
    ['pipeline()', (req, res, note) => void pipeline(req, res, (error) => note(error?.message))],
    ['resume()', (req, res) => void req.resume().on('end', () => res.end('resumed'))],
    [
      'a late listener',
      (req, res, note) => {
        setImmediate(() => {
          req.on('close', () => note('close', req.destroyed))
          req.pipe(res)
        })
      },
    ],
  ])('reads a body with %s', async (_, given) => {
    const { node, fw } = await both(given, { method: 'POST', body: 'a bödy' })
    expect(fw).toEqual(node)
  })

  it('ends immediately without a body', async () => {
    const { node, fw } = await both((req, res, note) => {
      req.on('data', () => note('data'))
      req.on('end', () => {
        note('end', req.complete)
        res.end()
      })
    })
    expect(fw).toEqual(node)
    expect(fw.notes).toEqual([['end', true]])
  })
})
