import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { createLogger, MemorySink, setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  acceptWebSocket,
  type ServerWebSocket,
  webSocket,
  type WebSocketClose,
  type WebSocketHandlers,
  type WebSocketMessage,
  type WebSocketRouteOptions,
} from '../src/index.ts'
import { BINARY, closeFrame, encodeFrame, type Frame, PING, TEXT } from './frames.ts'
import { type Carrier, type Fields, openRaw, type RawClient } from './raw-client.ts'
import { serve, type Served } from './serve.ts'

beforeAll(() => setSinks([]))

const text = (payload: string, more: Partial<Frame> = {}): Frame => ({
  opcode: TEXT,
  payload: Buffer.from(payload),
  ...more,
})
const WAIT = { interval: 2 }

/** A client, and the other end of its connection. */
interface Opened extends AsyncDisposable {
  readonly served: Served
  readonly client: RawClient
  readonly socket: ServerWebSocket
  readonly closes: readonly WebSocketClose[]
  readonly errors: readonly unknown[]
}

async function open(
  carrier: Carrier,
  options: WebSocketRouteOptions,
  handlers: WebSocketHandlers = {},
  fields: Fields = {},
): Promise<Opened> {
  const opened = Promise.withResolvers<ServerWebSocket>()
  const closes: WebSocketClose[] = []
  const errors: unknown[] = []
  const served = await serve(carrier, (router) =>
    webSocket(router, '/', options, {
      ...handlers,
      open(socket) {
        opened.resolve(socket)
        return handlers.open?.(socket)
      },
      close(socket, close) {
        closes.push(close)
        return handlers.close?.(socket, close)
      },
      error(socket, error) {
        errors.push(error)
        return handlers.error?.(socket, error)
      },
    }),
  )
  const client = await openRaw(carrier, served.port, '/', { fields })
  const socket = await opened.promise
  return {
    served,
    client,
    socket,
    closes,
    errors,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await served[Symbol.asyncDispose]()
    },
  }
}

