import type { Duplex } from 'node:stream'
import type { Exchange } from '@fw/types'
import { settle } from '@fw/testing'
import { describe, expect, it, vi } from 'vitest'
import { data, Flag, FrameType, rstStream, Setting, windowUpdate } from './frames.ts'
import { block, type Field, headers } from './hpack.ts'
import { RawClient, request, serverSettings } from './raw-client.ts'
import { serveEngines, type RunningEngines } from '../serve-engines.ts'
import type { Limits } from '../../src/options/limits.ts'

const WAIT = { timeout: 10_000, interval: 5 }

/** Serves HTTP/2, and by default announces extended CONNECT. */
function serve(
  onRequest: (exchange: Exchange) => void,
  limits: Partial<Limits> = {},
  allowsTunnels = true,
): Promise<RunningEngines> {
  return serveEngines(onRequest, limits, undefined, allowsTunnels)
}

/** Encodes the field block of an extended CONNECT with changes; `undefined` omits a field. */
function connectBlock(changes: Record<string, string | undefined> = {}, ...fields: readonly Field[]): Buffer {
  const pseudo: Record<string, string | undefined> = {
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':scheme': 'http',
    ':authority': 'localhost',
    ':path': '/chat?a=1',
    ...changes,
  }
  const present = Object.entries(pseudo).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return block(...present, ...fields)
}

/** Encodes an extended CONNECT whose stream stays open. */
const open = (streamId: number): Buffer => headers(streamId, connectBlock(), 0)

interface Opened {
  readonly client: RawClient
  readonly tunnel: Duplex
  readonly exchange: Exchange
  readonly outcomes: readonly unknown[]
  readonly events: readonly string[]
}

/** Opens a tunnel on stream 1. */
async function openTunnel(
  limits: Partial<Limits> = {},
  options: Parameters<typeof RawClient.connect>[1] = {},
): Promise<Opened> {
  const opened = Promise.withResolvers<{ tunnel: Duplex; exchange: Exchange }>()
  const events: string[] = []
  const { port, outcomes } = await serve((exchange) => {
    const tunnel = exchange.tunnel(['x-a', '1', 'content-length', '5', 'connection', 'close'])
    for (const name of ['end', 'finish', 'error', 'close']) tunnel.on(name, () => events.push(name))
    opened.resolve({ tunnel, exchange })
  }, limits)
  const client = await RawClient.connect(port, options)
  client.send(open(1))
  const { tunnel, exchange } = await opened.promise
  return { client, tunnel, exchange, outcomes, events }
}

