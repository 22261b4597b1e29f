import { getEventListeners, once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import * as log from '@fw/log'
import { closed, connect, freePort, tempFolder, testCertificate } from '@fw/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ED25519 } from './ed25519-certificate.ts'
import { Server, StartupError, type ListenOptions, type ServerOptions } from '../src/index.ts'

const servers: Server[] = []
const messages = new log.MemorySink()
let tls: { key: string; cert: string }

beforeAll(async () => {
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})
beforeEach(() => log.setSinks([messages]))
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })))
})

function make(options: ServerOptions = {}): Server {
  const server = new Server(options)
  server.router().get('/', () => 'hello')
  servers.push(server)
  return server
}

async function failing(options: ServerOptions, where: ListenOptions): Promise<Error> {
  try {
    await make(options).listen(where)
  } catch (error) {
    return error as Error
  }
  throw new Error('The server started')
}

const local = { port: 0, host: '127.0.0.1' }

describe('listen', () => {
  it('returns its address and protocols, and logs them', async () => {
    const server = make()
    const address = await server.listen(local)
    expect(address).toMatchObject({ host: '127.0.0.1', protocols: ['HTTP/1.1', 'HTTP/2.0'] })
    expect(address.url.href).toBe(`http://127.0.0.1:${address.port}/`)
    expect(server.url.href).toBe(address.url.href)
    expect(messages.contains(`Listening on ${address.url.href} (HTTP/1.1, HTTP/2.0)`)).toBe(true)
  })

  it('listens on several ports, with and without TLS', async () => {
    const server = make({ tls })
    const secure = await server.listen(local)
    const clear = await server.listen({ ...local, tls: false })
    expect([secure.url.protocol, clear.url.protocol]).toEqual(['https:', 'http:'])
    expect(await (await fetch(clear.url)).text()).toBe('hello')
    const client = await connect('h1+tls', { port: secure.port ?? 0 })
    expect((await client.request({ path: '/' })).status).toBe(200)
    await client.close()
  })

  it('serves a Unix socket', async () => {
    await using folder = await tempFolder()
    const server = make()
    server.router().get('/peer', (ctx) => String(ctx.remoteAddress))
    const { path, url } = await server.listen({ path: folder.join('fw.sock') })
    expect([path, url.protocol]).toEqual([folder.join('fw.sock'), 'http+unix:'])
    const sent = request({ socketPath: path ?? '', path: '/peer' }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('undefined')
  })

  it('listens for HTTP/3 on the UDP port with the same number and announces it over TCP', async () => {
    const server = make({ tls, http3: true })
    const { port = 0, protocols } = await server.listen(local)
    expect(protocols).toEqual(['HTTP/1.1', 'HTTP/2.0', 'HTTP/3.0'])
    for (const protocol of ['h1+tls', 'h2', 'h3'] as const) {
      const client = await connect(protocol, { port })
      const response = await client.request({ path: '/' })
      expect([response.status, response.headers.get('alt-svc')]).toEqual([
        200,
        protocol === 'h3' ? null : `h3=":${port}"; ma=3600`,
      ])
      await response.text()
      await client.close()
    }
  })

  it.each([
    ['sends alt-svc: clear over TLS', false, 'clear'],
    ['sends no alt-svc without TLS', true, null],
  ] as const)("%s if http3 is 'clear'", async (_where, isClear, expected) => {
    const options = { http3: 'clear' } as const
    const { port = 0, protocols } = await make(isClear ? options : { ...options, tls }).listen(local)
    expect(protocols).toEqual(['HTTP/1.1', 'HTTP/2.0'])
    for (const protocol of isClear ? (['h1', 'h2c'] as const) : (['h1+tls', 'h2'] as const)) {
      const client = await connect(protocol, { port })
      expect((await client.request({ path: '/' })).headers.get('alt-svc')).toBe(expected)
      await client.close()
    }
  })

  it('does not offer HTTP/2 with http2: false', async () => {
    const { port = 0 } = await make({ tls, http2: false }).listen(local)
    await expect(connect('h2', { port })).rejects.toThrow(/./)
    const client = await connect('h1+tls', { port })
    expect((await client.request({ path: '/' })).status).toBe(200)
    await client.close()
  })

  it('closes when its signal aborts', async () => {
    const abort = new AbortController()
    const { url } = await make().listen({ ...local, signal: abort.signal })
    abort.abort()
    await expect.poll(() => fetch(url).then(String, () => 'refused')).toBe('refused')
  })
})

describe('a server that cannot start', () => {
  it('names a port in use and the next step', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const error = await failing({}, { ...local, port })
    taken.close()
    expect(error).toBeInstanceOf(StartupError)
    expect(error.message).toMatch(
      /^Cannot listen on 127\.0\.0\.1:\d+: it is in use\. Stop the other process .*another port$/,
    )
  })

  it('names a UDP port in use, and releases the TCP port', async () => {
    const { createSocket } = await import('node:dgram')
    // The port is free for TCP. The next line binds it for UDP.
    const port = await freePort()
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    await once(socket, 'listening')
    const error = await failing({ tls, http3: true }, { ...local, port })
    expect(error.message).toMatch(/^Cannot listen on 127\.0\.0\.1:\d+ \(UDP\): it is in use/)
    const again = createServer().listen(port, '127.0.0.1')
    await once(again, 'listening')
    again.close()
    socket.close()
  })

  it.each<[string, ServerOptions, ListenOptions, RegExp]>([
    [
      'an address that this machine does not have',
      {},
      { port: 0, host: '192.0.2.1' },
      /this machine has no such address/,
    ],
    ['HTTP/3 without TLS', { http3: true }, { ...local, http3: true }, /^HTTP\/3 needs TLS/],
    [
      'a missing certificate file',
      { tls: { keyFile: '/nowhere/key.pem', certFile: '/nowhere/cert.pem' } },
      local,
      /^Cannot read the TLS .* the file does not exist\. Check tls\.\w+File$/,
    ],
    [
      'the text of a private key instead of its path, without showing it,',
      { tls: { keyFile: '-----BEGIN PRIVATE KEY-----secret', certFile: '/nowhere/cert.pem' } },
      local,
      /^Cannot use tls: keyFile must be the path of a file, got PEM text\. Set key and cert instead$/,
    ],
    [
      'text that is not a certificate',
      { tls: { key: 'x', cert: 'y' } },
      local,
      /^Cannot use tls\.cert and tls\.key: they are not/,
    ],
  ])('explains the problem with %s in one line', async (_name, options, where, message) => {
    const error = await failing(options, where)
    expect(error).toBeInstanceOf(StartupError)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('\n')
  })

  it('rejects a key that does not match the certificate', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const error = await failing({ tls: { key, cert: tls.cert } }, local)
    expect(error.message).toBe('Cannot use tls.cert and tls.key: the private key does not belong to the certificate')
  })

  it('rejects an Ed25519 certificate with HTTP/3', async () => {
    const error = await failing({ tls: ED25519, http3: true }, local)
    expect(error.message).toMatch(/^HTTP\/3 cannot use an Ed25519 certificate\. Use one/)
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'an unknown option',
      () => new Server({ tsl: {} } as object),
      /^Server: unknown option "tsl"\. Did you mean "tls"\? Known options: tls, /,
    ],
    [
      'a listen option',
      () => new Server({ port: 80 } as object),
      /^Server: unknown option "port"\. Use listen\(\{ port \}\) instead\.$/,
    ],
    [
      'an option from another library',
      () => new Server({ bodyLimit: 5 } as object),
      /^Server: unknown option "bodyLimit"\. Use limits: \{ maxBodyBytes \} instead\.$/,
    ],
    [
      'an unknown limit',
      () => new Server({ limits: { maxBody: 1 } as object }),
      /^Server: unknown option "limits\.maxBody"\. Known options: maxHeadBytes, /,
    ],
    [
      'text for http3',
      () => new Server({ http3: 'on' as never }),
      /^Server: option "http3" must be true, false or "clear", got "on"\. Use true to offer HTTP\/3\.$/,
    ],
    [
      'text for http2',
      () => new Server({ http2: 'false' as never }),
      /^Server: option "http2" must be true or false, got "false"\. Convert text first, /,
    ],
    [
      'the console as logger',
      () => new Server({ logger: console as never }),
      /^Server: option "logger" must be a logger from @fw\/log, .* Pass what log\.with\(\{ … \}\) returns, or omit it/,
    ],
    [
      'null as logger',
      () => new Server({ logger: null as never }),
      /^Server: option "logger" must be a logger from @fw\/log, got null\./,
    ],
    [
      'a number for limits',
      () => new Server({ limits: 5 as never }),
      /^Server: option "limits" must be an object, got 5\./,
    ],
    [
      'tls without a certificate',
      () => new Server({ tls: true as never }),
      /^Server: option "tls" must be .*, got a boolean\. Write \{ keyFile/,
    ],
    [
      'a callback for close',
      () => make({}).close((() => {}) as never),
      /^close: options must be an object, got a function\. Await close\(\)/,
    ],
    [
      'an unknown close option',
      () => make({}).close({ drain: 5 } as object),
      /^close: unknown option "drain"\. Did you mean "drainMs"\? Known options: drainMs\.$/,
    ],
    [
      'a number for close',
      () => make({}).close(5 as never),
      /^close: options must be an object, got 5\. Known options: drainMs\.$/,
    ],
    [
      'true for shutdown',
      () => new Server({ shutdown: true as never }),
      /^Server: option "shutdown" must be "signals", got true\./,
    ],
  ])('rejects %s', (_name, act, message) => {
    expect(act).toThrow(message)
  })

  it.each<[string, ListenOptions, RegExp]>([
    ['an unknown listen option', { prot: 1 } as object, /^listen: unknown option "prot"\. Did you mean "port"\?/],
    [
      'a port from the environment',
      { port: '8080' as never },
      /^listen: option "port" must be an integer from 0 to 65535, got "8080"\. Convert text first, .* Number\(process\.env\.PORT\)\.$/,
    ],
    [
      'a port alone from the environment',
      '8080' as never,
      /^listen: option "port" must be an integer from 0 to 65535, got "8080"/,
    ],
    [
      'a port from an unset variable',
      { port: Number(undefined) },
      /^listen: option "port" must be an integer from 0 to 65535, got NaN/,
    ],
    [
      'text for reusePort',
      { reusePort: 'false' as never },
      /^listen: option "reusePort" must be true or false, got "false"\./,
    ],
    [
      'tls without a certificate',
      { tls: true as never },
      /^listen: option "tls" must be .*, got a boolean\. Write \{ keyFile/,
    ],
    [
      'a private key for tls',
      { tls: '-----BEGIN PRIVATE KEY-----' as never },
      /^listen: option "tls" must be .*, got a string\. Write/,
    ],
    ['null for tls', { tls: null as never }, /^listen: option "tls" must be .*, got null\. Write/],
    ['a number for host', { host: 5 as never }, /^listen: option "host" must be a string, got 5\. Pass an IP address/],
    [
      'an empty path',
      { path: '' },
      /^listen: option "path" must be the path of a Unix socket with 1 to \d+ bytes, got ""\./,
    ],
    ['a number for signal', { signal: 5 as never }, /^listen: option "signal" must be an AbortSignal, got 5\./],
    ['a port out of range', { port: 65_536 }, /from 0 to 65535/],
    [
      'a path and a port',
      { path: '/x', port: 1 },
      /^listen: option "path" must be absent next to "port", got "\/x"\. Choose one of/,
    ],
  ])('rejects %s', async (_name, where, message) => {
    expect((await failing({}, where)).message).toMatch(message)
  })
})