describe.each(['h1', 'h2c', 'h3'] as const)('a connection on %s', (carrier) => {
  it('handles one message at a time, in order, and makes the client wait', async () => {
    const events: string[] = []
    const gates: (() => void)[] = []
    await using opened = await open(
      carrier,
      { maxMessageBytes: 2 ** 20, maxFramesPerSecond: 0 },
      {
        async message(_, data) {
          events.push(`start ${String(data).slice(0, 3)}`)
          await new Promise<void>((resolve) => gates.push(resolve))
          events.push(`end ${String(data).slice(0, 3)}`)
        },
      },
    )
    const { client } = opened
    await client.send(text('one'), text('two'), text('three'))
    await expect.poll(() => events, WAIT).toEqual(['start one'])
    await settle(50)
    expect(events).toEqual(['start one'])
    gates.shift()?.()
    await expect.poll(() => events, WAIT).toEqual(['start one', 'end one', 'start two'])

    // The handler is pending, so the bytes of further messages fill the buffers and the client cannot send more.
    const chunk = encodeFrame(text('x'.repeat(65_536)))
    let sent = 0
    while (sent < 1000 && client.stream.writableLength < 8 * 2 ** 20) {
      client.stream.write(chunk)
      sent++
    }
    await settle(200)
    expect(client.stream.writableLength).toBeGreaterThan(0)
  })

  it('handles messages at the same time if the route is concurrent', async () => {
    const seen: unknown[] = []
    await using opened = await open(
      carrier,
      { concurrent: true },
      {
        message: (_, data) => {
          seen.push(data)
          return new Promise(() => {})
        },
      },
    )
    await opened.client.send(text('one'), text('two'))
    await expect.poll(() => seen, WAIT).toEqual(['one', 'two'])
  })

  it('waits for open before the first message', async () => {
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    await using opened = await open(
      carrier,
      {},
      {
        open: () => gate.promise,
        message: () => void events.push('message'),
      },
    )
    await opened.client.send(text('early'))
    // A ping before the message would be answered; one that follows it waits.
    await settle(50)
    expect(events).toEqual([])
    gate.resolve()
    await expect.poll(() => events, WAIT).toEqual(['message'])
  })

  it('passes binary messages in their own buffer', async () => {
    const seen: WebSocketMessage[] = []
    await using opened = await open(carrier, {}, { message: (_, data) => void seen.push(data) })
    await opened.client.send({ opcode: BINARY, payload: Buffer.from([1, 2, 3]) }, text('secret'))
    await expect.poll(() => seen, WAIT).toHaveLength(2)
    const [bytes] = seen
    expect(bytes).toEqual(new Uint8Array([1, 2, 3]))
    expect((bytes as Uint8Array).buffer.byteLength).toBe(3)
  })

  it('accepts messages of maxMessageBytes, and closes with 1009 for more', async () => {
    const seen: number[] = []
    await using opened = await open(
      carrier,
      { maxMessageBytes: 100 },
      {
        message: (_, data) => void seen.push(data.length),
      },
    )
    const { client, closes } = opened
    await client.send(text('a'.repeat(100)), text('a'.repeat(60), { fin: false }), {
      opcode: 0,
      payload: Buffer.alloc(40),
    })
    await expect.poll(() => seen, WAIT).toEqual([100, 100])
    await client.send(text('a'.repeat(60), { fin: false }), { opcode: 0, payload: Buffer.alloc(41) })
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1009'])
    client.stream.end()
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1009, reason: '', clean: false }])
  })

  it('accepts maxFragments frames in a message, and closes with 1008 for more, even if they are empty', async () => {
    const seen: unknown[] = []
    await using opened = await open(carrier, { maxFragments: 3 }, { message: (_, data) => void seen.push(data) })
    const part = (fin: boolean): Frame => ({ opcode: 0, payload: Buffer.alloc(0), fin })
    await opened.client.send(text('a', { fin: false }), part(false), part(true))
    await expect.poll(() => seen, WAIT).toEqual(['a'])
    await opened.client.send(text('a', { fin: false }), part(false), part(false), part(true))
    await expect.poll(() => opened.client.frames, WAIT).toEqual(['close 1008'])
    expect(seen).toEqual(['a'])
  })

  it.each<[string, Frame, number]>([
    ['messages', text(''), 50],
    ['empty fragments', text('', { fin: false }), 1],
    ['pings', { opcode: PING, payload: Buffer.alloc(0) }, 5],
  ])('closes with 1008 after a flood of %s', async (name, frame, allowed) => {
    await using opened = await open(carrier, { maxFramesPerSecond: 10, maxFragments: 1000 })
    const { client, closes } = opened
    await client.send(...Array<Frame>(allowed).fill(frame))
    await settle(20)
    expect(client.frames.filter((each) => each.startsWith('close'))).toEqual([])
    const more = name === 'empty fragments' ? { opcode: 0, payload: Buffer.alloc(0), fin: false } : frame
    await client.send(...Array<Frame>(120).fill(more))
    await client.ended
    expect(client.frames.at(-1)).toBe('close 1008 too many frames')
    client.stream.end()
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1008, reason: '', clean: false }])
  })

  it('closes with 1011 if a handler throws, logs the error, and tells the client nothing', async () => {
    for (const name of ['open', 'message'] as const) {
      for (const isAsync of [false, true]) {
        const memory = new MemorySink()
        const fail = (): unknown => {
          if (isAsync) return Promise.reject(new Error('secret detail'))
          throw new Error('secret detail')
        }
        await using opened = await open(carrier, { logger: createLogger({ sinks: [memory] }) }, { [name]: fail })
        const { client, closes, errors } = opened
        await client.send(text('a'))
        await expect.poll(() => client.frames, WAIT).toEqual(['close 1011'])
        await client.send(closeFrame(1011))
        await expect.poll(() => closes, WAIT).toEqual([{ code: 1011, reason: '', clean: true }])
        expect(errors).toEqual([expect.objectContaining({ message: 'secret detail' })])
        expect(memory.messages().filter((message) => message.includes('secret detail'))).toHaveLength(1)
        expect(memory.contains(`/: the ${name} handler threw`)).toBe(true)
      }
    }
  })

  it('logs errors of the handlers error and close', async () => {
    const memory = new MemorySink()
    const logger = createLogger({ sinks: [memory] })
    await using opened = await open(
      carrier,
      { logger },
      {
        message() {
          throw new Error('first')
        },
        error() {
          throw new Error('second')
        },
        close: async () => {
          throw new Error('third')
        },
      },
    )
    await opened.client.send(text('a'), closeFrame(1000))
    // The handler error is called for each error of the others.
    const thrown = (): unknown[] => memory.messages().map((message) => /Error: (\w+)/.exec(message)?.[1])
    await expect.poll(thrown, WAIT).toEqual(['first', 'second', 'third', 'second'])
  })

  it('reports an invalid frame to error, and does not log it', async () => {
    const memory = new MemorySink()
    await using opened = await open(carrier, { logger: createLogger({ sinks: [memory] }) })
    const { client, closes, errors } = opened
    await client.write(encodeFrame(text('unmasked'), false))
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1002'])
    client.stream.end()
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1002, reason: '', clean: false }])
    expect(errors).toEqual([expect.objectContaining({ code: 'WS_ERR_EXPECTED_MASK' })])
    expect(memory.messages()).toEqual([])
  })

  it('closes with the code and reason of the client, and reports them once', async () => {
    await using opened = await open(carrier, {})
    const { client, socket, closes } = opened
    const { signal } = socket
    await client.send(closeFrame(4001, 'bye'))
    await client.close()
    expect(client.frames).toEqual(['close 4001 bye'])
    await expect.poll(() => closes, WAIT).toEqual([{ code: 4001, reason: 'bye', clean: true }])
    expect(await socket.closed).toEqual(closes[0])
    expect(signal.aborted).toBe(true)
    expect(await socket.send('late')).toBe(false)
    socket.close()
    socket.terminate()
  })

  it('reports 1006 if the client disconnects without a Close frame', async () => {
    await using opened = await open(carrier, {})
    opened.client.destroy()
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1006, reason: '', clean: false }])
  })

  it('aborts the signal of a waiting handler if the client disconnects', async () => {
    const aborted = Promise.withResolvers<void>()
    await using opened = await open(
      carrier,
      {},
      {
        message: (socket) =>
          new Promise<void>((resolve) => {
            socket.signal.addEventListener('abort', () => {
              aborted.resolve()
              resolve()
            })
          }),
      },
    )
    await opened.client.send(text('work'), text('waits'))
    await settle(20)
    opened.client.stream.end()
    await aborted.promise
  })

  it('discards messages that arrive after close()', async () => {
    const seen: unknown[] = []
    await using opened = await open(
      carrier,
      {},
      {
        message(socket, data) {
          seen.push(data)
          socket.close(4000, 'done')
        },
      },
    )
    const { client, closes } = opened
    await client.send(text('one'), text('two'))
    await expect.poll(() => client.frames, WAIT).toEqual(['close 4000 done'])
    await client.send(text('three'), closeFrame(4000))
    await expect.poll(() => closes, WAIT).toEqual([{ code: 4000, reason: '', clean: true }])
    expect(seen).toEqual(['one'])
  })

  it('closes while a handler is pending, despite messages that wait', async () => {
    await using opened = await open(carrier, {}, { message: () => new Promise(() => {}) })
    const { client, socket, closes } = opened
    await client.send(text('one'), text('two'))
    await settle(20)
    socket.close()
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1000'])
    await client.send(closeFrame(1000))
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1000, reason: '', clean: true }])
  })

  it('ends the connection if the client does not respond to a Close frame', async () => {
    await using opened = await open(carrier, { closeTimeoutMs: 50 })
    opened.socket.close(1000)
    await opened.client.ended
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1000, reason: '', clean: false }])
  })

  it('ends the connection without a Close frame in terminate()', async () => {
    await using opened = await open(carrier, {})
    opened.socket.terminate()
    await opened.client.ended
    expect(opened.client.frames).toEqual([])
    expect(opened.closes).toEqual([{ code: 1006, reason: '', clean: false }])
  })

  it('pings a silent client, keeps one that responds, and ends one that does not', async () => {
    await using opened = await open(carrier, { heartbeatMs: 100 })
    const { client, closes } = opened
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => client.frames.length, WAIT).toBe(round)
      await client.send({ opcode: 10, payload: Buffer.alloc(0) })
    }
    expect(closes).toEqual([])
    await client.ended
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1006, reason: '', clean: false }])
    expect(client.frames).toEqual(['ping', 'ping', 'ping', 'ping'])
  })

  it('closes with 1001 after idleTimeoutMs without a message', async () => {
    await using opened = await open(carrier, { idleTimeoutMs: 150 })
    const timer = setInterval(() => void opened.client.send({ opcode: PING, payload: Buffer.alloc(0) }), 20)
    await expect.poll(() => opened.client.frames.at(-1), WAIT).toBe('close 1001 idle')
    clearInterval(timer)
  })

  it('compresses long messages, and inflates those of the client up to maxMessageBytes', async () => {
    await using opened = await open(
      carrier,
      { compression: true, maxMessageBytes: 10_000 },
      { message: (socket, data) => socket.send(data) },
      { 'sec-websocket-extensions': 'permessage-deflate' },
    )
    const { client } = opened
    const deflate = (payload: string): Frame => {
      // RFC 7692 §7.2.1: without the last four bytes of an empty block.
      const deflated = deflateRawSync(payload, { finishFlush: 2 }).subarray(0, -4)
      return { opcode: TEXT, payload: deflated, rsv: 4 }
    }
    await client.send(deflate('a'.repeat(10_000)), deflate('short'))
    await expect.poll(() => client.frames, WAIT).toHaveLength(2)
    const [long = '', short] = client.frames
    expect(long.startsWith('text rsv 4 ')).toBe(true)
    const body = Buffer.concat([Buffer.from(long.slice(11), 'latin1'), Buffer.from([0, 0, 0xff, 0xff])])
    expect(inflateRawSync(body, { finishFlush: 2 }).toString()).toBe('a'.repeat(10_000))
    expect(short).toBe('text short')
    // 10 MB in 10 KB.
    await client.send(deflate('a'.repeat(10_000_000)))
    await expect.poll(() => client.frames.at(-1), WAIT).toBe('close 1009')
  })

  it('closes with 1007 for compressed data that is malformed', async () => {
    const fields = { 'sec-websocket-extensions': 'permessage-deflate' }
    await using opened = await open(carrier, { compression: true }, {}, fields)
    await opened.client.send({ opcode: TEXT, payload: Buffer.from([0xff, 0xff, 0xff]), rsv: 4 })
    await expect.poll(() => opened.client.frames, WAIT).toEqual(['close 1007'])
  })

  it('streams messages in both directions', async () => {
    await using served = await serve(carrier, (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        const socket = await acceptWebSocket(ctx)
        await socket.readable.pipeTo(socket.writable)
      }),
    )
    const client = await openRaw(carrier, served.port, '/')
    await client.send(text('one'), text('two'))
    await expect.poll(() => client.frames, WAIT).toEqual(['text one', 'text two'])
    await client.send(closeFrame(1000))
    await expect.poll(() => client.frames.at(-1), WAIT).toBe('close 1000')
    client.destroy()
  })

  it('sends 1001 with a delay when the server closes, refuses new ones, and ends within drainMs', async () => {
    await using opened = await open(carrier, {})
    const { client, served, closes } = opened
    const closing = served.server.close({ drainMs: 30_000 })
    await expect.poll(() => client.frames, WAIT).toHaveLength(1)
    expect(client.frames[0]).toMatch(/^close 1001 retry-after=\d{1,4}$/)
    await client.send(closeFrame(1001))
    await client.close()
    await closing
    expect(closes).toEqual([{ code: 1001, reason: '', clean: true }])
  })

  it('is destroyed at drainMs if the client does not respond', async () => {
    await using opened = await open(carrier, { closeTimeoutMs: 60_000 })
    await opened.served.server.close({ drainMs: 100 })
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1001, reason: '', clean: false }])
  })

  it('limits the sockets of the route and of an address', async () => {
    await using served = await serve(carrier, (router) => {
      webSocket(router, '/route', { maxSockets: 1 }, {})
      webSocket(router, '/address', { maxSocketsPerAddress: 1 }, {})
      webSocket(router, '/free', {}, {})
    })
    for (const path of ['/route', '/address']) {
      const first = await openRaw(carrier, served.port, path)
      expect(first.isOpen).toBe(true)
      const second = await openRaw(carrier, served.port, path)
      expect(second.response.status).toBe(503)
      const other = await openRaw(carrier, served.port, '/free')
      expect(other.isOpen).toBe(true)
      await first.close()
      await expect
        .poll(async () => {
          const third = await openRaw(carrier, served.port, path)
          third.destroy()
          return third.isOpen
        })
        .toBe(true)
      second.destroy()
      other.destroy()
    }
  })
})