describe('extended CONNECT (RFC 8441)', () => {
  it('requires a setting that only a server with tunnels announces (§3)', async () => {
    const on = await RawClient.connect((await serve(() => {})).port)
    expect(serverSettings(on).get(Setting.ENABLE_CONNECT_PROTOCOL)).toBe(1)
    const off = await RawClient.connect((await serve(() => {}, {}, false)).port)
    expect(serverSettings(off).has(Setting.ENABLE_CONNECT_PROTOCOL)).toBe(false)
  })

  it('ignores the setting of a client (§3)', async () => {
    const { port } = await serve((exchange) => exchange.respond(200, [], null))
    const client = await RawClient.connect(port, { settings: [[Setting.ENABLE_CONNECT_PROTOCOL, 1]] })
    expect(await client.serves(1)).toBe(true)
  })

  it('passes protocol, path and authority to the handler (§4)', async () => {
    const seen: unknown[] = []
    const { port } = await serve(({ method, upgradeProtocol, target, authority, upgrade }) => {
      seen.push(method, upgradeProtocol, target, authority, upgrade)
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, connectBlock({ ':protocol': 'WebSocket' }), 0))
    await client.ping()
    expect(seen).toEqual(['CONNECT', 'websocket', '/chat?a=1', 'localhost', undefined])
  })

  it('receives 200 without fields that frame a body, then carries bytes in both directions (§5)', async () => {
    const { client, tunnel } = await openTunnel()
    tunnel.on('data', (chunk: Buffer) => tunnel.write(`<${chunk.toString()}>`))
    await vi.waitUntil(() => client.statuses(1).length > 0, WAIT)
    const [fields = []] = client.sections(1)
    expect(fields.map(([name]) => name)).toEqual([':status', 'x-a', 'date'])
    expect(fields[0]).toEqual([':status', '200'])
    expect(client.hasEnded(1)).toBe(false)
    client.send(data(1, 'one'))
    await vi.waitUntil(() => client.body(1) === '<one>', WAIT)
    client.send(data(1, 'two'))
    await vi.waitUntil(() => client.body(1) === '<one><two>', WAIT)
  })

  it.each<[what: string, block: Buffer]>([
    ['§4: :protocol with GET', connectBlock({ ':method': 'GET' })],
    ['§4: :protocol without :scheme', connectBlock({ ':scheme': undefined })],
    ['§4: :protocol without :path', connectBlock({ ':path': undefined })],
    ['§4: :protocol without an authority', connectBlock({ ':authority': undefined })],
    ['§4: an empty :protocol', connectBlock({ ':protocol': '' })],
    ['§4: a :protocol that is not a token', connectBlock({ ':protocol': 'web socket' })],
    ['§4: a list of protocols', connectBlock({ ':protocol': 'websocket, a' })],
    ['§4: :path without a slash', connectBlock({ ':path': 'chat' })],
    ['§4: asterisk form', connectBlock({ ':path': '*' })],
    ['§4: :protocol twice', block([':protocol', 'a'], [':protocol', 'a'], [':method', 'CONNECT'])],
    ['9113 §8.3: :protocol after a field', connectBlock({ ':protocol': undefined }, ['a', '1'], [':protocol', 'a'])],
    ['9110 §9.3.6: a length', connectBlock({}, ['content-length', '0'])],
    ['9113 §8.2.2: an upgrade field', connectBlock({}, ['upgrade', 'websocket'])],
  ])('rejects %s as malformed', async (_what, fields) => {
    const { port } = await serve((exchange) => exchange.respond(200, [], null))
    const client = await RawClient.connect(port)
    client.send(headers(1, fields, 0))
    await vi.waitUntil(() => client.outcome(1) !== undefined, WAIT)
    expect(client.outcome(1)).toBe('stream PROTOCOL_ERROR')
    expect(await client.serves(3)).toBe(true)
  })

  it('counts as malformed on a connection without the setting (§3)', async () => {
    const { port } = await serve((exchange) => exchange.respond(200, [], null), {}, false)
    const client = await RawClient.connect(port)
    client.send(open(1))
    await vi.waitUntil(() => client.outcome(1) !== undefined, WAIT)
    expect(client.outcome(1)).toBe('stream PROTOCOL_ERROR')
    expect(await client.serves(3)).toBe(true)
  })

  it('ends with an ordinary response that refuses the tunnel', async () => {
    const { port, outcomes } = await serve((exchange) => exchange.respond(403, ['x-a', '1'], 'no'))
    const client = await RawClient.connect(port)
    client.send(open(1))
    await vi.waitUntil(() => client.hasEnded(1), WAIT)
    expect([client.statuses(1), client.body(1)]).toEqual([['403'], 'no'])
    expect(outcomes).toEqual([{ status: 403, bodyBytes: 2, aborted: false }])
    // The client has not ended its side. RFC 9113 §8.1 permits this reset after a complete response.
    await vi.waitUntil(() => client.reset(1) === 'NO_ERROR', WAIT)
  })
})

describe('exchange.tunnel', () => {
  it('throws for a request that is not an extended CONNECT, after a response, and after a disconnect', async () => {
    const errors: unknown[] = []
    const attempt = (exchange: Exchange): void => {
      try {
        exchange.tunnel([])
      } catch (error) {
        errors.push((error as { code: string }).code)
      }
    }
    const { port } = await serve((exchange) => {
      const { target } = exchange
      if (target === '/plain') attempt(exchange)
      if (target === '/left') exchange.onClose = () => attempt(exchange)
      else exchange.respond(403, [], null)
      if (target === '/chat?a=1') attempt(exchange)
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('GET', '/plain')))
    client.send(open(3))
    client.send(headers(5, connectBlock({ ':path': '/left' }), 0), rstStream(5))
    await vi.waitUntil(() => errors.length === 3, WAIT)
    expect(errors).toEqual(['FW_NO_TUNNEL', 'FW_RESPONSE_SENT', 'FW_CONNECTION_CLOSED'])
  })

  it('makes responses throw, and ignores write() and end() of the exchange', async () => {
    const { client, exchange, tunnel } = await openTunnel()
    expect(() => exchange.respond(200, [], null)).toThrow('a response was already sent')
    expect(() => exchange.tunnel([])).toThrow('a response was already sent')
    exchange.write(Buffer.from('x'))
    exchange.end()
    expect([exchange.status, exchange.isOpen]).toEqual([200, false])
    tunnel.write('y')
    await vi.waitUntil(() => client.body(1) !== '', WAIT)
    expect([client.body(1), client.hasEnded(1)]).toEqual(['y', false])
  })

  it('rejects fields that cannot be sent, and can then still respond', async () => {
    const { port } = await serve((exchange) => {
      expect(() => exchange.tunnel(['a b', '1'])).toThrow(TypeError)
      exchange.respond(500, [], null)
    })
    const client = await RawClient.connect(port)
    client.send(open(1))
    await vi.waitUntil(() => client.statuses(1)[0] === '500', WAIT)
  })
})

