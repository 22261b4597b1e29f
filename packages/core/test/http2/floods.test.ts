import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../src/options/limits.ts'
import { serveEngines, type RunningEngines } from '../serve-engines.ts'
import { Flag, FrameType, Setting, data, frame, priorityUpdate, rstStream, settings, windowUpdate } from './frames.ts'
import { headers, indexed, indexedLiteral, literal } from './hpack.ts'
import { RawClient, request, type RawClientOptions } from './raw-client.ts'

const { HEADERS, PING, PRIORITY, CONTINUATION, SETTINGS, GOAWAY } = FrameType
/** Number of frames in a flood, above every limit. */
const FLOOD = 30_000
const BATCH = 100

interface Flooded extends RunningEngines {
  readonly client: RawClient
  readonly exchanges: Exchange[]
}

/** Answers GET immediately, and POST after its body. */
async function serve(limits: Partial<Limits> = {}, options: RawClientOptions = {}): Promise<Flooded> {
  const exchanges: Exchange[] = []
  const engines = await serveEngines((exchange) => {
    exchanges.push(exchange)
    if (exchange.method === 'GET') return exchange.respond(200, [], 'hello')
    exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], null), error: () => {} })
  }, limits)
  return { ...engines, exchanges, client: await RawClient.connect(engines.port, options) }
}

/** Returns the identifier of a client's nth stream. */
const streamId = (n: number): number => 1 + 2 * n

/** Sends frames until the server closes the connection. Returns their number. */
async function flood(client: RawClient, make: (n: number) => Uint8Array): Promise<number> {
  let sent = 0
  while (sent < FLOOD && !client.isClosed) {
    client.send(...Array.from({ length: BATCH }, (_, i) => make(sent + i)))
    sent += BATCH
    await new Promise(setImmediate)
  }
  await expect.poll(() => client.isClosed).toBe(true)
  return sent
}

/** Checks that a new connection is served. */
async function expectServed(port: number): Promise<void> {
  const other = await RawClient.connect(port)
  expect(await other.serves(1)).toBe(true)
}

type Flood = readonly [name: string, reference: string, before: Uint8Array, make: (n: number) => Uint8Array]

const NOTHING = Buffer.alloc(0)
const POST = headers(1, request('POST'), 0)
/** A request, followed by the client's GOAWAY. */
const LEAVING = Buffer.concat([POST, frame(GOAWAY, 0, 0, Buffer.alloc(8))])
const UNFINISHED = frame(HEADERS, Flag.END_STREAM, 1, request())

/** Returns a request on the nth stream, followed by `more`. */
const requestAnd = (n: number, more: Uint8Array): Buffer => Buffer.concat([headers(streamId(n), request()), more])

/** Floods, whose frames are repeated after `before` until the server closes the connection. */
const FLOODS: readonly Flood[] = [
  ['rapid reset', 'CVE-2023-44487', NOTHING, (n) => requestAnd(n, rstStream(streamId(n)))],
  ['WINDOW_UPDATE of 0, MadeYouReset', 'CVE-2025-8671', NOTHING, (n) => requestAnd(n, windowUpdate(streamId(n), 0))],
  [
    'a window above 2^31-1, MadeYouReset',
    'CVE-2025-8671',
    NOTHING,
    (n) => requestAnd(n, windowUpdate(streamId(n), 2 ** 31 - 1)),
  ],
  ['DATA after END_STREAM, MadeYouReset', 'CVE-2025-8671', NOTHING, (n) => requestAnd(n, data(streamId(n), 'x'))],
  [
    'less content than announced, MadeYouReset',
    'CVE-2025-8671',
    NOTHING,
    (n) =>
      Buffer.concat([
        headers(streamId(n), request('POST', '/', ['content-length', '5']), 0),
        data(streamId(n), 'x', Flag.END_STREAM),
      ]),
  ],
  ['malformed requests', 'CVE-2025-8671', NOTHING, (n) => headers(streamId(n), request('GET', '/', ['X-A', '1']))],
  [
    'CONTINUATION of 1 KiB',
    'CVE-2024-27316',
    UNFINISHED,
    (n) => frame(CONTINUATION, 0, 1, literal(`x-${n}`, 'v'.repeat(1024))),
  ],
  ['empty CONTINUATION', 'CVE-2024-27316', UNFINISHED, () => frame(CONTINUATION, 0, 1)],
  ['PRIORITY', 'CVE-2019-9513', NOTHING, (n) => frame(PRIORITY, 0, streamId(n % 1000), Buffer.from([0, 0, 0, 0, 16]))],
  ['empty DATA', 'CVE-2019-9518', POST, () => data(1, '')],
  ['more streams than are allowed', 'RFC 9113 §5.1.2', NOTHING, (n) => headers(streamId(n), request('POST'), 0)],
  ['SETTINGS', 'CVE-2019-9515', NOTHING, () => settings([Setting.MAX_CONCURRENT_STREAMS, 100])],
  ['frames of unknown types', 'RFC 9113 §5.5', NOTHING, () => frame(0x77, 0, 0, 'x')],
  ['PRIORITY_UPDATE', 'RFC 9218 §7.1', NOTHING, (n) => priorityUpdate(streamId(n % 50), 'u=1')],
  ['acknowledgements without SETTINGS', 'RFC 9113 §10.5', NOTHING, () => frame(SETTINGS, Flag.ACK, 0)],
  ['acknowledgements without a PING', 'RFC 9113 §10.5', NOTHING, () => frame(PING, Flag.ACK, 0, '12345678')],
  ['GOAWAY', 'RFC 9113 §6.8', POST, () => frame(GOAWAY, 0, 0, Buffer.alloc(8))],
  ['requests after the last GOAWAY', 'RFC 9113 §6.8', LEAVING, (n) => headers(streamId(n + 1), request())],
  ['RST_STREAM on closed streams', 'RFC 9113 §5.1', headers(1, request()), () => rstStream(1)],
]