describe.each(['h1', 'h2c', 'h3'] as const)('a client that does not read on %s', (carrier) => {
  const CHUNK = 'x'.repeat(16 * 1024)

  /** Sends without waiting until a message is not sent, or `limit` bytes wait. */
  async function fill(socket: ServerWebSocket, limit: number): Promise<boolean> {
    for (let sent = 0; sent < 5000 && socket.bufferedBytes < limit; sent++) {
      const result = socket.send(CHUNK)
      if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (!socket.isOpen) return await result
    }
    return await Promise.race([socket.send(CHUNK), settle(100).then(() => true)])
  }

  it('is closed with 1013 beyond maxBufferedBytes', async () => {
    const maxBufferedBytes = 512 * 1024
    await using opened = await open(carrier, { maxBufferedBytes, closeTimeoutMs: 100 })
    opened.client.stream.pause()
    expect(await fill(opened.socket, Infinity)).toBe(false)
    expect(opened.socket.bufferedBytes).toBeLessThan(maxBufferedBytes + 2 * CHUNK.length)
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1013, reason: '', clean: false }])
  })

  it('misses messages beyond maxBufferedBytes with drop', async () => {
    const maxBufferedBytes = 512 * 1024
    const drops: unknown[] = []
    const onDrop = (message: unknown): void => void drops.push(message)
    subscribe('fw.websocket.drop', onDrop)
    await using opened = await open(carrier, { maxBufferedBytes, slowConsumer: 'drop' })
    opened.client.stream.pause()
    await fill(opened.socket, maxBufferedBytes)
    expect(await opened.socket.send(CHUNK)).toBe(false)
    expect(opened.socket.isOpen).toBe(true)
    expect(drops).not.toEqual([])
    opened.client.stream.resume()
    await expect.poll(() => opened.socket.bufferedBytes, WAIT).toBe(0)
    expect(await opened.socket.send('again')).toBe(true)
    unsubscribe('fw.websocket.drop', onDrop)
  })

  it('makes send wait, and resolves it when the client reads again', async () => {
    await using opened = await open(carrier, { slowConsumer: 'wait', maxBufferedBytes: 0 })
    opened.client.stream.pause()
    await fill(opened.socket, 2 ** 20)
    let result: boolean | undefined
    void opened.socket.send('last').then((sent) => (result = sent))
    await settle(50)
    expect(result).toBeUndefined()
    opened.client.stream.resume()
    await expect.poll(() => result).toBe(true)
    await expect.poll(() => opened.client.frames.at(-1)).toBe('text last')
  })

  it('does not leave send pending when the connection ends', async () => {
    await using opened = await open(carrier, { slowConsumer: 'wait' })
    opened.client.stream.pause()
    await fill(opened.socket, 2 ** 20)
    const sending = opened.socket.send('last')
    opened.socket.terminate()
    expect(await sending).toBe(false)
  })

  it('receives no pongs that would fill memory', async () => {
    await using opened = await open(carrier, {
      maxBufferedBytes: 64 * 1024,
      slowConsumer: 'drop',
      maxFramesPerSecond: 0,
    })
    const { client, socket } = opened
    client.stream.pause()
    await fill(socket, 64 * 1024 + 1)
    await socket.send(CHUNK)
    const before = socket.bufferedBytes
    await client.send(...Array<Frame>(2000).fill({ opcode: PING, payload: Buffer.alloc(125) }))
    await settle(50)
    expect(socket.bufferedBytes).toBeLessThanOrEqual(before + 256)
  })
})

