import { settle } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import { Flag, FrameType, Setting, data, rstStream, settings, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

const WINDOW = 65_535
const bytes = (client: RawClient, streamId: number): number => client.body(streamId).length

function send(client: RawClient, streamId: number, length: number): void {
  for (let left = length; left > 0; left -= 16_384) {
    client.send(data(streamId, Buffer.alloc(Math.min(left, 16_384))))
  }
}

/** Returns the bytes by which the server has widened the window of a stream. */
function granted(client: RawClient, streamId: number): number {
  return client.of(FrameType.WINDOW_UPDATE, streamId).reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0)
}

async function serveLarge(length: number, initialWindow: number): Promise<RawClient> {
  const { port } = await serveEngines((exchange) => exchange.respond(200, [], Buffer.alloc(length, 'x')))
  return RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, initialWindow]] })
}

describe('content from the server (RFC 9113 §6.9)', () => {
  it.each([0, 1, 1000, WINDOW])('stops at a window of size %i', async (window) => {
    const client = await serveLarge(100_000, window)
    client.send(headers(1, request()))
    await expect.poll(() => bytes(client, 1)).toBe(window)
    await client.ping()
    expect(bytes(client, 1)).toBe(window)
    // One more byte of window allows one more byte of content.
    client.send(windowUpdate(1, 1), windowUpdate(0, 1))
    await expect.poll(() => bytes(client, 1)).toBe(window + 1)
  })

  it("stops at the connection's window", async () => {
    const client = await serveLarge(100_000, 2 ** 20)
    client.send(headers(1, request()), headers(3, request()))
    await expect.poll(() => bytes(client, 1) + bytes(client, 3)).toBe(WINDOW)
    client.send(windowUpdate(0, 200_000))
    await expect.poll(() => client.hasEnded(1) && client.hasEnded(3)).toBe(true)
  })

  it('follows INITIAL_WINDOW_SIZE when it grows, and below zero (§6.9.2)', async () => {
    const client = await serveLarge(100_000, 1000)
    client.send(headers(1, request()))
    await expect.poll(() => bytes(client, 1)).toBe(1000)
    // The window becomes -900, so 901 more bytes make it 1.
    client.send(settings([Setting.INITIAL_WINDOW_SIZE, 100]), windowUpdate(1, 900))
    await client.ping()
    expect(bytes(client, 1)).toBe(1000)
    client.send(windowUpdate(1, 1))
    await expect.poll(() => bytes(client, 1)).toBe(1001)
    client.send(settings([Setting.INITIAL_WINDOW_SIZE, 600]))
    await expect.poll(() => bytes(client, 1)).toBe(1501)
  })

  it('stops if its window shrinks below zero while it is waiting for the connection (§6.9.2)', async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.alloc(WINDOW))
      exchange.write(Buffer.alloc(100_000))
      exchange.end()
    })
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 20]] })
    client.send(headers(1, request()))
    await expect.poll(() => bytes(client, 1)).toBe(WINDOW)
    client.send(settings([Setting.INITIAL_WINDOW_SIZE, 100]), windowUpdate(0, 2 ** 20))
    await client.ping()
    expect(bytes(client, 1)).toBe(WINDOW)
    client.send(settings([Setting.INITIAL_WINDOW_SIZE, 2 ** 20]))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(bytes(client, 1)).toBe(WINDOW + 100_000)
    expect(client.of(FrameType.DATA, 1).filter(({ payload }) => payload.length === 0)).toEqual([])
  })

  it('needs no window if it is empty', async () => {
    const { port } = await serveEngines((exchange) => exchange.respond(204, [], null))
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 0]] })
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
  })

  it.each([
    ['without trailers', []],
    ['with trailers', ['x-t', '1']],
  ])('needs no window to end a response %s', async (_what, trailers) => {
    const { port } = await serveEngines((exchange) => {
      exchange.start(200, [])
      setTimeout(() => exchange.end(trailers), 10)
    })
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 0]] })
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.body(1)).toBe('')
  })

  it("is followed by its trailers after it has waited for the connection's window", async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.alloc(WINDOW + 1))
      exchange.end(['x-t', '1'])
    })
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 20]] })
    client.send(headers(1, request()))
    await expect.poll(() => bytes(client, 1)).toBe(WINDOW)
    await client.ping()
    expect(client.sections(1)).toHaveLength(1)
    client.send(windowUpdate(0, 1))
    await expect.poll(() => client.sections(1).at(-1)).toEqual([['x-t', '1']])
    expect(client.hasEnded(1)).toBe(true)
  })

  it('is shared, so a large response does not block a later one', async () => {
    const client = await serveLarge(1_000_000, 2 ** 24)
    client.send(headers(1, request()))
    await expect.poll(() => bytes(client, 1)).toBe(WINDOW)
    client.send(headers(3, request()), windowUpdate(0, 400_000))
    await expect.poll(() => bytes(client, 1) + bytes(client, 3)).toBe(WINDOW + 400_000)
    expect(bytes(client, 3)).toBeGreaterThan(150_000)
  })

  it('blocks the writer until the window has room', async () => {
    let written = 0
    const { port } = await serveEngines((exchange) => {
      const write = async (): Promise<void> => {
        exchange.start(200, [])
        for (; written < 40 && exchange.isOpen; written++) {
          if (!exchange.write(Buffer.alloc(16_384, 'x'))) await exchange.drained()
        }
        exchange.end()
      }
      void write()
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => bytes(client, 1)).toBe(WINDOW)
    await client.ping()
    expect(written).toBeLessThan(20)
    client.send(windowUpdate(0, 2 ** 20), windowUpdate(1, 2 ** 20))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(bytes(client, 1)).toBe(40 * 16_384)
  })
})