it.each<[ServerOptions, ListenOptions, number]>([
  [{ http3: true }, {}, 1],
  [{ http3: true }, { tls: false }, 0],
  [{ http3: true }, { http3: false }, 0],
  [{}, {}, 0],
])('warns if a listener cannot offer HTTP/3: %j, %j', async (options, where, warnings) => {
  const sink = new log.MemorySink()
  const server = make({ ...options, logger: log.createLogger({ level: log.Level.Warn, sinks: [sink] }) })
  const { url } = await server.listen({ ...local, ...where })
  const warning = `HTTP/3 needs TLS, but ${url.href} has none. Set tls, or tls: false to serve without HTTP/3`
  expect(sink.messages()).toEqual(Array.from({ length: warnings }, () => warning))
})

it.each([
  ['a callback', () => {}],
  ['a host', '127.0.0.1'],
])('rejects %s after the port', async (_, argument) => {
  const server = make()
  const untyped = server as unknown as { listen(...given: unknown[]): Promise<unknown> }
  await expect(untyped.listen(0, argument)).rejects.toThrow(
    expect.objectContaining({
      name: 'TypeError',
      message:
        'listen: arguments must be a port or options, got 2 arguments. Await listen() instead of passing a callback.',
    }),
  )
  expect(() => server.address()).toThrow('the server is not listening')
})

