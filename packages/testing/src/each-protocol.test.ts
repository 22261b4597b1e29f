import { once } from 'node:events'
import { createServer as createHttp1Server } from 'node:http'
import { createServer as createHttp2Server, createSecureServer } from 'node:http2'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { drained } from './drained.ts'
import { type RunningServer, type ServerDemand, eachProtocol } from './each-protocol.ts'
import { settle } from './settle.ts'

/** Interface shared by the requests of node:http and node:http2. */
type NodeRequest = Readable & { url?: string; method?: string; headers: Record<string, unknown>; trailers: object }
type NodeResponse = Writable & {
  statusCode: number
  setHeader(name: string, value: string | string[]): unknown
  addTrailers(trailers: Record<string, string>): void
  writeEarlyHints(hints: Record<string, string>): unknown
  flushHeaders(): void
}

/** Number of body bytes that /endless has written. */
let endlessBytes = 0
/** Resolves when /silence receives a request. */
let arrived = Promise.withResolvers<void>()
/** Resolves when the response from /endless or /silence closes. */
let closed = Promise.withResolvers<void>()

const routes: Record<string, (request: NodeRequest, response: NodeResponse) => unknown> = {
  async '/echo'(request, response) {
    const received: Uint8Array[] = []
    for await (const slice of request as AsyncIterable<Uint8Array>) received.push(slice)
    const { method, headers, trailers } = request
    response.end(JSON.stringify({ method, headers, trailers, body: Buffer.concat(received).toString('latin1') }))
  },
  '/empty'(_request, response) {
    response.statusCode = 204
    response.end()
  },
  '/fields'(_request, response) {
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.setHeader('x-latin1', 'caf\u00e9')
    response.end(Buffer.from('fields'))
  },
  '/hints'(_request, response) {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end('hinted')
  },
  '/trailers'(_request, response) {
    response.setHeader('trailer', 'x-sum')
    response.write('summed')
    response.addTrailers({ 'x-sum': '42' })
    response.end()
  },
  async '/endless'(_request, response) {
    response.on('close', () => closed.resolve())
    const slice = Buffer.alloc(64 * 1024)
    while (response.writable && !response.destroyed) {
      endlessBytes += slice.length
      if (!response.write(slice)) await drained(response)
    }
  },
  '/cut'(_request, response) {
    response.setHeader('content-length', '10')
    response.write('four', () => response.destroy())
  },
  '/silence'(_request, response) {
    arrived.resolve()
    response.on('close', () => closed.resolve())
  },
}

/** Serves HTTP/1.1 and HTTP/2 on one port. ALPN selects the protocol, or, without TLS, the first bytes. */
async function start({ tls }: ServerDemand): Promise<RunningServer> {
  const listener = handle as (request: object, response: object) => void
  const server: Server =
    tls === undefined ? cleartextServer(listener) : createSecureServer({ ...tls, allowHTTP1: true }, listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await promisify(server.close.bind(server))()
    },
  }
}

function handle(request: NodeRequest, response: NodeResponse): void {
  response.on('error', () => {})
  void routes[request.url ?? '']?.(request, response)
}

function cleartextServer(listener: (request: object, response: object) => void): Server {
  const http1 = createHttp1Server(listener)
  const http2 = createHttp2Server(listener)
  return createServer((socket) => {
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (first.toString('latin1').startsWith('PRI')) {
        http2.emit('connection', socket)
      } else {
        http1.emit('connection', socket)
        socket.resume()
      }
    })
  })
}

