import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { createLogger, Level, MemorySink } from '@fw/log'
import { connect, newTestCertificate, tempFolder, testCertificate, type TestCertificate } from '@fw/testing'
import { connectH3 } from '@fw/testing/h3'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Server, StartupError, type ServerOptions, type TlsCertificate, type TlsOptions } from '../src/index.ts'
import { DEFAULT_LIMITS } from '../src/options/limits.ts'
import { ED25519 } from './ed25519-certificate.ts'

const local = { port: 0, host: '127.0.0.1' }
const servers: Server[] = []
let first: TestCertificate
let second: TestCertificate

beforeAll(async () => {
  ;[first, second] = [await testCertificate(), await newTestCertificate()]
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })))
})

async function serve(options: ServerOptions): Promise<{ server: Server; port: number; records: MemorySink }> {
  const records = new MemorySink()
  const server = new Server({ logger: createLogger({ level: Level.Debug, sinks: [records] }), ...options })
  server.router().get('/', () => 'hello')
  servers.push(server)
  const { port = 0 } = await server.listen(local)
  return { server, port, records }
}

function pem({ key, cert }: TestCertificate): { key: string; cert: string } {
  return { key, cert }
}

/** Completes a TLS handshake. */
async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

async function shown(port: number, options?: ConnectionOptions): Promise<string> {
  const socket = await handshake(port, options)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

async function shownByQuic(port: number): Promise<string> {
  const client = await connectH3({ port })
  const { certificate } = client.connection
  await client.close()
  return fingerprint(certificate ?? Buffer.alloc(0))
}

function fingerprint(cert: string | Uint8Array): string {
  return new X509Certificate(cert).fingerprint256
}

describe('a server with several certificates', () => {
  it('chooses the certificate by the requested name, and the first one for all other names', async () => {
    const [a, wildcard] = [await newTestCertificate('a.example'), await newTestCertificate('*.b.example')]
    const { port } = await serve({ tls: [pem(first), pem(a), pem(wildcard)] })
    expect(await shown(port, { servername: 'a.example' })).toBe(fingerprint(a.cert))
    expect(await shown(port, { servername: 'x.b.example' })).toBe(fingerprint(wildcard.cert))
    expect(await shown(port, { servername: 'c.example' })).toBe(fingerprint(first.cert))
    expect(await shown(port)).toBe(fingerprint(first.cert))
  })

  it('uses the first one for HTTP/3, and announces HTTP/3 only to clients that use that certificate', async () => {
    const other = await newTestCertificate('other.example')
    const { port } = await serve({ tls: [pem(first), pem(other)], http3: true })
    expect(await shownByQuic(port)).toBe(fingerprint(first.cert))
    for (const [servername, isAnnounced] of [
      ['localhost', true],
      ['other.example', false],
    ] as const) {
      const socket = await handshake(port, { servername })
      socket.end('GET / HTTP/1.0\r\n\r\n')
      const response = (await socket.setEncoding('latin1').toArray()).join('')
      expect(response).toMatch(/^HTTP\/1\.1 200/)
      expect(/^alt-svc: h3=/m.test(response)).toBe(isAnnounced)
    }
  })
})

describe('ALPN with http/1.0 alone', () => {
  it.each([true, false])('selects the HTTP/1 engine (option http2: %s)', async (http2) => {
    const { port } = await serve({ tls: pem(first), http2 })
    const socket = await handshake(port, { ALPNProtocols: ['http/1.0'] })
    expect(socket.alpnProtocol).toBe('http/1.0')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    expect((await socket.setEncoding('latin1').toArray()).join('')).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nhello$/)
  })
})