describe('a writer that waits in drained()', () => {
  it('continues once other streams have been sent, even without a rejected write', async () => {
    let isOver = false
    const stream = async (exchange: Exchange): Promise<void> => {
      exchange.start(200, [])
      await exchange.drained()
      exchange.end()
      isOver = true
    }
    const { port } = await serveEngines((exchange) => {
      // Larger than the socket buffers.
      if (exchange.target === '/large') exchange.respond(200, [], Buffer.alloc(2 ** 25))
      else void stream(exchange)
    })
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]] })
    client.socket.pause()
    client.send(windowUpdate(0, 2 ** 30), headers(1, request('GET', '/large')))
    await settle(200)
    client.send(headers(3, request('GET', '/small')))
    await settle(200)
    expect(isOver).toBe(false)
    client.socket.resume()
    await expect.poll(() => client.hasEnded(3)).toBe(true)
  })
})

describe('the receive window of a stream (RFC 9113 §6.9)', () => {
  it('is restored while the handler is reading', async () => {
    let received = 0
    const { port } = await serveEngines((exchange) => {
      exchange.body.consume({
        data: ({ length }) => (received += length),
        end: () => exchange.respond(200, [], null),
        error: () => {},
      })
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0))
    send(client, 1, WINDOW)
    await expect.poll(() => granted(client, 1)).toBeGreaterThan(WINDOW / 2)
    send(client, 1, granted(client, 1))
    await expect.poll(() => received).toBeGreaterThan(WINDOW)
    client.send(data(1, '', Flag.END_STREAM))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })

  it('grows to 1 MiB while the handler keeps up, and by 4 MiB on all streams together', async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], null), error: () => {} })
    })
    const client = await RawClient.connect(port)
    const streams = Array.from({ length: 10 }, (_, n) => ({ id: 1 + 2 * n, sent: 0 }))
    const room = ({ id, sent }: { id: number; sent: number }): number => WINDOW + granted(client, id) - sent
    for (const stream of streams) {
      client.send(headers(stream.id, request('POST'), 0))
      for (let turn = 0; turn < 8; turn++) {
        const more = Math.min(room(stream), WINDOW)
        send(client, stream.id, more)
        stream.sent += more
        await client.ping()
      }
    }
    const rooms = streams.map(room)
    expect(rooms[0]).toBeGreaterThan(2 ** 20 - 2 * WINDOW)
    expect(Math.max(...rooms)).toBeLessThanOrEqual(2 ** 20)
    const sum = rooms.reduce((all, each) => all + each, 0)
    expect(sum).toBeGreaterThan(4 * 2 ** 20)
    expect(sum).toBeLessThanOrEqual(10 * WINDOW + 4 * 2 ** 20)
  })

  it.each([
    ['the end of its request', data(1, '', Flag.END_STREAM)],
    ['its reset', rstStream(1)],
  ])('is available to other streams after %s', async (_name, end) => {
    const { port } = await serveEngines((exchange) => {
      exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], null), error: () => {} })
    })
    const client = await RawClient.connect(port)
    const upload = async (id: number): Promise<number> => {
      client.send(headers(id, request('POST'), 0))
      for (let sent = 0; sent < 2 ** 19;) {
        const more = Math.min(WINDOW + granted(client, id) - sent, WINDOW)
        send(client, id, more)
        sent += more
        await client.ping()
      }
      return granted(client, id)
    }
    await upload(1)
    client.send(end)
    const sizes: number[] = []
    for (const id of [3, 5, 7, 9]) sizes.push(await upload(id))
    expect(Math.min(...sizes)).toBeGreaterThan(2 ** 20)
  })

  it('is not extended while no handler is reading, and blocks no other stream', async () => {
    const exchanges: Exchange[] = []
    const { port } = await serveEngines((exchange) => {
      if (exchanges.push(exchange) > 1) exchange.respond(200, [], null)
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0))
    send(client, 1, WINDOW)
    await client.ping()
    send(client, 1, granted(client, 1))
    await client.ping()
    // The server does not restore the window a second time, which limits the buffered bytes of a request.
    const held = granted(client, 1)
    expect(held).toBeLessThan(2 * WINDOW)
    expect(await client.serves(3)).toBe(true)
    exchanges[0]?.body.consume({ data: () => {}, end: () => {}, error: () => {} })
    await expect.poll(() => granted(client, 1)).toBeGreaterThan(held)
  })

  it('pauses bodyStallTimeoutMs while it is closed because no handler is reading', async () => {
    const exchanges: Exchange[] = []
    const { port } = await serveEngines((exchange) => void exchanges.push(exchange), { bodyStallTimeoutMs: 300 })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0))
    send(client, 1, WINDOW)
    await client.ping()
    send(client, 1, granted(client, 1))
    await settle(1200)
    const outcome = new Promise((resolve) =>
      exchanges[0]?.body.consume({
        data: () => {},
        end: () => resolve('end'),
        error: ({ message }) => resolve(message),
      }),
    )
    client.send(data(1, '', Flag.END_STREAM))
    expect(await outcome).toBe('end')
  })

  it('closes the connection with FLOW_CONTROL_ERROR if it is exceeded', async () => {
    const { port } = await serveEngines(() => {})
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0))
    send(client, 1, 4 * WINDOW)
    await expect.poll(() => client.outcome(1)).toBe('connection FLOW_CONTROL_ERROR')
  })
})