async function* slices(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

eachProtocol(
  'a client for node:http and node:http2',
  start,
  (client, protocol) => {
    it('reports its protocol', () => expect(client().protocol).toBe(protocol))

    it.each([
      ['no body', undefined, 'GET', '', undefined],
      ['text', 'né', 'POST', 'n\u00c3\u00a9', '3'],
      ['bytes', Uint8Array.of(0xff, 0x00), 'POST', '\u00ff\u0000', '2'],
      ['slices', slices('on', '', 'e'), 'POST', 'one', undefined],
    ])('sends %s', async (_name, body, method, received, length) => {
      const response = await client().request({ path: '/echo', ...(body === undefined ? {} : { body }) })
      const echo = (await response.json()) as { method: string; headers: Record<string, string>; body: string }
      expect(echo).toMatchObject({ method, body: received })
      expect(echo.headers['content-length']).toBe(length)
    })

    it('sends a body larger than every buffer between client and handler', async () => {
      const body = Buffer.alloc(1_000_000, 'x')
      const response = await client().request({ path: '/echo', body })
      expect(((await response.json()) as { body: string }).body).toHaveLength(body.length)
    })

    it('sends trailers', async () => {
      const response = await client().request({ path: '/echo', body: slices('sum'), trailers: [['x-sum', '1']] })
      expect(await response.json()).toMatchObject({ body: 'sum', trailers: { 'x-sum': '1' } })
    })

    it('waits for a 100 response before it sends the body of an expect: 100-continue request', async () => {
      const headers = [['expect', '100-continue']] as const
      const response = await client().request({ path: '/echo', body: 'waited', headers })
      expect(response.informational).toEqual([100])
      expect(await response.json()).toMatchObject({ body: 'waited' })
    })

    it('returns the fields as sent and as Headers', async () => {
      const response = await client().request({ path: '/fields' })
      const cookies = response.rawHeaders.filter(([name]) => name.toLowerCase() === 'set-cookie')
      expect(cookies.map(([, value]) => value)).toEqual(['a=1', 'b=2'])
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      expect(response.headers.get('x-latin1')).toBe('caf\u00e9')
      expect(await response.text()).toBe('fields')
    })

    it('reports informational responses', async () => {
      const response = await client().request({ path: '/hints' })
      expect(response.informational).toEqual([103])
      expect(await response.text()).toBe('hinted')
    })

    it('returns the trailers after the body has been read', async () => {
      const response = await client().request({ path: '/trailers' })
      expect(await response.text()).toBe('summed')
      expect(await response.trailers).toEqual([['x-sum', '42']])
    })

    it.each([
      ['HEAD', '/fields', 200],
      ['GET', '/empty', 204],
    ])('returns an empty body for %s %s', async (method, path, status) => {
      const response = await client().request({ method, path })
      expect(response.status).toBe(status)
      expect(await response.text()).toBe('')
      expect(await response.trailers).toEqual([])
    })

    it('sends requests concurrently', async () => {
      const bodies = Array.from({ length: 5 }, (_, at) => `body ${at}`)
      const responses = await Promise.all(bodies.map((body) => client().request({ path: '/echo', body })))
      const echoes = await Promise.all(responses.map((response) => response.json() as Promise<{ body: string }>))
      expect(echoes.map(({ body }) => body)).toEqual(bodies)
    })

    it('reads a body only once', async () => {
      const response = await client().request({ path: '/fields' })
      await response.text()
      await expect(response.text()).rejects.toThrow('already been read')
    })

    it('applies backpressure until the body is read, and cancels the request when reading stops', async () => {
      closed = Promise.withResolvers()
      endlessBytes = 0
      const response = await client().request({ path: '/endless' })
      // Wait until the socket buffers are full.
      let written = -1
      while (written !== endlessBytes) {
        written = endlessBytes
        await settle(200)
      }
      expect(written).toBeGreaterThan(0)

      let read = 0
      for await (const slice of response.body) {
        read += slice.length
        if (read > 2 * written) break
      }
      expect(endlessBytes).toBeGreaterThan(written)
      await closed.promise
      await expect(response.trailers).rejects.toThrow('not read to its end')
    })

    it('cancels the request on abort()', async () => {
      closed = Promise.withResolvers()
      const response = await client().request({ path: '/endless' })
      response.abort()
      await closed.promise
      await expect(response.trailers).rejects.toThrow('canceled')
      await expect(response.bytes()).rejects.toThrow(Error)
    })

    it('cancels the request when its signal aborts, and rejects with the reason', async () => {
      closed = Promise.withResolvers()
      arrived = Promise.withResolvers()
      const controller = new AbortController()
      const response = client().request({ path: '/silence', signal: controller.signal })
      await arrived.promise
      controller.abort(new Error('bored'))
      await expect(response).rejects.toThrow('bored')
      await closed.promise
    })

    it('sends nothing if the signal is already aborted', async () => {
      const request = { path: '/echo', signal: AbortSignal.abort(new Error('never')) }
      await expect(client().request(request)).rejects.toThrow('never')
    })

    it('throws if the response is truncated', async () => {
      const response = await client().request({ path: '/cut' })
      await expect(response.text()).rejects.toThrow(Error)
      await expect(response.trailers).rejects.toThrow(Error)
    })

    it('sends a request after all other tests in this suite', async () => {
      const response = await client().request({ path: '/fields' })
      expect(await response.text()).toBe('fields')
    })
  },
  { protocols: ['h1', 'h1+tls', 'h2', 'h2c'] },
)