describe('a tunnel', () => {
  it('joins the writes of a turn into few frames', async () => {
    const { client, tunnel } = await openTunnel()
    for (let i = 0; i < 1000; i++) tunnel.write('0123456789')
    expect(tunnel.writableLength).toBe(10_000)
    await vi.waitUntil(() => client.body(1).length === 10_000, WAIT)
    expect(client.of(FrameType.DATA, 1)).toHaveLength(1)
    await expect.poll(() => tunnel.writableLength).toBe(0)
  })

  it('preserves the order of large and small writes, and of text in any encoding', async () => {
    const { client, tunnel } = await openTunnel({}, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 20]] })
    client.send(windowUpdate(0, 2 ** 20))
    const large = 'x'.repeat(100_000)
    tunnel.write('a')
    tunnel.write(large)
    tunnel.write(Buffer.from('b'))
    tunnel.write('63', 'hex')
    tunnel.end('ä')
    await vi.waitUntil(() => client.hasEnded(1), WAIT)
    expect(client.body(1)).toBe(`a${large}bc${Buffer.from('ä').toString('latin1')}`)
  })

  it('ends one direction at a time, then closes once with an outcome that is not aborted', async () => {
    const { client, tunnel, outcomes, events } = await openTunnel()
    tunnel.resume()
    client.send(data(1, 'bye', Flag.END_STREAM))
    await expect.poll(() => events).toEqual(['end'])
    expect(outcomes).toEqual([])
    tunnel.end('last')
    await vi.waitUntil(() => client.hasEnded(1), WAIT)
    await expect.poll(() => events).toEqual(['end', 'finish', 'close'])
    expect(client.body(1)).toBe('last')
    expect(client.reset(1)).toBeUndefined()
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 4, aborted: false }])
  })

  it('receives bytes after end()', async () => {
    const { client, tunnel, outcomes, events } = await openTunnel()
    const received: string[] = []
    tunnel.on('data', (chunk: Buffer) => received.push(chunk.toString()))
    tunnel.end()
    await vi.waitUntil(() => client.hasEnded(1), WAIT)
    await settle(5)
    client.send(data(1, 'late'))
    await expect.poll(() => received).toEqual(['late'])
    expect([client.reset(1), outcomes]).toEqual([undefined, []])
    client.send(data(1, '', Flag.END_STREAM))
    await expect.poll(() => events).toEqual(['finish', 'end', 'close'])
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
  })

  it('delivers unread bytes after both directions have ended', async () => {
    const { client, tunnel, events, outcomes } = await openTunnel()
    client.send(data(1, 'a'.repeat(1000)), data(1, 'b'.repeat(1000), Flag.END_STREAM))
    tunnel.end()
    await expect.poll(() => outcomes).toHaveLength(1)
    client.socket.destroy()
    await settle(5)
    let text = ''
    for await (const chunk of tunnel) text += String(chunk)
    expect(text).toBe('a'.repeat(1000) + 'b'.repeat(1000))
    expect(events).toEqual(['finish', 'end', 'close'])
  })

  it.each([
    ['before end()', false],
    ['after end()', true],
  ])('sends RST_STREAM with CANCEL on destroy() %s (§5)', async (_, hasEnded) => {
    const { client, tunnel, outcomes, events } = await openTunnel()
    if (hasEnded) {
      tunnel.end()
      await vi.waitUntil(() => client.hasEnded(1), WAIT)
    }
    tunnel.destroy()
    await vi.waitUntil(() => client.reset(1) !== undefined, WAIT)
    expect(client.reset(1)).toBe('CANCEL')
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
    expect(events.filter((name) => name !== 'finish')).toEqual(['close'])
    client.send(data(1, 'late'))
    await client.ping()
    expect(client.goaway).toBeUndefined()
  })

  it('drops unsent bytes on destroy()', async () => {
    const { client, tunnel } = await openTunnel({}, { settings: [[Setting.INITIAL_WINDOW_SIZE, 10]] })
    tunnel.write('x'.repeat(100_000))
    await vi.waitUntil(() => client.body(1).length === 10, WAIT)
    tunnel.destroy()
    await vi.waitUntil(() => client.reset(1) === 'CANCEL', WAIT)
    client.send(windowUpdate(1, 1000))
    await client.ping()
    expect(client.body(1)).toHaveLength(10)
  })

  it.each<[what: string, act: (client: RawClient) => void]>([
    ['RST_STREAM', (client) => client.send(rstStream(1))],
    ['RST_STREAM after END_STREAM', (client) => client.send(data(1, '', Flag.END_STREAM), rstStream(1))],
    ['the end of the connection', (client) => client.socket.end()],
    ['a reset of the connection', (client) => client.socket.resetAndDestroy()],
  ])('is destroyed once, with an error, by %s', async (_what, act) => {
    const { client, tunnel, outcomes, events } = await openTunnel()
    const errors: unknown[] = []
    tunnel.on('error', (error) => errors.push(error))
    act(client)
    await expect.poll(() => events.at(-1)).toBe('close')
    expect(events).toEqual(['error', 'close'])
    expect(errors).toMatchObject([{ name: 'AbortError', code: 'FW_ABORTED' }])
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 0, aborted: false }])
    expect(tunnel.write('x')).toBe(false)
  })

  it('needs no error listener', async () => {
    const tunnels: Duplex[] = []
    const { port } = await serve((exchange) => tunnels.push(exchange.tunnel([])))
    const client = await RawClient.connect(port)
    client.send(open(1), open(3))
    await expect.poll(() => tunnels).toHaveLength(2)
    client.send(rstStream(1))
    tunnels[1]?.destroy(new Error('no listener'))
    await expect.poll(() => tunnels.every(({ closed }) => closed)).toBe(true)
  })

  it('rejects HEADERS with a stream error (RFC 9113 §8.5)', async () => {
    const { client, outcomes, events } = await openTunnel()
    client.send(headers(1, block(['x-sum', '1'])))
    await vi.waitUntil(() => client.reset(1) !== undefined, WAIT)
    expect(client.reset(1)).toBe('PROTOCOL_ERROR')
    expect(client.goaway).toBeUndefined()
    await expect.poll(() => events).toEqual(['error', 'close'])
    expect(outcomes).toHaveLength(1)
  })

  it('accepts END_STREAM on the head of the request', async () => {
    const opened = Promise.withResolvers<Duplex>()
    const { port, outcomes } = await serve((exchange) => opened.resolve(exchange.tunnel([])))
    const client = await RawClient.connect(port)
    client.send(headers(1, connectBlock(), Flag.END_STREAM))
    const tunnel = await opened.promise
    tunnel.resume().end('x')
    await vi.waitUntil(() => client.hasEnded(1), WAIT)
    await expect.poll(() => tunnel.closed).toBe(true)
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 1, aborted: false }])
  })
})

