import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Exchange } from '@fw/types'
import { settle, tempFolder, testCertificate } from '@fw/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TcpListener } from '../../src/listening/tcp-listener.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/options/limits.ts'
import { CertificateSet } from '../../src/tls/certificate-set.ts'
import { loadCredentials } from '../../src/tls/credentials.ts'
import { serveEngines } from '../serve-engines.ts'

const WAIT = { timeout: 10_000, interval: 5 }
const REQUEST = 'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\n'
/** Size of a response that the kernel does not accept in one write. */
const LARGE_BYTES = 16 * 1024 * 1024
const LARGE_REQUEST = 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n'
const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nx-a: 1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'

const head = (...lines: readonly string[]): string => ['GET / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n')

interface Opened {
  readonly socket: Socket
  /** The TCP connection below `socket`. */
  readonly tcp: Socket
  readonly tunnel: Duplex
  readonly exchange: Exchange
  readonly outcomes: readonly unknown[]
  readonly events: readonly string[]
  /** Bytes that the client has received. */
  readonly received: string
}

/** Sends a request, possibly after other bytes, and opens a tunnel. */
async function openTunnel(
  request = REQUEST,
  limits: Partial<Limits> = {},
  isSecure = false,
  ends = false,
): Promise<Opened> {
  const opened = Promise.withResolvers<{ tunnel: Duplex; exchange: Exchange }>()
  const events: string[] = []
  const { key, cert } = await testCertificate()
  const certificates = isSecure ? new CertificateSet([await loadCredentials({ key, cert })]) : undefined
  const { port, outcomes } = await serveEngines(
    (exchange) => {
      if (exchange.upgradeProtocol === undefined) {
        exchange.respond(200, [], exchange.target === '/large' ? Buffer.alloc(LARGE_BYTES) : 'ok')
        return
      }
      const tunnel = exchange.tunnel(['x-a', '1', 'content-length', '5', 'upgrade', 'h2c'])
      for (const name of ['end', 'finish', 'error', 'close']) tunnel.on(name, () => events.push(name))
      opened.resolve({ tunnel, exchange })
    },
    limits,
    certificates,
  )
  const tcp = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  const socket: Socket = isSecure ? connectTls({ socket: tcp, ca: cert, ALPNProtocols: ['http/1.1'] }) : tcp
  onTestFinished(() => void tcp.destroy())
  for (const each of [tcp, socket]) each.on('error', () => {})
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  if (ends) socket.end(request)
  else socket.write(request)
  const received: string[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk.toString('latin1')))
  const { tunnel, exchange } = await opened.promise
  return {
    socket,
    tcp,
    tunnel,
    exchange,
    outcomes,
    events,
    get received() {
      return received.join('')
    },
  }
}

/** Opens a tunnel over a Unix socket, which buffers a few hundred KB instead of several MB. */
async function openStalled(limits: Partial<Limits>): Promise<{ tunnel: Duplex; events: string[]; client: Socket }> {
  const folder = await tempFolder({})
  const opened = Promise.withResolvers<Duplex>()
  const events: string[] = []
  const listener = new TcpListener({
    tls: undefined,
    http2: true,
    host: {
      limits: { ...DEFAULT_LIMITS, ...limits },
      altSvc: '',
      onRequest: (exchange) => opened.resolve(exchange.tunnel([])),
      onRefused: () => {},
    },
  })
  const path = folder.join('s')
  await listener.listen({ path })
  const client = connect({ path }).pause()
  onTestFinished(async () => {
    client.destroy()
    listener.destroy()
    await folder[Symbol.asyncDispose]()
  })
  client.write(REQUEST)
  const tunnel = await opened.promise
  for (const name of ['error', 'close']) tunnel.on(name, () => events.push(name))
  return { tunnel, events, client }
}

