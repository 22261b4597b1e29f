import type { Duplex } from 'node:stream'
import * as log from '@fw/log'
import { settle, testCertificate } from '@fw/testing'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { HttpError, Server, type Context, type Middleware } from '../src/index.ts'
import { connectTunnels, responseOf, TUNNEL_PROTOCOLS, type TunnelConnection } from './tunnel-client.ts'

beforeAll(() => log.setSinks([]))

const WAIT = { timeout: 10_000, interval: 5 }

describe.each(TUNNEL_PROTOCOLS)('a route with tunnels (%s)', (protocol) => {
  /** Starts a server with the routes that `add` registers, and connects to it. */
  async function serve(add: (server: Server) => void): Promise<{ server: Server; connection: TunnelConnection }> {
    const { key, cert } = await testCertificate()
    const server = new Server(protocol === 'h3' ? { tls: { key, cert }, http3: true } : {})
    add(server)
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => server.close({ drainMs: 0 }))
    const connection = await connectTunnels(protocol, port)
    onTestFinished(() => connection.destroy())
    return { server, connection }
  }

  const accepted = protocol === 'h1' ? 101 : 200

  it('runs its middleware before the handshake, and carries bytes', async () => {
    const seen: unknown[] = []
    const mark: Middleware = async (ctx, next) => {
      seen.push(ctx.route?.pattern)
      ctx.responseHeaders.set('x-mark', '1')
      await next()
    }
    const { connection } = await serve((server) => {
      server.router().use(mark)
      server.router().get('/chat/:room', { tunnels: ['own'] }, (ctx) => {
        seen.push(ctx.method, ctx.params.room, ctx.query.get('a'), ctx.exchange.upgradeProtocol, ctx.protocol)
        ctx.onFinish(({ status, aborted, bodyBytes }) => seen.push({ status, aborted, bodyBytes }))
        const tunnel = ctx.exchange.tunnel([...ctx.responseHeaders].flat())
        tunnel.on('data', (chunk: Buffer) => tunnel.write(`<${chunk.toString()}>`)).on('end', () => tunnel.end())
      })
    })
    const client = await connection.open('/chat/lobby?a=1', 'Own')
    const { status, fields } = await responseOf(client)
    expect([status, fields.get('x-mark')]).toEqual([accepted, '1'])
    expect([fields.get('connection'), fields.get('upgrade')]).toEqual(
      protocol === 'h1' ? ['upgrade', 'own'] : [undefined, undefined],
    )
    client.send('hello')
    await expect.poll(() => client.text, WAIT).toBe('<hello>')
    client.end()
    await expect.poll(() => client.ended, WAIT).toBe('end')
    const version = { h1: 'HTTP/1.1', h2: 'HTTP/2.0', h3: 'HTTP/3.0' }[protocol]
    const method = protocol === 'h1' ? 'GET' : 'CONNECT'
    await expect
      .poll(() => seen, WAIT)
      .toEqual([
        '/chat/:room',
        method,
        'lobby',
        '1',
        'own',
        version,
        { status: accepted, aborted: false, bodyBytes: 7 },
      ])
  })

  it('delivers bytes that arrive before the handler opens the tunnel', async () => {
    const start = Promise.withResolvers<void>()
    const { connection } = await serve((server) => {
      server.router().get('/', { tunnels: ['own'] }, async (ctx) => {
        await start.promise
        const tunnel = ctx.exchange.tunnel([])
        tunnel.pipe(tunnel)
      })
    })
    const client = await connection.open('/')
    client.send('early ')
    await settle(20)
    client.send('bytes')
    start.resolve()
    await expect.poll(() => client.text, WAIT).toBe('early bytes')
    client.end()
    await expect.poll(() => client.ended, WAIT).toBe('end')
  })

  it('does not count bytes that it has received before it opens, and that its owner has read', async () => {
    const start = Promise.withResolvers<void>()
    const { server, connection } = await serve((each) => {
      each.router().get('/', { tunnels: ['own'] }, async (ctx) => {
        await start.promise
        const tunnel = ctx.exchange.tunnel([])
        tunnel.pipe(tunnel)
      })
    })
    const client = await connection.open('/')
    client.send('x'.repeat(10_000))
    await expect.poll(() => server.stats().buffered.bytes, WAIT).toBeGreaterThanOrEqual(10_000)
    start.resolve()
    await expect.poll(() => client.text.length, WAIT).toBe(10_000)
    await expect.poll(() => server.stats().buffered.bytes, WAIT).toBe(0)
    expect(client.ended).toBeUndefined()
  })

  it('limits the bytes of strings that wait for a client', async () => {
    const events: string[] = []
    const { key, cert } = await testCertificate()
    const limits = { maxBufferedBytes: 4 * 1024 * 1024, maxBufferedBytesPerConnection: 1024 * 1024 }
    const server = new Server({ limits, ...(protocol === 'h3' ? { tls: { key, cert }, http3: true } : {}) })
    onTestFinished(() => server.close({ drainMs: 0 }))
    const opened = Promise.withResolvers<Duplex>()
    server.router().get('/', { tunnels: ['own'] }, (ctx) => {
      const tunnel = ctx.exchange.tunnel([])
      tunnel.on('error', (error) => events.push(error.name)).on('close', () => events.push('close'))
      opened.resolve(tunnel)
    })
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    const connection = await connectTunnels(protocol, port, { reads: false })
    onTestFinished(() => connection.destroy())
    await connection.open('/')
    const tunnel = await opened.promise
    // UTF-8 encodes each of these characters with three bytes.
    const text = '\u20ac'.repeat(64 * 1024)
    for (let i = 0; i < 256 && !tunnel.destroyed; i++) tunnel.write(text)
    expect(tunnel.destroyed).toBe(true)
    expect(tunnel.writableLength).toBeLessThan(8 * 1024 * 1024)
    await expect.poll(() => events, WAIT).toEqual(['AbortError', 'close'])
  })

  it('is refused with an ordinary response', async () => {
    const { connection } = await serve((server) => {
      server.router().get('/', { tunnels: ['own'] }, () => {
        throw new HttpError(403, 'Members only')
      })
    })
    const client = await connection.open('/')
    const { status, fields } = await responseOf(client)
    expect([status, fields.get('content-type')]).toEqual([403, 'application/problem+json'])
    await expect.poll(() => client.text, WAIT).toContain('Members only')
  })

  it('responds with 501, 405 or 404 where no route accepts the protocol, or like to any GET on HTTP/1.1', async () => {
    const seen: number[] = []
    const { connection } = await serve((server) => {
      const router = server.router()
      router.use(async (ctx, next) => {
        await next()
        seen.push(ctx.status)
      })
      router.get('/own', { tunnels: ['own'] }, () => '')
      router.get('/plain', () => '')
      router.post('/post', () => '')
    })
    const statusOf = async (path: string, token: string): Promise<number> =>
      (await responseOf(await connection.open(path, token))).status
    const isGet = protocol === 'h1'
    expect(await statusOf('/own', 'connect-udp')).toBe(isGet ? 200 : 501)
    expect(await statusOf('/missing', 'connect-udp')).toBe(isGet ? 404 : 501)
    expect(await statusOf('/plain', 'own')).toBe(isGet ? 200 : 405)
    expect(await statusOf('/post', 'own')).toBe(405)
    expect(await statusOf('/missing', 'own')).toBe(404)
    expect(seen).toEqual(isGet ? [200, 404, 200, 405, 404] : [501, 501, 405, 405, 404])
    if (isGet) return
    const { fields } = await responseOf(await connection.open('/plain', 'own'))
    expect(fields.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  it('keeps the tunnel when the handler returns or throws', async () => {
    const { connection } = await serve((server) => {
      server.router().get('/:how', { tunnels: ['own'] }, (ctx) => {
        const tunnel = ctx.exchange.tunnel([])
        tunnel.pipe(tunnel)
        if (ctx.params.how === 'throws') throw new Error('late')
      })
    })
    for (const how of ['returns', 'throws']) {
      const client = await connection.open(`/${how}`)
      client.send('hello')
      await expect.poll(() => client.text, WAIT).toBe('hello')
    }
  })

  it('notifies the handler of server.close(), which waits for the tunnel', async () => {
    const closed: string[] = []
    const { server, connection } = await serve((each) => {
      each.router().get('/', { tunnels: ['own'] }, (ctx) => {
        const tunnel = ctx.exchange.tunnel([])
        ctx.onDrain(() => tunnel.end('bye'))
        ctx.onFinish(() => closed.push('tunnel'))
        tunnel.resume()
      })
    })
    const client = await connection.open('/')
    await responseOf(client)
    const closing = server.close({ drainMs: 20_000 }).then(() => closed.push('server'))
    await expect.poll(() => client.text, WAIT).toBe('bye')
    expect(closed).toEqual([])
    client.end()
    await closing
    expect(closed).toEqual(['tunnel', 'server'])
  })

  it('destroys a tunnel that is open after drainMs', async () => {
    const events: string[] = []
    const { server, connection } = await serve((each) => {
      each.router().get('/', { tunnels: ['own'] }, (ctx) => {
        const tunnel = ctx.exchange.tunnel([])
        tunnel.on('error', (error) => events.push(error.name)).on('close', () => events.push('close'))
        ctx.onFinish(({ aborted }) => events.push(`finish ${aborted}`))
      })
    })
    const client = await connection.open('/')
    await responseOf(client)
    await server.close({ drainMs: 30 })
    await expect.poll(() => client.ended, WAIT).toBe(protocol === 'h1' ? 'end' : 'reset')
    await expect.poll(() => events.toSorted(), WAIT).toEqual(['AbortError', 'close', 'finish false'])
  })

  it('counts open tunnels as requests in flight', async () => {
    const tunnels: Duplex[] = []
    const { server, connection } = await serve((each) => {
      each.router().get('/', { tunnels: ['own'] }, (ctx) => void tunnels.push(ctx.exchange.tunnel([])))
    })
    await responseOf(await connection.open('/'))
    const inFlight = (): number => Object.values(server.stats().requests).reduce((sum, count) => sum + count)
    expect(inFlight()).toBe(1)
    for (const tunnel of tunnels) tunnel.destroy()
    await expect.poll(inFlight, WAIT).toBe(0)
  })

  it('limits the bytes that wait for a client, process-wide and per connection', async () => {
    const events: string[] = []
    const { key, cert } = await testCertificate()
    const limits = { maxBufferedBytes: 4 * 1024 * 1024, maxBufferedBytesPerConnection: 1024 * 1024 }
    const server = new Server({ limits, ...(protocol === 'h3' ? { tls: { key, cert }, http3: true } : {}) })
    onTestFinished(() => server.close({ drainMs: 0 }))
    server.router().get('/', { tunnels: ['own'] }, (ctx) => {
      const tunnel = ctx.exchange.tunnel([])
      tunnel.on('error', (error) => events.push(error.name)).on('close', () => events.push('close'))
      // Ignores the result of write(), as a careless broadcast does.
      const flood = (): void => {
        if (tunnel.destroyed) return
        for (let i = 0; i < 16; i++) tunnel.write(Buffer.alloc(64 * 1024))
        setImmediate(flood)
      }
      flood()
    })
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    const connection = await connectTunnels(protocol, port, { reads: false })
    onTestFinished(() => connection.destroy())
    await connection.open('/')
    await expect.poll(() => events, WAIT).toEqual(['AbortError', 'close'])
    expect(server.stats().buffered.bytes).toBeLessThan(8 * 1024 * 1024)
  })
})

describe('ctx.exchange.upgrade', () => {
  it('does not count bytes that the server has received before the upgrade', async () => {
    const start = Promise.withResolvers<void>()
    const upgraded = Promise.withResolvers<number | undefined>()
    const server = new Server()
    onTestFinished(() => server.close({ drainMs: 0 }))
    server.router().get('/', async (ctx) => {
      await start.promise
      const connection = ctx.exchange.upgrade?.()
      onTestFinished(() => void connection?.socket.destroy())
      upgraded.resolve(connection?.head.length)
    })
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    const client = await (await connectTunnels('h1', port)).open('/')
    client.send('x'.repeat(10_000))
    await expect.poll(() => server.stats().buffered.bytes, WAIT).toBeGreaterThanOrEqual(10_000)
    start.resolve()
    expect(await upgraded.promise).toBe(10_000)
    expect(server.stats().buffered.bytes).toBe(0)
  })
})

describe('the route option tunnels', () => {
  it.each([
    ['get', ['WebSocket'], 'option "tunnels[0]" must be a protocol name in lower case, got "WebSocket".'],
    ['get', ['a b'], 'option "tunnels[0]" must be a protocol name in lower case, got "a b".'],
    ['get', 'websocket', 'option "tunnels" must be a list of protocol names, got "websocket".'],
    ['post', ['websocket'], 'option "tunnels" must be set on a GET route, got POST. Register it with get().'],
  ] as const)('rejects router.%s with %j', (method, tunnels, message) => {
    expect(() => new Server().router()[method]('/', { tunnels } as never, () => '')).toThrow(message)
  })

  it('does not apply to requests without a network', async () => {
    const server = new Server()
    let seen: Context | undefined
    server.router().get('/', { tunnels: ['own'] }, (ctx) => {
      seen = ctx
      ctx.exchange.tunnel([])
    })
    const response = await server.fetch('/', { headers: { connection: 'upgrade', upgrade: 'own' } })
    expect([response.status, seen?.exchange.upgradeProtocol]).toEqual([500, undefined])
    expect((await server.fetch('/', { method: 'POST' })).status).toBe(405)
  })
})