describe('ServerWebSocket', () => {
  it('publishes messages on its diagnostics channels', async () => {
    const messages: unknown[] = []
    const record = (message: unknown, name: unknown): void => void messages.push([name, message])
    const names = ['fw.websocket.open', 'fw.websocket.close', 'fw.websocket.refuse']
    for (const name of names) subscribe(name, record)
    await using opened = await open('h1', { maxSockets: 1 }, { message: (socket, data) => socket.send(data) })
    const refused = await openRaw('h1', opened.served.port, '/')
    refused.destroy()
    await opened.client.send(text('a'), text('b'), closeFrame(1000))
    await expect.poll(() => opened.closes, WAIT).toHaveLength(1)
    for (const name of names) unsubscribe(name, record)
    expect(messages).toEqual([
      ['fw.websocket.open', { protocol: 'HTTP/1.1', open: expect.any(Number) }],
      ['fw.websocket.refuse', { limit: 'maxSockets' }],
      [
        'fw.websocket.close',
        { code: 1000, clean: true, received: 2, sent: 2, durationMs: expect.any(Number), open: expect.any(Number) },
      ],
    ])
  })

  it('rejects values that are not messages, and codes that a server must not send', async () => {
    await using opened = await open('h1', {})
    const { socket } = opened
    for (const value of [7, null, {}, new ArrayBuffer(1), ['a']]) {
      expect(() => socket.send(value as string)).toThrow(/socket\.send: data must be a string or a Uint8Array, got/)
    }
    expect(() => socket.close(1006)).toThrow(RangeError)
    expect(socket.isOpen).toBe(true)
  })

  it('is closed by the end of a loop', async () => {
    await using served = await serve('h1', (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        const socket = await acceptWebSocket(ctx)
        for await (const message of socket) if (message === 'stop') break
      }),
    )
    const client = await openRaw('h1', served.port, '/')
    await client.send(text('go'), text('stop'), text('ignored'))
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1000'])
    client.destroy()
  })

  it('stays open after the handler has returned, and serves several waiting reads', async () => {
    const sockets: ServerWebSocket<never>[] = []
    await using served = await serve('h1', (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        sockets.push((await acceptWebSocket(ctx)) as unknown as ServerWebSocket<never>)
      }),
    )
    const client = await openRaw('h1', served.port, '/')
    await vi.waitUntil(() => sockets.length === 1)
    const [socket] = sockets
    const reader = socket?.[Symbol.asyncIterator]()
    const reads = [reader?.next(), reader?.next(), reader?.next()]
    await client.send(text('one'), text('two'), closeFrame(1000))
    expect(await Promise.all(reads)).toEqual([
      { done: false, value: 'one' },
      { done: false, value: 'two' },
      { done: true, value: undefined },
    ])
    expect(await reader?.next()).toEqual({ done: true, value: undefined })
    client.destroy()
  })
})