describe.each([
  ['TCP', false],
  ['TLS', true],
])('a tunnel on HTTP/1.1 (RFC 9110 §7.8) over %s', (_, isSecure) => {
  it('sends 101 without fields that frame a body, then carries bytes in both directions', async () => {
    const opened = await openTunnel(`${REQUEST}early `, {}, isSecure)
    const { socket, tunnel, exchange } = opened
    expect([exchange.status, exchange.isOpen]).toEqual([101, false])
    tunnel.on('data', (chunk: Buffer) => tunnel.write(chunk.toString().toUpperCase()))
    socket.write('bytes')
    await expect.poll(() => opened.received, WAIT).toBe(`${SWITCHING}EARLY BYTES`)
  })

  it('ends one direction at a time, then closes once', async () => {
    const opened = await openTunnel(REQUEST, {}, isSecure)
    const { socket, tunnel, outcomes, events } = opened
    tunnel.resume()
    socket.end('bye')
    await expect.poll(() => events, WAIT).toEqual(['end'])
    expect(outcomes).toEqual([])
    const ended = once(socket, 'end')
    tunnel.end('last')
    await ended
    await expect.poll(() => events, WAIT).toEqual(['end', 'finish', 'close'])
    expect(opened.received).toBe(`${SWITCHING}last`)
    await expect.poll(() => outcomes, WAIT).toEqual([{ status: 101, bodyBytes: 4, aborted: false }])
  })

  it('receives bytes after end()', async () => {
    const { socket, tunnel, outcomes, events } = await openTunnel(REQUEST, {}, isSecure)
    const ended = once(socket, 'end')
    tunnel.end()
    await ended
    let text = ''
    tunnel.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.write('late')
    await expect.poll(() => text, WAIT).toBe('late')
    expect(outcomes).toEqual([])
    socket.end()
    await expect.poll(() => events, WAIT).toEqual(['finish', 'end', 'close'])
    await expect.poll(() => outcomes, WAIT).toEqual([{ status: 101, bodyBytes: 0, aborted: false }])
  })

  it('sends a large write completely before the end', async () => {
    const opened = await openTunnel(REQUEST, {}, isSecure)
    opened.tunnel.end(Buffer.alloc(5_000_000, 'x'))
    await once(opened.socket, 'end')
    expect(opened.received.length).toBe(SWITCHING.length + 5_000_000)
  })

  it('closes the connection on destroy()', async () => {
    const { socket, tunnel, outcomes, events } = await openTunnel(REQUEST, {}, isSecure)
    const ended = once(socket, 'end')
    tunnel.destroy()
    await ended
    expect(outcomes).toEqual([{ status: 101, bodyBytes: 0, aborted: false }])
    await expect.poll(() => events, WAIT).toEqual(['close'])
  })

  it('closes with an error when the client resets the connection', async () => {
    const { tcp, tunnel, outcomes, events } = await openTunnel(REQUEST, {}, isSecure)
    const errors: unknown[] = []
    tunnel.on('error', (error) => errors.push(error))
    tcp.resetAndDestroy()
    await expect.poll(() => events, WAIT).toEqual(['error', 'close'])
    expect(errors).toMatchObject([{ name: 'AbortError', code: 'FW_ABORTED' }])
    expect(outcomes).toEqual([{ status: 101, bodyBytes: 0, aborted: false }])
  })

  it('stops the client while the handler does not read, and continues when it does', async () => {
    const { socket, tunnel } = await openTunnel(REQUEST, { maxBufferedBodyBytes: 32 * 1024 }, isSecure)
    const total = 32 * 1024 * 1024
    socket.end(Buffer.alloc(total))
    await settle(50)
    expect(socket.writableLength).toBeGreaterThan(0)
    let received = 0
    for await (const chunk of tunnel) received += (chunk as Buffer).length
    expect(received).toBe(total)
  })
})