describe('a flood', () => {
  it.each(FLOODS)('closes only its own connection: %s (%s)', async (_name, _reference, before, make) => {
    const { client, port } = await serve()
    client.send(before)
    expect(await flood(client, make)).toBeLessThan(FLOOD)
    await expectServed(port)
  })

  it('closes the connection: PING from a client that reads no acknowledgements (CVE-2019-9512)', async () => {
    const { client, port } = await serve({ sessionIdleTimeoutMs: 1500, lingerTimeoutMs: 500 })
    client.socket.pause()
    const pings = Array<Buffer>(1000).fill(frame(PING, 0, 0, '12345678'))
    for (let batches = 0; batches < 500; batches++) {
      client.send(...pings)
      await new Promise(setImmediate)
    }
    await expectServed(port)
    // The server closes the connection immediately if it reads many frames together. Otherwise, the frames stay in the
    // socket buffers until a timeout.
    client.socket.resume()
    await expect.poll(() => client.isClosed).toBe(true)
  })

  it('closes the connection: refused streams from a client that reads nothing', async () => {
    const { client, listener, exchanges, port } = await serve({}, { acknowledges: false })
    client.socket.pause()
    for (let sent = 0; sent < FLOOD; sent += BATCH) {
      client.send(...Array.from({ length: BATCH }, (_, n) => headers(streamId(sent + n), request('POST'), 0)))
      await new Promise(setImmediate)
    }
    await expectServed(port)
    // A paused socket emits no close event. If the connection were open, drain() would wait for the requests' content.
    let isClosed = false
    void listener.drain().then(() => (isClosed = true))
    await expect.poll(() => isClosed).toBe(true)
    expect(exchanges.length).toBeLessThanOrEqual(100 + 1)
  })

  it('runs few requests: rapid reset (CVE-2023-44487)', async () => {
    const { client, exchanges } = await serve({ maxStreamResetBurst: 20, maxStreamResetsPerSecond: 1 })
    await flood(client, (n) => Buffer.concat([headers(streamId(n), request()), rstStream(streamId(n))]))
    expect(exchanges.length).toBeLessThan(10 * BATCH)
  })
})

describe('a body in one-byte frames', () => {
  const TINY = Array.from({ length: 5000 }, () => data(1, 'x'))

  it('resets only its stream if no handler reads it', async () => {
    const { port, outcomes } = await serveEngines((exchange) => {
      if (exchange.method === 'GET') exchange.respond(200, [], 'hello')
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0), ...TINY)
    await expect.poll(() => client.reset(1)).toBe('ENHANCE_YOUR_CALM')
    await expect.poll(() => outcomes.filter(({ aborted }) => aborted).length).toBe(1)
    expect(await client.serves(3)).toBe(true)
  })

  it('is received completely if a handler reads it', async () => {
    const { client } = await serve()
    client.send(headers(1, request('POST'), 0), ...TINY, data(1, '', Flag.END_STREAM))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })
})

/**
 * Floods that cost the server at most an acknowledgement each. The server reads the frames as fast as the client reads
 * the acknowledgements.
 */
const CHEAP: readonly Flood[] = [
  ['PING', 'CVE-2019-9512', NOTHING, () => frame(PING, 0, 0, '12345678')],
  ['WINDOW_UPDATE by 1', 'CVE-2019-9511', NOTHING, () => windowUpdate(0, 1)],
]

describe('a cheap flood', () => {
  it.each(CHEAP)('does not delay other connections: %s (%s)', async (_name, _reference, _before, make) => {
    const { client, port } = await serve()
    const batch = Array.from({ length: BATCH }, (_, n) => make(n))
    for (let sent = 0; sent < FLOOD; sent += BATCH) {
      client.send(...batch)
      if (sent % (FLOOD / 3) === 0) await expectServed(port)
      await new Promise(setImmediate)
    }
    expect(await client.serves(1)).toBe(true)
    await expectServed(port)
  })
})

it('yields to other connections after SETTINGS that change the windows of many streams (CVE-2019-9515)', async () => {
  const { client } = await serve()
  client.send(...Array.from({ length: 50 }, (_, n) => headers(streamId(n), request('POST'), 0)))
  await client.ping()
  const before = client.of(SETTINGS).length
  const changes = 4000
  client.send(...Array.from({ length: changes }, (_, n) => settings([Setting.INITIAL_WINDOW_SIZE, n % 2])))
  let turns = 0
  while (client.of(SETTINGS).length < before + changes) {
    await new Promise(setImmediate)
    turns++
  }
  // The server receives nearly all of them together, and processes eight shares of 16 per turn.
  expect(turns).toBeGreaterThan(20)
})

