import { setTimeout as sleep } from 'node:timers/promises'
import { eachProtocol, type ClientResponse, type ServerDemand } from '@fw/testing'
import * as log from '@fw/log'
import type { Context, Outcome } from '@fw/types'
import { beforeAll, expect, it } from 'vitest'
import { HttpError, Server, type Limits } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const MIB = 1024 * 1024

/** Values that the handlers recorded. Tests that read them reset them first. */
const seen: { outcome?: Outcome | undefined; context?: Context | undefined; written: number } = { written: 0 }
let release: () => void = () => {}
const running: Server[] = []

async function start({ tls, http3 }: ServerDemand, limits: Partial<Limits> = {}): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, limits: { maxBodyBytes: MIB, ...limits } })
  const router = server.router()
  router
    .get('/', () => 'hello')
    .get('/facts/:name', (ctx) => ({
      name: ctx.params.name,
      query: ctx.query.get('q'),
      protocol: ctx.protocol,
      scheme: ctx.exchange.scheme,
      authority: ctx.exchange.authority,
      remoteAddress: ctx.remoteAddress,
      url: ctx.request.url,
    }))
    .get('/headers', (ctx) => ctx.json([...ctx.headers].filter(([name]) => name.startsWith('x-') || name === 'cookie')))
    .get('/cookies', (ctx) => {
      ctx.responseHeaders.append('set-cookie', 'a=1')
      ctx.responseHeaders.append('set-cookie', 'b=2')
      ctx.responseHeaders.set('x-bytes', '\xe9')
      ctx.empty()
    })
    .get('/unchanged', (ctx) => {
      ctx.responseHeaders.set('etag', '"1"')
      ctx.empty(304)
    })
    .get('/hints', (ctx) => {
      ctx.exchange.inform(103, ['link', '</a.css>; rel=preload'])
      return 'hinted'
    })
    .post('/echo', { limits: { maxBodyBytes: 16 * MIB } }, async (ctx) => ctx.bytes(await ctx.bytes()))
    .get('/bytes/:kind/:size', (ctx) => {
      const bytes = bytesOfEveryValue(Number(ctx.params.size) + 8)
      // The view covers only a part of its buffer.
      const { buffer, byteOffset } = bytes
      const view = new Uint8Array(buffer, byteOffset + 4, bytes.length - 8)
      ctx.bytes(ctx.params.kind === 'buffer' ? bytes.subarray(4, -4) : view)
    })
    .post('/pipe', { limits: { maxBodyBytes: 16 * MIB } }, (ctx) => ctx.stream(ctx.stream()))
    .post('/json', async (ctx) => ctx.json(await ctx.json(), { status: 201 }))
    .post('/unread', () => 'not read')
    .post('/discarded', (ctx) => ctx.empty())
    .post('/limited', async (ctx) => String((await ctx.bytes()).length))
    .get('/steps', async (ctx) => {
      const body = ctx.startResponse()
      for (const step of ['one', 'two', 'three']) {
        body.write(Buffer.from(step))
        await new Promise<void>((resolve) => (release = resolve))
      }
      body.end(['x-sum', '3'])
    })
    .get('/trailers', (ctx) => {
      const body = ctx.startResponse()
      body.write(Buffer.from('x'))
      body.end(['x-a', '1', 'connection', 'close', 'x-a', '2', 'etag', '"1"', 'etag', '"2"'])
    })
    .get('/twice', (ctx) => {
      for (const value of ['"1"', '"2"']) ctx.responseHeaders.append('etag', value)
      return 'sent'
    })
    .get('/framing', (ctx) => {
      for (const name of ['te', 'upgrade', 'transfer-encoding', 'http2-settings']) ctx.responseHeaders.set(name, 'x')
      return 'sent'
    })
    .get('/later', async (ctx) => {
      ctx.onFinish((outcome) => (seen.outcome = outcome))
      const body = ctx.startResponse()
      await sleep(50)
      body.write(Buffer.from('late'))
    })
    .get('/throws', () => {
      throw new Error('secret of the house')
    })
    .get('/teapot', () => {
      throw new HttpError(418, 'no coffee')
    })
    .get('/lookalike', () => {
      const headers = { 'x-key': 'secret of the house' }
      throw Object.assign(new Error('secret of the house'), { name: 'HttpError', status: 401, headers })
    })
    .get('/breaks', async (ctx) => {
      const body = ctx.startResponse()
      body.write(Buffer.from('half'))
      await new Promise<void>((resolve) => (release = resolve))
      throw new Error('broke')
    })
    .get('/waits', async (ctx) => {
      seen.context = ctx
      ctx.onFinish((outcome) => (seen.outcome = outcome))
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
    })
    .get('/large', (ctx) => {
      ctx.onFinish((outcome) => (seen.outcome = outcome))
      return Buffer.alloc(32 * MIB, 'x')
    })
    .get('/medium', () => Buffer.alloc(MIB, 'x'))
    .get('/endless', async (ctx) => {
      ctx.onFinish((outcome) => (seen.outcome = outcome))
      const body = ctx.startResponse()
      const chunk = Buffer.alloc(64 * 1024)
      while (body.isOpen) {
        if (!body.write(chunk)) await body.drained()
        seen.written += chunk.length
      }
    })
  running.push(server)
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: port ?? 0 })
}