describe('flow control of a tunnel', () => {
  it('waits for the window of the client, and counts the waiting bytes in writableLength', async () => {
    const { client, tunnel } = await openTunnel({}, { settings: [[Setting.INITIAL_WINDOW_SIZE, 100]] })
    const sent: number[] = []
    tunnel.write('a'.repeat(150), () => sent.push(1))
    await vi.waitUntil(() => client.body(1).length === 100, WAIT)
    await settle(5)
    expect([tunnel.writableLength, sent]).toEqual([150, []])
    tunnel.write('b'.repeat(100_000))
    expect(tunnel.writableNeedDrain).toBe(true)
    client.send(windowUpdate(1, 50))
    await expect.poll(() => sent).toEqual([1])
    expect(tunnel.writableLength).toBe(100_000)
    const drained = new Promise((resolve) => tunnel.once('drain', resolve))
    client.send(windowUpdate(1, 200_000), windowUpdate(0, 200_000))
    await drained
    await vi.waitUntil(() => client.body(1).length === 100_150, WAIT)
  })

  it('stops the client while the handler does not read, and continues when it does', async () => {
    const { client, tunnel } = await openTunnel({ maxBufferedBodyBytes: 32 * 1024 })
    const credit = (): number =>
      client.of(FrameType.WINDOW_UPDATE, 1).reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 65_535)
    let sent = 0
    const fill = async (): Promise<void> => {
      for (let before = -1; before !== sent;) {
        before = sent
        for (; credit() - sent >= 8192; sent += 8192) client.send(data(1, Buffer.alloc(8192)))
        await client.ping()
        await settle(2)
      }
    }
    await fill()
    expect(sent).toBeLessThan(200_000)
    let received = 0
    for await (const chunk of tunnel) {
      received += (chunk as Buffer).length
      if (received === sent) break
    }
    expect(received).toBe(sent)
  })

  it('closes a client that reads nothing for writeStallTimeoutMs', async () => {
    const { client, tunnel, events } = await openTunnel(
      { writeStallTimeoutMs: 200 },
      { settings: [[Setting.INITIAL_WINDOW_SIZE, 10]] },
    )
    tunnel.write('x'.repeat(1000))
    await vi.waitUntil(() => client.reset(1) !== undefined || client.isClosed, WAIT)
    expect(client.reset(1)).toBe('CANCEL')
    await expect.poll(() => events).toEqual(['error', 'close'])
  })
})