describe('reloadTls', () => {
  it("uses the function's new certificate for new TCP and QUIC connections, and keeps open ones", async () => {
    let present = first
    const { server, port, records } = await serve({ tls: () => Promise.resolve(pem(present)), http3: true })
    const old = await connect('h2', { port })
    expect(await shown(port)).toBe(fingerprint(first.cert))
    present = second
    expect(await shown(port)).toBe(fingerprint(first.cert))
    await server.reloadTls()
    expect(await shown(port)).toBe(fingerprint(second.cert))
    expect(await shown(port, { servername: 'localhost' })).toBe(fingerprint(second.cert))
    expect(await shownByQuic(port)).toBe(fingerprint(second.cert))
    expect(await (await old.request({ path: '/' })).text()).toBe('hello')
    await old.close()
    expect(records.contains('New certificate from tls.cert and tls.key: valid until ')).toBe(true)
  })

  it.each<[string, () => TlsCertificate, RegExp]>([
    [
      'a key for a different certificate',
      () => ({ key: first.key, cert: second.cert }),
      /the private key does not belong/,
    ],
    ['text that is not a certificate', () => ({ key: 'x', cert: 'y' }), /they are not a certificate/],
    [
      'a function that throws',
      () => {
        throw new Error('vault is sealed')
      },
      /vault is sealed/,
    ],
    ['a certificate that QUIC cannot use', () => ED25519, /HTTP\/3 cannot use an Ed25519 certificate/],
  ])('keeps the old certificate and logs an error after %s', async (_what, bad, message) => {
    let present: () => TlsCertificate = () => pem(first)
    const { server, port, records } = await serve({ tls: () => present(), http3: true })
    present = bad
    await expect(server.reloadTls()).rejects.toThrow(message)
    expect(await shown(port)).toBe(fingerprint(first.cert))
    expect(await shownByQuic(port)).toBe(fingerprint(first.cert))
    const errors = records.records().filter(({ level }) => level === Level.Error)
    expect(errors.map((record) => record.message)).toEqual([expect.stringMatching(message)])
    expect(errors[0]?.message).toMatch(/^Keeping the previous certificates: /)
  })

  it('resumes earlier sessions', async () => {
    let present = first
    const { server, port } = await serve({ tls: () => pem(present) })
    const socket = await handshake(port, { servername: 'localhost' })
    const [session] = (await once(socket, 'session')) as [Buffer]
    socket.destroy()
    present = second
    await server.reloadTls()
    const again = await handshake(port, { servername: 'localhost', session })
    expect(again.isSessionReused()).toBe(true)
    again.destroy()
  })
})

describe('a server with watched certificate files', () => {
  it('reloads when both files have changed, and logs an error and keeps the old ones until then', async () => {
    await using folder = await tempFolder({ 'key.pem': first.key, 'cert.pem': first.cert })
    const [keyFile, certFile] = [folder.join('key.pem'), folder.join('cert.pem')]
    const { port, records } = await serve({ tls: { keyFile, certFile, watch: true, watchIntervalMs: 10 } })
    await writeFile(certFile, second.cert)
    await expect.poll(() => records.contains('Keeping the previous certificates: Cannot use ')).toBe(true)
    expect(await shown(port)).toBe(fingerprint(first.cert))
    await writeFile(keyFile, second.key)
    await expect.poll(() => shown(port)).toBe(fingerprint(second.cert))
  })

  it('stops watching when it closes', async () => {
    await using folder = await tempFolder({ 'key.pem': first.key, 'cert.pem': first.cert })
    const tls = { keyFile: folder.join('key.pem'), certFile: folder.join('cert.pem'), watch: true, watchIntervalMs: 10 }
    const { server, records } = await serve({ tls })
    await server.close()
    await writeFile(tls.certFile, 'nothing')
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(records.contains('Keeping the previous')).toBe(false)
  })
})

describe('a TLS handshake', () => {
  it('fails below TLS 1.2, and is logged at level Debug', async () => {
    const { port, records } = await serve({ tls: pem(first) })
    await expect(
      handshake(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    ).rejects.toThrow(/alert/)
    await expect.poll(() => records.contains('TLS handshake with 127.0.0.1 failed: ')).toBe(true)
  })

  it('must complete within tlsHandshakeTimeoutMs, even if bytes keep arriving', async () => {
    const { port } = await serve({ tls: pem(first), limits: { tlsHandshakeTimeoutMs: 300 } })
    const socket = connectTcp(port, '127.0.0.1').on('error', () => {})
    const hello = Buffer.concat([Buffer.from('16030102000100', 'hex'), Buffer.alloc(400, 1)])
    let sent = 0
    const drip = setInterval(() => socket.write(hello.subarray(sent, ++sent)), 50)
    // Do not use `once`: it rejects on a reset.
    await new Promise((resolve) => socket.resume().on('close', resolve))
    clearInterval(drip)
    expect(sent).toBeLessThan(hello.length)
  })
})

describe('a TLS handshake on a Unix socket', () => {
  it('ends when the server closes, and is not mistaken for a completed handshake', async () => {
    await using folder = await tempFolder({})
    const path = folder.join('s')
    const server = new Server({ tls: pem(first), limits: { drainIdleMs: 100 } })
    servers.push(server)
    await server.listen({ path })
    const silent = Array.from({ length: 5 }, () => connectTcp({ path }).on('error', () => {}))
    const ends = silent.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve)))
    const done = connectTls({ path, rejectUnauthorized: false })
    await once(done, 'secureConnect')
    done.destroy()
    const begun = performance.now()
    await server.close({ drainMs: 60_000 })
    // The server ended them, not the handshake timeout.
    expect(performance.now() - begun).toBeLessThan(DEFAULT_LIMITS.tlsHandshakeTimeoutMs)
    await Promise.all(ends)
  })
})

