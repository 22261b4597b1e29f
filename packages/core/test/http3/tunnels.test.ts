import type { Duplex } from 'node:stream'
import type { Exchange, Outcome } from '@fw/types'
import { settle } from '@fw/testing'
import { H3Frame, h3Frame, type H3Client, type RawStream } from '@fw/testing/h3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Limits } from '../../src/options/limits.ts'
import { ErrorCode } from '../../src/http3/errors.ts'
import { serveHttp3, type Http3Server } from '../serve-http3.ts'
import { headWith, section } from './raw-acts.ts'
import { ReceivedFrames } from './received-frames.ts'

const { DATA } = H3Frame
const WAIT = { timeout: 10_000, interval: 5 }
/** Identifier of SETTINGS_ENABLE_CONNECT_PROTOCOL (RFC 9220 §3). */
const ENABLE_CONNECT_PROTOCOL = 0x8

/** Encodes the head of an extended CONNECT with changes; `undefined` omits a field. */
const connectHead = (changes: Record<string, string | undefined> = {}): Buffer =>
  headWith({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/chat?a=1', ...changes })

async function serve(
  handle: (exchange: Exchange) => void,
  limits: Partial<Limits> = {},
  allowsTunnels = true,
): Promise<Http3Server & { outcomes: Outcome[] }> {
  const outcomes: Outcome[] = []
  const server = await serveHttp3(
    (exchange) => {
      exchange.onClose = (outcome) => outcomes.push(outcome)
      handle(exchange)
    },
    limits,
    allowsTunnels,
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  return Object.assign(server, { outcomes })
}

interface Opened {
  readonly server: Http3Server & { outcomes: readonly Outcome[] }
  readonly client: H3Client
  readonly stream: RawStream
  readonly received: ReceivedFrames
  readonly tunnel: Duplex
  readonly exchange: Exchange
  readonly events: readonly string[]
}

async function openTunnel(limits: Partial<Limits> = {}, reads = true): Promise<Opened> {
  const opened = Promise.withResolvers<{ tunnel: Duplex; exchange: Exchange }>()
  const events: string[] = []
  const server = await serve((exchange) => {
    const tunnel = exchange.tunnel(['x-a', '1', 'content-length', '5'])
    for (const name of ['end', 'finish', 'error', 'close']) tunnel.on(name, () => events.push(name))
    opened.resolve({ tunnel, exchange })
  }, limits)
  const client = await server.connect()
  const stream = await client.connection.openStream()
  await stream.send(connectHead())
  const { tunnel, exchange } = await opened.promise
  return {
    server,
    client,
    stream,
    received: reads ? new ReceivedFrames(stream) : (undefined as never),
    tunnel,
    exchange,
    events,
  }
}

describe('extended CONNECT (RFC 9220)', () => {
  it('requires a setting that only a server with tunnels announces (§3)', async () => {
    const on = await (await serve(() => {})).connect()
    expect((await on.connection.settings).get(ENABLE_CONNECT_PROTOCOL)).toBe(1)
    const off = await (await serve(() => {}, {}, false)).connect()
    expect((await off.connection.settings).has(ENABLE_CONNECT_PROTOCOL)).toBe(false)
  })

  it('passes protocol, path and authority to the handler (§3)', async () => {
    const seen: unknown[] = []
    const server = await serve(({ method, upgradeProtocol, target, authority, upgrade }) => {
      seen.push(method, upgradeProtocol, target, authority, upgrade)
    })
    const stream = await (await server.connect()).connection.openStream()
    await stream.send(connectHead({ ':protocol': 'WebSocket', ':authority': 'localhost' }))
    await expect.poll(() => seen, WAIT).toEqual(['CONNECT', 'websocket', '/chat?a=1', 'localhost', undefined])
  })

  it('receives 200 without fields that frame a body, then carries bytes in both directions (§3)', async () => {
    const { stream, tunnel, received } = await openTunnel()
    tunnel.on('data', (chunk: Buffer) => tunnel.write(`<${chunk.toString()}>`))
    await expect.poll(() => received.fields.map(([name]) => name), WAIT).toEqual([':status', 'x-a', 'date'])
    expect(received.fields[0]).toEqual([':status', '200'])
    await stream.send(h3Frame(DATA, 'one'))
    await expect.poll(() => received.text, WAIT).toBe('<one>')
    await stream.send(h3Frame(DATA, 'two'))
    await expect.poll(() => received.text, WAIT).toBe('<one><two>')
  })

  it.each<[what: string, head: Buffer]>([
    ['§3: :protocol with GET', connectHead({ ':method': 'GET' })],
    ['§3: :protocol without :scheme', connectHead({ ':scheme': undefined })],
    ['§3: :protocol without :path', connectHead({ ':path': undefined })],
    ['§3: :protocol without an authority', connectHead({ ':authority': undefined })],
    ['§3: an empty :protocol', connectHead({ ':protocol': '' })],
    ['§3: a :protocol that is not a token', connectHead({ ':protocol': 'web socket' })],
    ['§3: :path without a slash', connectHead({ ':path': 'chat' })],
    ['9114 §4.3: :protocol twice', section([':method', 'CONNECT'], [':protocol', 'a'], [':protocol', 'a'])],
    ['9114 §4.3: :protocol after a field', section([':method', 'CONNECT'], ['a', '1'], [':protocol', 'a'])],
    ['9110 §9.3.6: a length', connectHead({ 'content-length': '0' })],
  ])('rejects %s as malformed', async (_what, head) => {
    const server = await serve((exchange) => exchange.respond(200, [], null))
    const stream = await (await server.connect()).connection.openStream()
    await stream.send(head)
    await stream.readAll().catch(() => {})
    expect(await stream.resetCode).toBe(ErrorCode.MESSAGE_ERROR)
  })

  it('counts as malformed on a connection without the setting (§3)', async () => {
    const server = await serve((exchange) => exchange.respond(200, [], null), {}, false)
    const stream = await (await server.connect()).connection.openStream()
    await stream.send(connectHead())
    await stream.readAll().catch(() => {})
    expect(await stream.resetCode).toBe(ErrorCode.MESSAGE_ERROR)
  })

  it('ends with an ordinary response that refuses the tunnel', async () => {
    const server = await serve((exchange) => exchange.respond(403, [], 'no'))
    const stream = await (await server.connect()).connection.openStream()
    await stream.send(connectHead())
    const received = new ReceivedFrames(stream)
    await expect.poll(() => received.ended, WAIT).toBe('end')
    expect([received.fields[0]?.[1], received.text]).toEqual(['403', 'no'])
    expect(server.outcomes).toEqual([{ status: 403, bodyBytes: 2, aborted: false }])
  })
})

describe('a tunnel', () => {
  it('joins the writes of a turn into few frames', async () => {
    const { received, tunnel } = await openTunnel()
    for (let i = 0; i < 1000; i++) tunnel.write('0123456789')
    expect(tunnel.writableLength).toBe(10_000)
    await expect.poll(() => received.text.length, WAIT).toBe(10_000)
    expect(received.frames.filter(({ type }) => type === DATA)).toHaveLength(1)
    await expect.poll(() => tunnel.writableLength).toBe(0)
  })

  it('preserves the order of large and small writes', async () => {
    const { received, tunnel } = await openTunnel()
    const large = 'x'.repeat(300_000)
    tunnel.write('a')
    tunnel.write(large)
    tunnel.end('b')
    await expect.poll(() => received.ended, WAIT).toBe('end')
    expect(received.text).toBe(`a${large}b`)
  })

  it('sends only DATA after the head', async () => {
    const { received, tunnel } = await openTunnel()
    tunnel.end()
    await expect.poll(() => received.ended, WAIT).toBe('end')
    expect(received.frames.map(({ type }) => type)).toEqual([H3Frame.HEADERS, DATA])
  })

  it('ends one direction at a time, then closes once with an outcome that is not aborted', async () => {
    const { server, stream, received, tunnel, events } = await openTunnel()
    tunnel.resume()
    await stream.send(h3Frame(DATA, 'bye'), { end: true })
    await expect.poll(() => events, WAIT).toEqual(['end'])
    expect(server.outcomes).toEqual([])
    tunnel.end('last')
    await expect.poll(() => received.ended, WAIT).toBe('end')
    await expect.poll(() => events).toEqual(['end', 'finish', 'close'])
    expect(received.text).toBe('last')
    expect(server.outcomes).toEqual([{ status: 200, bodyBytes: 4, aborted: false }])
  })

  it('is not reset after both directions have ended while the client must still read its last bytes', async () => {
    const server = await serve((exchange) => {
      const tunnel = exchange.tunnel([])
      tunnel.resume()
      tunnel.end('x'.repeat(Number(exchange.target.slice(1))))
    })
    const streamWindow = 1000
    const { connection } = await server.connect({ streamWindow })
    // With one of these sizes, the last byte fills the window, so the end of the stream has to wait.
    const sizes = Array.from({ length: 80 }, (_, i) => streamWindow - 90 + i)
    const streams: RawStream[] = []
    for (const size of sizes) {
      const stream = await connection.openStream()
      await stream.send(connectHead({ ':path': `/${size}` }), { end: true })
      streams.push(stream)
    }
    await settle(20)
    const received = streams.map((stream) => new ReceivedFrames(stream))
    await expect.poll(() => received.every(({ ended }) => ended !== undefined), WAIT).toBe(true)
    expect(received.map(({ ended, text }) => [ended, text.length])).toEqual(sizes.map((size) => ['end', size]))
    await expect.poll(() => server.outcomes.length, WAIT).toBe(sizes.length)
  })

  it('receives bytes after end()', async () => {
    const { server, stream, received, tunnel, events } = await openTunnel()
    const texts: string[] = []
    tunnel.on('data', (chunk: Buffer) => texts.push(chunk.toString()))
    tunnel.end()
    await expect.poll(() => received.ended, WAIT).toBe('end')
    await settle(5)
    await stream.send(h3Frame(DATA, 'late'))
    await expect.poll(() => texts, WAIT).toEqual(['late'])
    expect(server.outcomes).toEqual([])
    await stream.send('', { end: true })
    await expect.poll(() => events, WAIT).toEqual(['finish', 'end', 'close'])
    expect(server.outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
  })

  it('delivers unread bytes after both directions have ended', async () => {
    const { server, client, stream, tunnel, events } = await openTunnel()
    await stream.send(h3Frame(DATA, 'a'.repeat(1000)))
    await settle(5)
    await stream.send(h3Frame(DATA, 'b'.repeat(1000)), { end: true })
    tunnel.end()
    await expect.poll(() => server.outcomes, WAIT).toHaveLength(1)
    await client.close()
    await settle(5)
    let text = ''
    for await (const chunk of tunnel) text += String(chunk)
    expect(text).toBe('a'.repeat(1000) + 'b'.repeat(1000))
    expect(events).toEqual(['finish', 'end', 'close'])
  })

  it('sends H3_REQUEST_CANCELLED in both directions on destroy() (§3)', async () => {
    const { server, stream, tunnel, events } = await openTunnel()
    tunnel.destroy()
    expect([await stream.resetCode, await stream.stopCode]).toEqual([
      ErrorCode.REQUEST_CANCELLED,
      ErrorCode.REQUEST_CANCELLED,
    ])
    expect(server.outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
    expect(events).toEqual(['close'])
  })

  it('sends STOP_SENDING on destroy() after end()', async () => {
    const { server, stream, received, tunnel, events } = await openTunnel()
    tunnel.end()
    await expect.poll(() => received.ended, WAIT).toBe('end')
    tunnel.destroy()
    expect(await stream.stopCode).toBe(ErrorCode.REQUEST_CANCELLED)
    expect(server.outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
    expect(events).toEqual(['finish', 'close'])
  })

  it.each<[what: string, act: (opened: Opened) => unknown]>([
    ['RESET_STREAM', ({ stream }) => stream.reset(ErrorCode.REQUEST_CANCELLED)],
    ['STOP_SENDING', ({ stream }) => stream.stop(ErrorCode.REQUEST_CANCELLED)],
    ['the end of the connection', ({ client }) => client.close()],
  ])('is destroyed once, with an error, by %s', async (_what, act) => {
    const opened = await openTunnel({}, false)
    const { server, tunnel, events } = opened
    const errors: unknown[] = []
    tunnel.on('error', (error) => errors.push(error))
    await act(opened)
    await expect.poll(() => events.at(-1), WAIT).toBe('close')
    expect(events).toEqual(['error', 'close'])
    expect(errors).toMatchObject([{ name: 'AbortError', code: 'FW_ABORTED' }])
    expect(server.outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
    expect(tunnel.write('x')).toBe(false)
  })

  it('rejects HEADERS with a connection error, but ignores a frame of a reserved type (RFC 9114 §4.4)', async () => {
    const { client, stream, tunnel, events } = await openTunnel()
    const texts: string[] = []
    tunnel.on('data', (chunk: Buffer) => texts.push(chunk.toString()))
    await stream.send(Buffer.concat([h3Frame(0x21, 'x'), h3Frame(DATA, 'a')]))
    await expect.poll(() => texts, WAIT).toEqual(['a'])
    await stream.send(section(['x-sum', '1']))
    expect((await client.connection.closeWithin(10_000)).code).toBe(ErrorCode.FRAME_UNEXPECTED)
    await expect.poll(() => events, WAIT).toEqual(['error', 'close'])
  })

  it('stops the client while the handler does not read, and continues when it does', async () => {
    const { stream, tunnel } = await openTunnel({ maxBufferedBodyBytes: 32 * 1024 })
    const total = 4 * 1024 * 1024
    let isSent = false
    const frame = h3Frame(DATA, Buffer.alloc(16 * 1024))
    void (async () => {
      for (let sent = 0; sent < total; sent += 16 * 1024) await stream.send(frame)
      await stream.send('', { end: true })
      isSent = true
    })()
    await settle(100)
    expect(isSent).toBe(false)
    let received = 0
    for await (const chunk of tunnel) received += (chunk as Buffer).length
    expect([received, isSent]).toEqual([total, true])
  })

  it('waits for a client that does not read, and counts the waiting bytes in writableLength', async () => {
    const { stream, tunnel } = await openTunnel({}, false)
    const large = Buffer.alloc(4 * 1024 * 1024, 'x')
    let isSent = false
    tunnel.write(large, () => (isSent = true))
    await settle(50)
    expect([tunnel.writableLength, isSent]).toEqual([large.length, false])
    const received = new ReceivedFrames(stream)
    tunnel.end()
    await expect.poll(() => received.ended, WAIT).toBe('end')
    expect([received.text.length, isSent, tunnel.writableLength]).toEqual([large.length, true, 0])
  })

  it('closes a client that reads nothing for writeStallTimeoutMs', async () => {
    const { stream, tunnel, events } = await openTunnel({ writeStallTimeoutMs: 300 }, false)
    tunnel.write(Buffer.alloc(4 * 1024 * 1024))
    await expect.poll(() => events, WAIT).toEqual(['error', 'close'])
    expect(await stream.stopCode).toBe(ErrorCode.REQUEST_CANCELLED)
  })

  it('allows a client to wait longer than in a request body, before and after the tunnel is accepted', async () => {
    const opened = Promise.withResolvers<Duplex>()
    const limits = {
      bodyStallTimeoutMs: 50,
      requestTimeoutMs: 50,
      minBodyBytesPerSecond: 1_000_000,
      bodyRateGraceMs: 1,
    }
    const server = await serve((exchange) => {
      if (exchange.method === 'CONNECT') setTimeout(() => opened.resolve(exchange.tunnel([])), 200)
      else exchange.body.consume({ data() {}, end() {}, error: () => exchange.respond(408, [], null) })
    }, limits)
    const { connection } = await server.connect()
    const [stream, slow] = [await connection.openStream(), await connection.openStream()]
    await stream.send(connectHead())
    await slow.send(headWith({ ':method': 'POST' }))
    const tunnel = await opened.promise
    const texts: string[] = []
    tunnel.on('data', (chunk: Buffer) => texts.push(chunk.toString()))
    const refused = new ReceivedFrames(slow)
    await expect.poll(() => refused.fields[0]?.[1], WAIT).toBe('408')
    for (const text of ['a', 'b', 'c']) {
      await stream.send(h3Frame(DATA, text))
      await expect.poll(() => texts, WAIT).toContain(text)
    }
    expect(tunnel.destroyed).toBe(false)
  })

  it('counts toward maxStreamResetBurst if the client aborts it', async () => {
    const server = await serve((exchange) => void exchange.tunnel([]), {
      maxStreamResetBurst: 5,
      maxStreamResetsPerSecond: 1,
    })
    const { connection } = await server.connect()
    for (let i = 0; i < 20 && !connection.isOver; i++) {
      const stream = await connection.openStream()
      await stream.send(connectHead())
      await settle(3)
      stream.reset(ErrorCode.REQUEST_CANCELLED)
      await settle(3)
    }
    expect((await connection.closeWithin(10_000)).code).toBe(ErrorCode.EXCESSIVE_LOAD)
  })
})