describe('a limit of a tunnel', () => {
  it('allows a client to wait longer than in a request body, before and after the tunnel is accepted', async () => {
    const opened = Promise.withResolvers<Duplex>()
    const limits = {
      bodyStallTimeoutMs: 50,
      requestTimeoutMs: 50,
      minBodyBytesPerSecond: 1_000_000,
      bodyRateGraceMs: 1,
    }
    const { port } = await serve((exchange) => {
      if (exchange.method === 'CONNECT') setTimeout(() => opened.resolve(exchange.tunnel([])), 200)
      else exchange.body.consume({ data() {}, end() {}, error: () => exchange.respond(408, [], null) })
    }, limits)
    const client = await RawClient.connect(port)
    client.send(open(1), headers(3, request('POST', '/'), 0))
    const tunnel = await opened.promise
    const received: string[] = []
    tunnel.on('data', (chunk: Buffer) => received.push(chunk.toString()))
    await vi.waitUntil(() => client.statuses(3).length > 0, WAIT)
    for (const text of ['a', 'b', 'c']) {
      client.send(data(1, text))
      await expect.poll(() => received).toContain(text)
    }
    expect([client.statuses(1), client.statuses(3), client.reset(1)]).toEqual([['200'], ['408'], undefined])
  })

  it('counts a tunnel toward maxConcurrentStreams', async () => {
    const { port } = await serve((exchange) => void exchange.tunnel([]), { maxConcurrentStreams: 2 })
    const client = await RawClient.connect(port)
    client.send(open(1), open(3), open(5))
    await vi.waitUntil(() => client.reset(5) !== undefined, WAIT)
    expect([client.reset(1), client.reset(3), client.reset(5)]).toEqual([undefined, undefined, 'REFUSED_STREAM'])
  })

  it('counts a reset tunnel toward maxStreamResetBurst', async () => {
    const { port } = await serve((exchange) => void exchange.tunnel([]), {
      maxStreamResetBurst: 10,
      maxStreamResetsPerSecond: 1,
    })
    const client = await RawClient.connect(port)
    for (let id = 1; id < 60; id += 2) client.send(open(id), rstStream(id))
    await vi.waitUntil(() => client.goaway !== undefined, WAIT)
    expect(client.goaway).toBe('ENHANCE_YOUR_CALM')
  })

  it('rejects a write that maxBufferedBytes does not admit while the client does not read', async () => {
    const { tunnel, events } = await openTunnel(
      { maxBufferedBytes: 2 ** 20, maxBufferedBytesPerConnection: 2 ** 18 },
      { settings: [[Setting.INITIAL_WINDOW_SIZE, 10]] },
    )
    let writes = 0
    for (; writes < 100 && !tunnel.destroyed; writes++) tunnel.write(Buffer.alloc(64 * 1024))
    expect(writes).toBeGreaterThan(4)
    expect(writes).toBeLessThan(20)
    await expect.poll(() => events).toEqual(['error', 'close'])
  })

  it('rejects too many small frames while the handler does not read', async () => {
    const { client, events } = await openTunnel({ maxBufferedBodyBytes: 1024 })
    client.send(...Array.from({ length: 20_000 }, () => data(1, 'x')))
    await vi.waitUntil(() => client.reset(1) !== undefined, WAIT)
    expect(client.reset(1)).toBe('ENHANCE_YOUR_CALM')
    await expect.poll(() => events).toEqual(['error', 'close'])
  })
})