function bytesOfEveryValue(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, at) => at & 0xff))
}

async function* jsonInPieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"a":')
  await sleep(10)
  yield Buffer.from('[1]}')
}

beforeAll(() => log.setSinks([]))

everyWay(
  'a server',
  (demand) => start(demand),
  (client, way) => {
    it('sends the text that a handler returns, with its length and a date', async () => {
      const response = await client().request({ path: '/' })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(response.headers.get('content-length')).toBe('5')
      expect(Date.parse(response.headers.get('date') ?? '')).toBeGreaterThan(Date.now() - 10_000)
      expect(await response.text()).toBe('hello')
    })

    it('passes the request properties to the handler', async () => {
      const response = await client().request({ path: '/facts/a%20b?q=%C3%A9' })
      const facts = (await response.json()) as Record<string, unknown>
      expect(facts).toMatchObject({
        name: 'a b',
        query: 'é',
        protocol: way.protocolText,
        scheme: way.scheme,
        authority: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      })
      expect(facts['remoteAddress']).toBe(way.remoteAddress)
      expect(facts['url']).toBe(`${String(facts['scheme'])}://${String(facts['authority'])}/facts/a%20b?q=%C3%A9`)
    })

    it('keeps request fields unchanged', async () => {
      const headers = [
        ['x-a', '1'],
        ['x-bytes', '\xe9'],
        ['x-a', '2'],
        ['cookie', 'a=1; b=2'],
      ] as const
      const response = await client().request({ path: '/headers', headers })
      const joined = [headers[3], ['x-a', '1, 2'], headers[1]]
      expect(await response.json()).toEqual(way.keepsFields ? headers : joined)
    })

    it('sends response fields separately and byte for byte', async () => {
      const response = await client().request({ path: '/cookies' })
      expect(response.status).toBe(204)
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      expect(response.headers.get('x-bytes')).toBe('\xe9')
      expect(response.headers.has('content-length')).toBe(false)
      expect(await response.text()).toBe('')
    })

    it('answers HEAD like GET without the body', async () => {
      const response = await client().request({ method: 'HEAD', path: '/' })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-length')).toBe('5')
      expect(await response.text()).toBe('')
    })

    it('answers 304 without a body', async () => {
      const response = await client().request({ path: '/unchanged' })
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, '"1"', ''])
    })

    it('answers 404 and 405 with problem details', async () => {
      const missing = await client().request({ path: '/nowhere' })
      expect(missing.headers.get('content-type')).toBe('application/problem+json')
      expect(await missing.json()).toMatchObject({ status: 404, title: 'Not Found' })
      const wrong = await client().request({ method: 'DELETE', path: '/echo' })
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')])
      await wrong.text()
    })

    it('sends early hints before the response', async () => {
      const response = await client().request({ path: '/hints' })
      expect(response.informational).toEqual(way.informs ? [103] : [])
      expect(await response.text()).toBe('hinted')
    })

    it.each([1, 1000, 2048, 2049, 16_384, 16_385, 70_000])(
      'sends a body of length %i with bytes of every value',
      async (size) => {
        for (const kind of ['buffer', 'view']) {
          const response = await client().request({ path: `/bytes/${kind}/${size}` })
          expect(response.headers.get('content-length')).toBe(String(size))
          const received = Buffer.from(await response.bytes())
          expect(received.equals(bytesOfEveryValue(size + 8).subarray(4, -4))).toBe(true)
        }
      },
    )

    it.each(['/echo', '/pipe'])('transfers 5 MiB in both directions through %s, byte for byte', async (path) => {
      const body = Buffer.alloc(5 * MIB, 'abcdefghijklmnopqrstuvwxyz0123456789')
      const response = await client().request({ method: 'POST', path, body })
      const received = Buffer.from(await response.bytes())
      expect(received.length).toBe(body.length)
      expect(received.equals(body)).toBe(true)
    })

    it('accepts a body of unknown length', async () => {
      const headers = [['content-type', 'application/json']] as const
      const response = await client().request({ method: 'POST', path: '/json', headers, body: jsonInPieces() })
      expect([response.status, await response.json()]).toEqual([201, { a: [1] }])
    })

    it('sends 100 (Continue) only if the handler reads the body', async () => {
      const headers = [['expect', '100-continue']] as const
      const read = await client().request({ method: 'POST', path: '/echo', headers, body: 'abc' })
      expect(await read.text()).toBe('abc')
      expect(read.informational).toEqual(way.continues ? [100] : read.informational)
      const unread = await client().request({ method: 'POST', path: '/unread', headers, body: 'abc' })
      expect(unread.informational).toEqual(way.continues ? [] : unread.informational)
      expect(await unread.text()).toBe('not read')
    })

    it('responds without a body before the request is complete', async () => {
      let hasResponse = false
      async function* endless(): AsyncGenerator<Uint8Array> {
        while (!hasResponse) {
          yield Buffer.from('more')
          await sleep(10)
        }
      }
      const response = await client().request({ method: 'POST', path: '/discarded', body: endless() })
      hasResponse = true
      expect([response.status, await response.text()]).toEqual([204, ''])
    })

    it('rejects a body over the limit with 413, with or without a Content-Length', async () => {
      const large = Buffer.alloc(MIB + 1)
      const announced = await client().request({ method: 'POST', path: '/limited', body: large })
      expect(announced.status).toBe(413)
      await announced.text()
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < large.length; at += 64 * 1024) yield large.subarray(at, at + 64 * 1024)
      }
      const streamed = await client().request({ method: 'POST', path: '/limited', body: pieces() })
      expect(streamed.status).toBe(413)
      await streamed.text()
      const allowed = await client().request({ method: 'POST', path: '/limited', body: large.subarray(1) })
      expect(await allowed.text()).toBe(String(MIB))
    })

    it('sends each write immediately, and trailers at the end', async () => {
      const response = await client().request({ path: '/steps' })
      const received: string[] = []
      for await (const slice of response.body) {
        received.push(Buffer.from(slice).toString())
        // The handler writes the next chunk only now, so the two chunks cannot have arrived together.
        release()
      }
      expect(received).toEqual(['one', 'two', 'three'])
      expect(await response.trailers).toEqual(way.trailers === 'none' ? [] : [['x-sum', '3']])
    })

    it('sends trailers in order, without those that affect framing', async () => {
      const response = await client().request({ path: '/trailers' })
      expect(await response.text()).toBe('x')
      const trailers = await response.trailers
      expect(trailers.filter(([name]) => name === 'x-a').map(([, value]) => value)).toEqual(
        { apart: ['1', '2'], joined: ['1, 2'], none: [] }[way.trailers],
      )
      expect(trailers.map(([name]) => name)).not.toContain('connection')
    })

    it.each([
      ['/twice', 500, 'a single-value field set twice'],
      ['/framing', 200, 'fields that only the server can set'],
    ])('answers %s with %i: %s', async (path, status) => {
      const response = await client().request({ path })
      await response.text()
      expect([response.status, response.headers.get('te'), response.headers.get('upgrade')]).toEqual([
        status,
        null,
        null,
      ])
    })

    it('completes a streamed response to HEAD instead of aborting it', async () => {
      seen.outcome = undefined
      const response = await client().request({ method: 'HEAD', path: '/later' })
      expect(await response.text()).toBe('')
      await expect.poll(() => seen.outcome).toEqual({ status: 200, bodyBytes: 0, aborted: false })
    })

    it('responds to a thrown error with a 500 that does not reveal the error', async () => {
      const response = await client().request({ path: '/throws' })
      const text = await response.text()
      expect([response.status, text.includes('secret')]).toEqual([500, false])
    })

    it('responds to an HttpError with its status and message', async () => {
      const response = await client().request({ path: '/teapot' })
      expect([response.status, await response.json()]).toEqual([418, expect.objectContaining({ detail: 'no coffee' })])
    })

    it('answers with 500 if an error only resembles an HttpError', async () => {
      const response = await client().request({ path: '/lookalike' })
      expect([response.status, response.headers.get('x-key')]).toEqual([500, null])
      expect(await response.text()).not.toContain('secret')
    })

    it('aborts a response whose handler throws after the header section', async () => {
      const response = await client().request({ path: '/breaks' })
      const received: string[] = []
      await expect(async () => {
        for await (const slice of response.body) {
          received.push(Buffer.from(slice).toString())
          release()
        }
      }).rejects.toThrow(Error)
      expect(received).toEqual(['half'])
    })

    it('reports to the handler that the client disconnected before the response', async () => {
      seen.context = undefined
      seen.outcome = undefined
      const abort = new AbortController()
      const request = client().request({ path: '/waits', signal: abort.signal })
      // Handle the rejection now, because the request fails during another await.
      const failed = request.then(
        () => 'answered',
        () => 'failed',
      )
      await expect.poll(() => seen.context).toBeDefined()
      abort.abort()
      expect(await failed).toBe('failed')
      await expect.poll(() => seen.outcome).toEqual({ status: 0, bodyBytes: 0, aborted: true })
      // Middleware and traces that count this status must not count a response that was never sent.
      expect(seen).toMatchObject({ context: { status: 499 } })
    })

    it('pauses a writer while the client is not reading, and stops it when the client disconnects', async () => {
      seen.written = 0
      seen.outcome = undefined
      const response: ClientResponse = await client().request({ path: '/endless' })
      let before = -1
      while (before !== seen.written) {
        before = seen.written
        await sleep(200)
      }
      expect(before).toBeLessThan(64 * MIB)
      response.abort()
      await expect.poll(() => seen.outcome).toMatchObject({ status: 200, aborted: true })
    })

    it('sends a complete large response, and serves other clients while one is unread', async () => {
      seen.outcome = undefined
      const unread = await client().request({ path: '/large' })
      const other = await client().request({ path: '/' })
      expect(await other.text()).toBe('hello')
      // Without a network, the client has the whole response immediately.
      const outcome = { status: 200, aborted: way.isWire }
      expect(seen.outcome === undefined).toBe(way.isWire)
      unread.abort()
      await expect.poll(() => seen.outcome).toMatchObject(outcome)
      const read = await client().request({ path: '/large' })
      expect((await read.bytes()).length).toBe(32 * MIB)
      await expect.poll(() => seen.outcome).toEqual({ status: 200, bodyBytes: 32 * MIB, aborted: false })
    })

    it('completes many concurrent large responses', async () => {
      const responses = Array.from({ length: way.largeAtOnce }, async () => {
        const response = await client().request({ path: '/medium' })
        return (await response.bytes()).length
      })
      expect(new Set(await Promise.all(responses))).toEqual(new Set([MIB]))
    })

    it('serves 50 concurrent requests', async () => {
      const names = Array.from({ length: 50 }, (_, i) => `n${i}`)
      const responses = names.map(async (name) => {
        const response = await client().request({ path: `/facts/${name}` })
        return ((await response.json()) as { name: string }).name
      })
      expect(await Promise.all(responses)).toEqual(names)
    })
  },
)

