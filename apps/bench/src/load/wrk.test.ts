import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LoadRequest, LoadShape } from '../http/scenario.ts'
import { portOf } from '../server-program.ts'
import type { Load, LoadTarget } from './load.ts'
import { wrk } from './wrk.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fw-bench-wrk-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Seen {
  readonly request: IncomingMessage
  readonly body: string
}

/** Generates load for a second. @returns the result, and one of the received requests */
async function loadFor(request: LoadRequest, shape: LoadShape, respond: RequestListener) {
  const { promise, resolve } = Promise.withResolvers<Seen>()
  const server = createServer((received, response) => {
    let body = ''
    received.setEncoding('utf8').on('data', (text: string) => (body += text))
    received.on('end', () => {
      resolve({ request: received, body })
      respond(received, response)
    })
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const load = await loaded({ port: portOf(server), isTls: false, request, shape, folder })
  return { load, ...(await promise) }
}

/** Repeats the load if the machine stalled for the whole second and the server sent no response. */
async function loaded(target: LoadTarget): Promise<Load> {
  for (;;) {
    try {
      return await wrk(target, 1)
    } catch (error) {
      if (!String(error).includes('The server sent no response')) throw error
    }
  }
}

const failing: RequestListener = (_request, response) => response.writeHead(500).end()

describe('wrk', () => {
  it('sends the given method, path, fields and body, including quotes and backslashes', async () => {
    const body = '{"text":"a \\"quoted\\" \\\\ backslash"}'
    const headers = { 'content-type': 'application/json', 'if-none-match': '"a\\b"' }
    const sent = { method: 'POST', path: '/a?b=c', headers, body }
    const seen = await loadFor(sent, { connections: 2 }, (_request, response) => response.end('ok'))
    expect(seen.body).toBe(body)
    expect([seen.request.method, seen.request.url]).toEqual(['POST', '/a?b=c'])
    expect(seen.request.headers).toMatchObject(headers)
    expect(seen.load.requests).toBeGreaterThan(0)
    expect(seen.load.p99Ms).toBeGreaterThanOrEqual(seen.load.p50Ms)
  })

  it('opens a connection for each request with isOnce', async () => {
    const sent = { method: 'GET', path: '/', headers: {} }
    const seen = await loadFor(sent, { connections: 2, isOnce: true }, (_request, response) => response.end('ok'))
    expect(seen.request.headers.connection).toBe('close')
    expect(seen.load.requests).toBeGreaterThan(0)
  })

  it('pipelines several requests', async () => {
    let [open, max] = [0, 0]
    const sent = { method: 'GET', path: '/', headers: {} }
    await loadFor(sent, { connections: 1, depth: 8 }, (_request, response) => {
      open++
      max = Math.max(max, open)
      setImmediate(() => response.end('ok', () => open--))
    })
    expect(max).toBeGreaterThan(1)
  })

  it('rejects if a response has an error status', async () => {
    const sent = { method: 'GET', path: '/', headers: {} }
    await expect(loadFor(sent, { connections: 1 }, failing)).rejects.toThrow('requests failed')
  })
})
