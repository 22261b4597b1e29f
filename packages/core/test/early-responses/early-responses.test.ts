import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { eachProtocol, testCertificate, type ServerDemand } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpError, Server } from '../../src/index.ts'
import type { Limits } from '../../src/options/limits.ts'
import { chunks, sendThenRead, zeros } from './send-then-read.ts'

const KIB = 1024
const MIB = 1024 * KIB
const SIZES = [64 * KIB, 300 * KIB, 16 * MIB]
/** Exceeds the socket buffers of both sides. */
const LARGE = Buffer.alloc(8 * MIB, 'x')

beforeAll(() => log.setSinks([]))

/** Creates a server whose routes respond before they have read the body. */
function earlyRoutes(limits: Partial<Limits> = {}, tls?: { key: string; cert: string }, http3 = false): Server {
  const server = new Server({ limits, http3, ...(tls === undefined ? {} : { tls }) })
  server
    .router()
    .post('/accepted', () => 'early')
    .post('/unauthorized', () => {
      throw new HttpError(401, 'early')
    })
    .post('/later', async (ctx) => {
      await sleep(50)
      return ctx.text('early', { status: 401 })
    })
    .post('/bytes', async (ctx) => String((await ctx.bytes()).length))
    .post('/stream', async (ctx) => {
      let bytes = 0
      for await (const slice of ctx.stream()) bytes += slice.byteLength
      return String(bytes)
    })
    .post('/part', { limits: { maxBodyBytes: 1024 * MIB } }, async (ctx) => {
      for await (const slice of ctx.stream()) return ctx.text(`early ${slice.byteLength > 0}`, { status: 403 })
      return 'empty'
    })
    .post('/slow', { timeoutMs: 50 }, async (ctx) => {
      await once(ctx.signal, 'abort')
      return 'late'
    })
    .post('/large', () => LARGE)
  return server
}

/** The name, the request and the status for each source of a response. */
const CASES: readonly (readonly [what: string, path: string, framing: 'length' | 'chunked', status: number])[] = [
  ['a handler that returns immediately', '/accepted', 'length', 200],
  ['a handler that returns immediately, for a chunked request', '/accepted', 'chunked', 200],
  ['a handler that throws an HttpError', '/unauthorized', 'length', 401],
  ['a slow handler', '/later', 'length', 401],
  ['a slow handler, for a chunked request', '/later', 'chunked', 401],
  ['a handler that reads part of the body', '/part', 'length', 403],
  ['the body limit, by Content-Length', '/bytes', 'length', 413],
  ['the body limit, in the middle of a chunked body', '/bytes', 'chunked', 413],
  ['the body limit, in the middle of a stream', '/stream', 'chunked', 413],
  ["the route's timeout", '/slow', 'length', 503],
  ['the router, without a matching route', '/missing', 'length', 404],
]

