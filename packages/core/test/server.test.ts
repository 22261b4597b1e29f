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
  throw new Error('It started')
}

const local = { port: 0, host: '127.0.0.1' }

describe('listen', () => {
  it('tells where it listens and what it speaks, and logs it', async () => {
    const server = make()
    const address = await server.listen(local)
    expect(address).toMatchObject({ host: '127.0.0.1', protocols: ['HTTP/1.1', 'HTTP/2.0'] })
    expect(address.url.href).toBe(`http://127.0.0.1:${address.port}/`)
    expect(server.url.href).toBe(address.url.href)
    expect(messages.contains(`Listening on ${address.url.href} (HTTP/1.1, HTTP/2.0)`)).toBe(true)
  })

  it('can be called for several ports, in clear text and with TLS', async () => {
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
    const asked = request({ socketPath: path ?? '', path: '/peer' }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('undefined')
  })

  it('gives HTTP/3 the UDP port of the same number and announces it over TCP', async () => {
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
    ['over TLS', false, 'clear'],
    ['not in clear text', true, null],
  ] as const)("http3: 'clear' tells clients to forget HTTP/3: %s", async (_where, isClear, expected) => {
    const options = { http3: 'clear' } as const
    const { port = 0, protocols } = await make(isClear ? options : { ...options, tls }).listen(local)
    expect(protocols).toEqual(['HTTP/1.1', 'HTTP/2.0'])
    for (const protocol of isClear ? (['h1', 'h2c'] as const) : (['h1+tls', 'h2'] as const)) {
      const client = await connect(protocol, { port })
      expect((await client.request({ path: '/' })).headers.get('alt-svc')).toBe(expected)
      await client.close()
    }
  })

  it('does without HTTP/2 when told to', async () => {
    const { port = 0 } = await make({ tls, http2: false }).listen(local)
    await expect(connect('h2', { port })).rejects.toThrow(/./)
    const client = await connect('h1+tls', { port })
    expect((await client.request({ path: '/' })).status).toBe(200)
    await client.close()
  })

  it('closes with the signal it was given', async () => {
    const abort = new AbortController()
    const { url } = await make().listen({ ...local, signal: abort.signal })
    abort.abort()
    await expect.poll(() => fetch(url).then(String, () => 'refused')).toBe('refused')
  })
})

describe('what cannot start says what to do', () => {
  it('a port in use', async () => {
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

  it('a UDP port in use, and then the TCP port is free again', async () => {
    const { createSocket } = await import('node:dgram')
    // A number that is free for TCP, and then taken for UDP.
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
    ['an address that is not of this machine', {}, { port: 0, host: '192.0.2.1' }, /this machine has no such address/],
    ['HTTP/3 in clear text', { http3: true }, { ...local, http3: true }, /^HTTP\/3 needs TLS/],
    [
      'a certificate file that is missing',
      { tls: { keyFile: '/nowhere/key.pem', certFile: '/nowhere/cert.pem' } },
      local,
      /^Cannot read the TLS .* there is no such file\. Check tls\.\w+File$/,
    ],
    [
      'the text of a private key instead of its path, which is not shown',
      { tls: { keyFile: '-----BEGIN PRIVATE KEY-----secret', certFile: '/nowhere/cert.pem' } },
      local,
      /^Cannot use tls: keyFile must be the path of a file, got PEM text\. Give key and cert instead$/,
    ],
    [
      'a certificate that is none',
      { tls: { key: 'x', cert: 'y' } },
      local,
      /^Cannot use tls\.cert and tls\.key: they are not/,
    ],
  ])('%s', async (_name, options, where, message) => {
    const error = await failing(options, where)
    expect(error).toBeInstanceOf(StartupError)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('\n')
  })

  it('a key of another certificate', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const error = await failing({ tls: { key, cert: tls.cert } }, local)
    expect(error.message).toBe('Cannot use tls.cert and tls.key: the private key is not that of the certificate')
  })

  it('an Ed25519 certificate with HTTP/3', async () => {
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
      'an option of listen',
      () => new Server({ port: 80 } as object),
      /^Server: unknown option "port"\. Use listen\(\{ port \}\) instead\.$/,
    ],
    [
      'an option of another library',
      () => new Server({ bodyLimit: 5 } as object),
      /^Server: unknown option "bodyLimit"\. Use limits: \{ maxBodyBytes \} instead\.$/,
    ],
    [
      'an unknown limit',
      () => new Server({ limits: { maxBody: 1 } as object }),
      /^Server: unknown option "limits\.maxBody"\. Known options: maxHeadBytes, /,
    ],
    [
      'another value of http3',
      () => new Server({ http3: 'on' as never }),
      /^Server: option "http3" must be true, false or "clear", got "on"\. Use true to offer HTTP\/3\.$/,
    ],
    [
      'text for http2',
      () => new Server({ http2: 'false' as never }),
      /^Server: option "http2" must be true or false, got "false"\. Convert text first, /,
    ],
    [
      'another logger',
      () => new Server({ logger: console as never }),
      /^Server: option "logger" must be a logger of @fw\/log, .* Pass what log\.with\(\{ … \}\) returns, or omit it/,
    ],
    [
      'no logger',
      () => new Server({ logger: null as never }),
      /^Server: option "logger" must be a logger of @fw\/log, got null\./,
    ],
    [
      'limits that are none',
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
      'an unknown option of close',
      () => make({}).close({ drain: 5 } as object),
      /^close: unknown option "drain"\. Did you mean "drainMs"\? Known options: drainMs\.$/,
    ],
    [
      'a number for close',
      () => make({}).close(5 as never),
      /^close: options must be an object, got 5\. Known options: drainMs\.$/,
    ],
    [
      'another value of shutdown',
      () => new Server({ shutdown: true as never }),
      /^Server: option "shutdown" must be "signals", got true\./,
    ],
  ])('%s', (_name, act, message) => {
    expect(act).toThrow(message)
  })

  it.each<[string, ListenOptions, RegExp]>([
    ['an unknown option of listen', { prot: 1 } as object, /^listen: unknown option "prot"\. Did you mean "port"\?/],
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
      'a port that is not set',
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
      'tls that is a key',
      { tls: '-----BEGIN PRIVATE KEY-----' as never },
      /^listen: option "tls" must be .*, got a string\. Write/,
    ],
    ['tls that is not set', { tls: null as never }, /^listen: option "tls" must be .*, got null\. Write/],
    [
      'a host that is none',
      { host: 5 as never },
      /^listen: option "host" must be a string, got 5\. Pass an IP address/,
    ],
    [
      'a path that is none',
      { path: '' },
      /^listen: option "path" must be the path of a Unix socket with 1 to \d+ bytes, got ""\./,
    ],
    ['a signal that is none', { signal: 5 as never }, /^listen: option "signal" must be an AbortSignal, got 5\./],
    ['a port out of range', { port: 65_536 }, /from 0 to 65535/],
    [
      'a path and a port',
      { path: '/x', port: 1 },
      /^listen: option "path" must be absent next to "port", got "\/x"\. Choose one of/,
    ],
  ])('%s', async (_name, where, message) => {
    expect((await failing({}, where)).message).toMatch(message)
  })
})