it('serves an expired certificate and logs a warning', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 24 * 3_600_000 })
  const { port, records } = await serve({ tls: pem(first) })
  vi.useRealTimers()
  expect(records.contains('The certificate from tls.cert and tls.key expired on ')).toBe(true)
  expect(await shown(port)).toBe(fingerprint(first.cert))
})

it.each<[string, () => TlsOptions, RegExp]>([
  [
    'a key of a different type',
    () => ({ key: ED25519.key, cert: first.cert }),
    /the private key does not belong to the certif/,
  ],
  [
    'a missing key',
    () => ({ cert: first.cert }) as never,
    /keyFile is missing\. Set key and cert, or keyFile and certFile$/,
  ],
  ['a missing certificate', () => ({ key: first.key }) as never, /cert is missing\. Set key and cert/],
  [
    'a path instead of a certificate',
    () => ({ key: '/etc/key.pem', cert: '/etc/cert.pem' }),
    /^Cannot use tls\.cert and tls\.key: they are not a certificate and a private key in PEM\. For file paths, use certFile and keyFile$/,
  ],
  [
    'an empty list',
    () => [],
    /^listen: option "tls" must be at least one certificate, got an empty list\. Add \{ keyFile/,
  ],
  [
    'a function that returns null',
    () => (() => null) as never,
    /^listen: option "tls" must be a certificate, got null\. Write \{ keyFile, certFile \}/,
  ],
  [
    'a function that returns undefined',
    () => (() => undefined) as never,
    /^listen: option "tls" must be a certificate, got undefined\. Write/,
  ],
  [
    'a nested list',
    () => [[pem(first)]] as never,
    /^listen: option "tls\[0\]" must be a certificate, got an array\. Write/,
  ],
  ...[0, -5, 1.5, NaN, Infinity, 2 ** 31, '2000'].map((watchIntervalMs): [string, () => TlsOptions, RegExp] => [
    `the watchIntervalMs ${watchIntervalMs} (${typeof watchIntervalMs})`,
    () => ({ keyFile: 'key.pem', certFile: 'cert.pem', watch: true, watchIntervalMs }) as never,
    /^listen: option "tls\.watchIntervalMs" must be an integer from 1 to 2147483647, got /,
  ]),
  [
    'an unknown option',
    () => ({ ...pem(first), passphrase: 'x' }) as never,
    /^listen: unknown option "tls\.passphrase"\. Known options: key, cert\.$/,
  ],
])('rejects %s at the start', async (_what, tls, message) => {
  await expect(serve({ tls: tls() })).rejects.toThrow(message)
})

it('rejects an encrypted key, and names the command that decrypts it', async () => {
  const { createPrivateKey } = await import('node:crypto')
  const key = createPrivateKey(first.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  })
  const started = serve({ tls: { key, cert: first.cert } })
  await expect(started).rejects.toThrow(/is encrypted\. Decrypt it: openssl pkey /)
  await expect(started).rejects.toBeInstanceOf(StartupError)
})

it('fails no request on any protocol while certificates change under load', async () => {
  let present = first
  const { server, port } = await serve({ tls: () => pem(present), http3: true })
  let isOver = false
  let responses = 0
  const repeat = async (send: (port: number) => Promise<string>): Promise<void> => {
    for (; !isOver; responses++) expect(await send(port)).toBe('hello')
  }
  const connected = await Promise.all((['h1+tls', 'h2', 'h3'] as const).map((protocol) => connect(protocol, { port })))
  const clients = [
    ...[getByHttp1, getByHttp2, getByHttp3].map(repeat),
    ...connected.map((client) => repeat(async () => (await client.request({ path: '/' })).text())),
  ]
  for (let turn = 0; turn < 20; turn++) {
    present = present === first ? second : first
    await server.reloadTls()
    expect(await shown(port)).toBe(fingerprint(present.cert))
    expect(await shownByQuic(port)).toBe(fingerprint(present.cert))
  }
  await expect.poll(() => responses).toBeGreaterThan(100)
  isOver = true
  await Promise.all(clients)
  for (const client of connected) await client.close()
})

/** Sends a request on a new connection and returns the body. Accepts any certificate. */
async function getByHttp1(port: number): Promise<string> {
  const socket = await handshake(port, { ALPNProtocols: ['http/1.1'] })
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const response = (await socket.setEncoding('latin1').toArray()).join('')
  return response.slice(response.indexOf('\r\n\r\n') + 4)
}

async function getByHttp2(port: number): Promise<string> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  const stream = session.request({ ':path': '/' })
  const response = (await stream.setEncoding('latin1').toArray()).join('')
  session.close()
  return response
}

async function getByHttp3(port: number): Promise<string> {
  const client = await connectH3({ port })
  const response = await (await client.request({ path: '/' })).text()
  await client.close()
  return response
}