describe('a tunnel after earlier requests', () => {
  it('starts with the byte after its head, in memory that no other request uses', async () => {
    const plain = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
    const { socket, tunnel } = await openTunnel(`${plain}${plain}${REQUEST}first`)
    const chunks: Buffer[] = []
    tunnel.on('data', (chunk: Buffer) => chunks.push(chunk))
    await expect.poll(() => Buffer.concat(chunks).toString(), WAIT).toBe('first')
    expect(chunks[0]?.buffer.byteLength).toBe(5)
    socket.write('second')
    await expect.poll(() => Buffer.concat(chunks).toString(), WAIT).toBe('firstsecond')
    socket.write('third')
    await expect.poll(() => Buffer.concat(chunks).toString(), WAIT).toBe('firstsecondthird')
  })

  it('receives an end that arrived while the client was reading the previous response', async () => {
    const opened = await openTunnel(`${LARGE_REQUEST}${REQUEST}bytes`, {}, false, true)
    let text = ''
    opened.tunnel.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await expect.poll(() => [text, opened.events], WAIT).toEqual(['bytes', ['end']])
    opened.tunnel.end('last')
    await once(opened.socket, 'end')
    expect(opened.received).toMatch(/\r\n\r\nlast$/)
  })

  it('follows the response of a pipelined request', async () => {
    const opened = await openTunnel(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${REQUEST}`)
    opened.tunnel.end('bytes')
    await expect.poll(() => opened.received, WAIT).toMatch(/^HTTP\/1.1 200 OK[^]*okHTTP\/1.1 101 [^]*\r\n\r\nbytes$/)
  })
})

describe('exchange.upgradeProtocol', () => {
  it.each<[request: string, protocol: string | undefined]>([
    [head('Connection: upgrade', 'Upgrade: own'), 'own'],
    [head('Connection: Upgrade', 'Upgrade: Own/1.0, other'), 'own/1.0'],
    [head('Connection: upgrade', 'Upgrade: a', 'Upgrade: b'), 'a'],
    [head('Connection: upgrade', 'Upgrade: , own'), 'own'],
    [head('Connection: upgrade', 'Upgrade: own', 'Content-Length: 0'), 'own'],
    [head('Connection: upgrade', 'Upgrade: '), undefined],
    [head('Connection: upgrade', 'Upgrade: a b'), undefined],
    [head('Connection: upgrade', 'Upgrade: a/'), undefined],
    [head('Connection: upgrade'), undefined],
    [head('Upgrade: own'), undefined],
    [head('Connection: upgraded', 'Upgrade: own'), undefined],
    [head('Connection: upgrade', 'Upgrade: own').replace('1.1', '1.0'), undefined],
    [`${head('Connection: upgrade', 'Upgrade: own', 'Content-Length: 1')}x`, undefined],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', undefined],
  ])('returns the protocol of %j: %s', async (request, protocol) => {
    const seen: unknown[] = []
    const { port } = await serveEngines((exchange) => {
      seen.push(exchange.upgradeProtocol)
      exchange.respond(200, ['connection', 'close'], null)
    })
    const socket = connect(port, '127.0.0.1').resume()
    socket.write(request)
    await once(socket, 'close')
    expect(seen).toEqual([protocol])
  })

  it('must be defined for exchange.tunnel()', async () => {
    const errors: unknown[] = []
    const { port } = await serveEngines((exchange) => {
      try {
        exchange.tunnel([])
      } catch (error) {
        errors.push(error)
      }
      exchange.respond(200, ['connection', 'close'], null)
    })
    const socket = connect(port, '127.0.0.1').resume()
    socket.write(head())
    await once(socket, 'close')
    expect(errors).toMatchObject([{ name: 'TypeError', code: 'FW_NO_TUNNEL' }])
  })
})

describe('a client that does not read its tunnel', () => {
  it('delays drain, and is counted in writableLength', async () => {
    const { tunnel, client } = await openStalled({})
    const bytes = Buffer.alloc(4_000_000, 'x')
    let isSent = false
    tunnel.write(bytes, () => (isSent = true))
    await settle(20)
    expect([tunnel.writableLength, tunnel.writableNeedDrain, isSent]).toEqual([bytes.length, true, false])
    client.resume()
    await expect.poll(() => [tunnel.writableLength, tunnel.writableNeedDrain, isSent], WAIT).toEqual([0, false, true])
  })

  it('is closed after writeStallTimeoutMs', async () => {
    const { tunnel, events } = await openStalled({ writeStallTimeoutMs: 200 })
    tunnel.write(Buffer.alloc(4_000_000))
    await expect.poll(() => events, WAIT).toEqual(['error', 'close'])
  })
})