describe('a listener at its connection limit', () => {
  it.each([{ maxConnections: 2 }, { maxConnectionsPerAddress: 2 }])(
    'closes further connections immediately with the limits %o',
    async (limits) => {
      const { port = 0 } = await make({ limits }).listen(local)
      const clients = await Promise.all([1, 2].map(() => connect('h1', { port })))
      for (const client of clients) expect(await (await client.request({ path: '/' })).text()).toBe('hello')
      const { rawExchange } = await import('@fw/testing')
      const third = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => ({ text: '' }))
      expect(third.text).toBe('')
      await clients[0]?.close()
      await expect
        .poll(async () => (await rawExchange(port, 'GET / HTTP/1.0\r\n\r\n').catch(() => ({ text: '' }))).text)
        .toMatch(/^HTTP\/1\.1 200 /)
      await clients[1]?.close()
    },
  )
})

describe('close', () => {
  it('removes its handlers from the signal of each listener, which can outlive many servers', async () => {
    const { signal } = new AbortController()
    const server = make()
    await server.listen({ ...local, signal })
    await server.listen({ ...local, signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(2)
    await server.close()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('resolves even if a listener was also closed by its signal', async () => {
    const abort = new AbortController()
    const server = make()
    let finish: (() => void) | undefined
    server.router().get('/slow', () => new Promise<void>((resolve) => (finish = resolve)))
    const { url } = await server.listen({ ...local, signal: abort.signal })
    const slow = fetch(new URL('/slow', url))
    await expect.poll(() => finish).toBeDefined()
    const closing = server.close({ drainMs: 1000 })
    abort.abort()
    finish?.()
    await Promise.all([closing, slow])
  })

  it.each([-1, 1.5, Infinity, 2 ** 31])('rejects a drain time of %s ms', (drainMs) => {
    expect(() => make().close({ drainMs })).toThrow(RangeError)
  })

  it('closes a listener that is still being opened', async () => {
    const server = make()
    const listening = server.listen(local).then(
      () => 'listens',
      (error: Error) => error.message,
    )
    await server.close()
    expect(await listening).toBe('Cannot listen: the server is closed. Create a new Server.')
  })

  it('does not wait for a TLS handshake, and rejects it afterwards', async () => {
    const server = make({ tls })
    const { port = 0 } = await server.listen(local)
    const { connect: connectTcp } = await import('node:net')
    const socket = connectTcp(port, '127.0.0.1')
    await once(socket, 'connect')
    await expect.poll(async () => (await connect('h1+tls', { port })).close().then(() => 'served')).toBe('served')
    socket.resume().on('error', () => {})
    await server.close()
    await closed(socket)
  })

  it('rejects new connections, waits for in-flight requests and can be called again', async () => {
    const server = make()
    let finish: ((text: string) => void) | undefined
    server.router().get('/slow', () => new Promise<string>((resolve) => (finish = resolve)))
    const { url } = await server.listen(local)
    const slow = fetch(new URL('/slow', url))
    await expect.poll(() => finish).toBeDefined()
    const closing = server.close()
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    finish?.('done')
    expect(await (await slow).text()).toBe('done')
    await Promise.all([closing, server.close()])
    await expect(server.listen(local)).rejects.toThrow('Cannot listen: the server is closed. Create a new Server.')
  })

  it('destroys the connections of requests that have not finished in time', async () => {
    const server = make()
    let isBegun = false
    server.router().get('/never', () => ((isBegun = true), new Promise(() => {})))
    const { url } = await server.listen(local)
    const never = fetch(new URL('/never', url)).catch(() => 'aborted')
    await expect.poll(() => isBegun).toBe(true)
    await server.close({ drainMs: 50 })
    expect(await never).toBe('aborted')
  })

  it('runs at the end of an `await using` scope', async () => {
    let url = new URL('http://localhost')
    {
      await using server = new Server()
      server.router().get('/', () => 'hello')
      ;({ url } = await server.listen(local))
      expect(await (await fetch(url)).text()).toBe('hello')
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})

it("logs a rejected request at level Debug with the client's address", async () => {
  log.setLevel(log.Level.Debug)
  const { port = 0 } = await make().listen(local)
  const { rawExchange } = await import('@fw/testing')
  await rawExchange(port, 'GARBAGE\r\n\r\n')
  log.setLevel(log.Level.Info)
  expect(messages.contains('Rejected a request from 127.0.0.1: 400 Malformed request line')).toBe(true)
})