async function startImpatient(demand: ServerDemand): Promise<Server & { port: number }> {
  return start(demand, { minBodyBytesPerSecond: 1000, bodyRateGraceMs: 200 })
}

eachProtocol('a minimum body rate', startImpatient, (client) => {
  it('answers 408 to a slow client, and does not affect a fast one', async () => {
    let hasResponse = false
    async function* drip(): AsyncGenerator<Uint8Array> {
      while (!hasResponse) {
        yield Buffer.from('x')
        await sleep(20)
      }
    }
    const slow = await client().request({ method: 'POST', path: '/limited', body: drip() })
    hasResponse = true
    expect(slow.status).toBe(408)
    await slow.text()
    const quick = await client().request({ method: 'POST', path: '/limited', body: Buffer.alloc(1000) })
    expect(await quick.text()).toBe('1000')
  })
})

eachProtocol(
  'a closing server',
  (demand) => start(demand),
  (client, protocol) => {
    it(`finishes a running request over ${protocol}, then closes every connection`, async () => {
      const response = await client().request({ path: '/steps' })
      const server = running.at(-1)
      const closed = server?.close({ drainMs: 5000 })
      const received: string[] = []
      for await (const slice of response.body) {
        received.push(Buffer.from(slice).toString())
        release()
      }
      expect(received).toEqual(['one', 'two', 'three'])
      await closed
      await expect(client().request({ path: '/' })).rejects.toThrow(Error)
    })
  },
)