describe('an oversized field section', () => {
  it('is answered with 431 and reported', async () => {
    const { client, exchanges, refusals } = await serve({ maxHeadBytes: 4000 })
    client.send(headers(1, request('GET', '/', ['x', 'v'.repeat(4000)])))
    client.send(headers(3, request('GET', '/', ['x', 'v'.repeat(15_000)])))
    await expect.poll(() => [client.outcome(1), client.outcome(3)]).toEqual(['status 431', 'status 431'])
    expect(await client.serves(5)).toBe(true)
    expect(exchanges).toHaveLength(1)
    const refusal = { status: 431, method: 'GET', target: '/' }
    expect(refusals).toMatchObject([refusal, refusal])
  })

  it('closes the connection if it exceeds four times the limit', async () => {
    const { client, refusals } = await serve({ maxHeadBytes: 4000 })
    const section = request('GET', '/', ['x', 'v'.repeat(16_000)])
    client.send(frame(HEADERS, Flag.END_STREAM, 1, section.subarray(0, 16_000)))
    client.send(frame(CONTINUATION, Flag.END_HEADERS, 1, section.subarray(16_000)))
    await expect.poll(() => client.outcome(1)).toBe('connection ENHANCE_YOUR_CALM')
    expect(refusals).toMatchObject([{ status: 0 }])
  })

  it('can use as many frames as a larger limit needs', async () => {
    const { client } = await serve({ maxHeadBytes: 256 * 1024 })
    const section = request('GET', '/', ['x', 'v'.repeat(200_000)])
    const parts = Array.from({ length: Math.ceil(section.length / 16_384) }, (_, n) =>
      section.subarray(n * 16_384, (n + 1) * 16_384),
    )
    client.send(
      ...parts.map((part, n) => {
        const flags = n === parts.length - 1 ? Flag.END_HEADERS : 0
        return n === 0 ? frame(HEADERS, Flag.END_STREAM, 1, part) : frame(CONTINUATION, flags, 1, part)
      }),
    )
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })

  it.each([
    [100, 'status 200'],
    [101, 'status 431'],
    [500, 'status 431'],
    [4000, 'status 431'],
  ])('counts %i fields toward maxFields: %s', async (count, outcome) => {
    const { client } = await serve()
    await client.ping()
    const fields = Array.from({ length: count - 1 }, () => indexed(62))
    const first = Buffer.concat([request(), indexedLiteral('a', '')])
    client.send(headers(1, Buffer.concat([first, ...fields])))
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    expect(await client.serves(3)).toBe(true)
  })

  it('is answered with 431 if it repeats an index of one large field (HPACK bomb, CVE-2016-6581)', async () => {
    const { client, port, exchanges } = await serve()
    client.send(headers(1, Buffer.concat([request(), indexedLiteral('x', 'v'.repeat(4000))])))
    const bomb = Buffer.concat([request(), ...Array<Buffer>(12_000).fill(indexed(62))])
    for (let n = 1; n <= 50; n++) client.send(headers(streamId(n), bomb))
    await expect.poll(() => client.outcome(streamId(50))).toBe('status 431')
    await expectServed(port)
    expect(exchanges).toHaveLength(2)
  })

  it('does not keep an idle connection open if it is never completed', async () => {
    const { client } = await serve({ sessionIdleTimeoutMs: 200 })
    client.send(frame(HEADERS, Flag.END_STREAM, 1, request()))
    await expect.poll(() => client.isClosed).toBe(true)
  })
})

describe('a client that reads no content', () => {
  const STREAMS = 100
  const LARGE = Buffer.alloc(1024 * 1024, 'x')

  it.each([
    ['with a window of 0', 0],
    ['with a window that grows byte by byte', 1],
  ])('has its streams reset and blocks no other client, %s (CVE-2019-9517)', async (_name, step) => {
    const exchanges: Exchange[] = []
    const { port, outcomes } = await serveEngines(
      (exchange) => {
        exchanges.push(exchange)
        exchange.respond(200, [], exchange.target === '/large' ? LARGE : 'hello')
      },
      { writeStallTimeoutMs: 1000 },
    )
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 0]] })
    for (let n = 0; n < STREAMS; n++) client.send(headers(streamId(n), request('GET', '/large')))
    await expect.poll(() => exchanges.length).toBe(STREAMS)
    await expectServed(port)
    const timer = setInterval(() => step > 0 && client.send(windowUpdate(1, step)), 20)
    await expect.poll(() => outcomes.filter(({ aborted }) => aborted).length).toBe(STREAMS)
    clearInterval(timer)
    await expect.poll(() => client.reset(1)).toBe('CANCEL')
    // The stream's window limits the bytes sent, however long the stream lasts.
    expect(client.body(1).length).toBeLessThan(1000)
    await expectServed(port)
  })
})