describe.each([
  ['h1', false],
  ['h1+tls', true],
])('an early response to a client that sends its whole request first (%s)', (_protocol, tls) => {
  let server: Server
  let port = 0

  beforeAll(async () => {
    const { key, cert } = await testCertificate()
    server = earlyRoutes({ maxBodyBytes: 32 * KIB }, tls ? { key, cert } : undefined)
    port = (await server.listen({ port: 0, host: '127.0.0.1' })).port ?? 0
  })
  afterAll(() => server.close({ drainMs: 0 }))

  describe.each(SIZES)('a request of %i bytes', (size) => {
    it.each(CASES)('receives the response from %s', async (_what, path, framing, status) => {
      const field = framing === 'length' ? `Content-Length: ${size}` : 'Transfer-Encoding: chunked'
      // Without this field, the server keeps the connection open after a small body.
      const close = size < MIB ? 'Connection: close\r\n' : ''
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${close}${field}\r\n\r\n`
      const body = framing === 'length' ? zeros(size) : chunks(size)
      const { text, isSent, error } = await sendThenRead({ port, tls, head, body })
      expect({ status: text.slice(9, 12), isSent, error }).toEqual({
        status: String(status),
        isSent: true,
        error: undefined,
      })
    })
  })

  it.each(['length', 'chunked'])('arrives after a body of 64 MiB (framing: %s)', async (framing) => {
    const field = framing === 'length' ? `Content-Length: ${64 * MIB}` : 'Transfer-Encoding: chunked'
    const head = `POST /later HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`
    const body = framing === 'length' ? zeros(64 * MIB) : chunks(64 * MIB)
    const { text, isSent, error } = await sendThenRead({ port, tls, head, body })
    expect([text.slice(9, 12), isSent, error]).toEqual(['401', true, undefined])
  })

  it('arrives while the server is closing', async () => {
    const { key, cert } = await testCertificate()
    const closing = earlyRoutes({}, tls ? { key, cert } : undefined)
    const { port: own = 0 } = await closing.listen({ port: 0, host: '127.0.0.1' })
    const head = `POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: ${16 * MIB}\r\n\r\n`
    const result = sendThenRead({ port: own, tls, head, body: closingAfter(closing, zeros(16 * MIB)) })
    expect(await result).toMatchObject({ text: expect.stringMatching(/^HTTP\/1.1 401/) as string, isSent: true })
    await closing.close()
  })

  it.each<[string, Partial<Limits>, number]>([
    ['lingerBytes', { lingerBytes: MIB }, 64 * MIB],
    ['lingerStallTimeoutMs', { lingerStallTimeoutMs: 200 }, 0],
    ['lingerTimeoutMs', { lingerTimeoutMs: 200 }, 0],
  ])('closes the connection after %s', async (_what, limits, bytes) => {
    const { key, cert } = await testCertificate()
    const limited = earlyRoutes(limits, tls ? { key, cert } : undefined)
    const { port: own = 0 } = await limited.listen({ port: 0, host: '127.0.0.1' })
    const head = `POST /accepted HTTP/1.1\r\nHost: a\r\nContent-Length: ${64 * MIB}\r\n\r\n`
    const result = await sendThenRead({ port: own, tls, head, body: zeros(bytes), waitsForClose: true })
    expect(result.isSent).toBe(bytes === 0)
    await limited.close()
  })

  it('arrives if a chunk in the middle is malformed', async () => {
    const head = 'POST /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\nno chunk\r\n'
    const { text, isSent } = await sendThenRead({ port, tls, head, body: zeros(16 * MIB) })
    expect([text.slice(9, 12), isSent]).toEqual(['400', true])
  })

  it('arrives if the head is malformed', async () => {
    const head = `POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: ${16 * MIB}\r\n\r\n`
    const { text, isSent } = await sendThenRead({ port, tls, head, body: zeros(16 * MIB) })
    expect([text.slice(9, 12), isSent]).toEqual(['400', true])
  })

  it('arrives even if it exceeds the socket buffers', async () => {
    const head = `POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: ${16 * MIB}\r\n\r\n`
    const { text, isSent } = await sendThenRead({ port, tls, head, body: zeros(16 * MIB) })
    expect(isSent).toBe(true)
    expect(text.slice(9, 12)).toBe('200')
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toHaveLength(LARGE.length)
  })

  it('reaches a client that takes three seconds to send its body', async () => {
    const head = `POST /unauthorized HTTP/1.1\r\nHost: a\r\nContent-Length: ${3 * MIB}\r\n\r\n`
    const body = zeros(3 * MIB)
    const { text, isSent } = await sendThenRead({ port, tls, head, body, bytesPerSecond: MIB })
    expect([text.slice(9, 12), isSent]).toEqual(['401', true])
  })
})

eachProtocol('an early response to a client that reads while it sends', start, (client) => {
  it.each(SIZES)('arrives before the end of a body of %i bytes', async (size) => {
    for (const path of ['/accepted', '/unauthorized', '/later', '/bytes', '/stream', '/part', '/slow']) {
      const response = await client().request({ path, body: async(zeros(size)) })
      expect([path, response.status]).toEqual([path, statusOf(path)])
      await response.text()
    }
  })

  it('does not prevent further requests on the connection', async () => {
    for (let i = 0; i < 20; i++)
      await (await client().request({ path: '/unauthorized', body: async(zeros(MIB)) })).text()
    const response = await client().request({ path: '/bytes', body: 'x' })
    expect([response.status, await response.text()]).toEqual([200, '1'])
  })
})

async function start({ tls, http3 }: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = earlyRoutes({ maxBodyBytes: 32 * KIB }, tls, http3)
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

/** Starts to close a server after the first slice. */
async function* closingAfter(server: Server, slices: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for (const slice of slices) {
    yield slice
    if (isFirst) void server.close()
    isFirst = false
  }
}

function statusOf(path: string): number | undefined {
  return CASES.find(([, of]) => of === path)?.[3] ?? 413
}

async function* async(slices: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* slices
}