it.each<[ServerOptions, ListenOptions, number]>([
  [{ http3: true }, {}, 1],
  [{ http3: true }, { tls: false }, 0],
  [{ http3: true }, { http3: false }, 0],
  [{}, {}, 0],
])('HTTP/3 that a listener cannot have is told of: %j, %j', async (options, where, warnings) => {
  const sink = new log.MemorySink()
  const server = make({ ...options, logger: log.createLogger({ level: log.Level.Warn, sinks: [sink] }) })
  const { url } = await server.listen({ ...local, ...where })
  const said = `HTTP/3 needs TLS, which ${url.href} has not: give tls, or say tls: false if that is meant`
  expect(sink.messages()).toEqual(Array.from({ length: warnings }, () => said))
})

it.each([
  ['a callback', () => {}],
  ['a host', '127.0.0.1'],
])('listen refuses %s behind the port', async (_, argument) => {
  const server = make()
  const untyped = server as unknown as { listen(...given: unknown[]): Promise<unknown> }
  await expect(untyped.listen(0, argument)).rejects.toThrow(
    new TypeError(
      'listen: arguments must be a port or options, got 2 arguments. Await listen() instead of passing a callback.',
    ),
  )
  expect(() => server.address()).toThrow('the server does not listen')
})

describe('connections over a limit are closed as they come', () => {
  it.each([{ maxConnections: 2 }, { maxConnectionsPerAddress: 2 }])('%o', async (limits) => {
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
  })
})

describe('close', () => {
  it('leaves nothing on the signal of its listeners, which may outlive many servers', async () => {
    const { signal } = new AbortController()
    const server = make()
    await server.listen({ ...local, signal })
    await server.listen({ ...local, signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(2)
    await server.close()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('resolves though a listener was closed by its signal too', async () => {
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

  it.each([-1, 1.5, Infinity, 2 ** 31])('refuses to drain for %s ms', (drainMs) => {
    expect(() => make().close({ drainMs })).toThrow(RangeError)
  })

  it('while a listener is being opened leaves none behind', async () => {
    const server = make()
    const listening = server.listen(local).then(
      () => 'listens',
      (error: Error) => error.message,
    )
    await server.close()
    expect(await listening).toBe('Cannot listen: the server is closed')
  })

  it('does not wait for a TLS handshake, nor serve it afterwards', async () => {
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

  it('refuses new connections, lets running requests finish and can be called again', async () => {
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
    await expect(server.listen(local)).rejects.toThrow('Cannot listen: the server is closed')
  })

  it('destroys what has not finished in time', async () => {
    const server = make()
    let isBegun = false
    server.router().get('/never', () => ((isBegun = true), new Promise(() => {})))
    const { url } = await server.listen(local)
    const never = fetch(new URL('/never', url)).catch(() => 'cut off')
    await expect.poll(() => isBegun).toBe(true)
    await server.close({ drainMs: 50 })
    expect(await never).toBe('cut off')
  })

  it('happens by itself at the end of an `await using` scope', async () => {
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

it('a refused request is a Debug record with the address of the peer', async () => {
  log.setLevel(log.Level.Debug)
  const { port = 0 } = await make().listen(local)
  const { rawExchange } = await import('@fw/testing')
  await rawExchange(port, 'GARBAGE\r\n\r\n')
  log.setLevel(log.Level.Info)
  expect(messages.contains('Refused a request from 127.0.0.1: 400 Malformed request line')).toBe(true)
})
