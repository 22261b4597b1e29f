import { describe, expect, it } from 'vitest'
import { Flag, FrameType, data, frame, rstStream, settings, uint32, windowUpdate } from './frames.ts'
import { block, headers, indexed, integer, literal, type Field } from './hpack.ts'
import { PREFACE, RawClient, request } from './raw-client.ts'
import { serveEcho } from './serve-echo.ts'

const { HEADERS, PRIORITY, PUSH_PROMISE, SETTINGS, PING, GOAWAY, CONTINUATION, WINDOW_UPDATE, RST_STREAM } = FrameType
const ABORTED = { status: 0, bodyBytes: 0, aborted: true }
const POST = headers(1, request('POST'), 0)
const TRAILERS = headers(1, block(['x-t', '1']))
const UNFINISHED = frame(HEADERS, Flag.END_STREAM, 1, request())
/** Settings with reserved identifiers, which a server ignores. */
const unknownSettings = (count: number) => Array.from({ length: count }, (_, n) => [0xf000 + n, 1] as const)

/** A list of frames, and the expected outcome on stream 1. */
type Case = readonly [section: string, what: string, sent: readonly (Uint8Array | string)[], outcome: string]

const CONNECTION_ERRORS: readonly Case[] = [
  ['4.2', 'DATA above the size announced', [POST, data(1, Buffer.alloc(16_385))], 'connection FRAME_SIZE_ERROR'],
  [
    '4.2',
    'HEADERS above the size announced',
    [frame(HEADERS, 4, 1, Buffer.alloc(16_385))],
    'connection FRAME_SIZE_ERROR',
  ],
  ['4.3', 'an index outside the tables', [headers(1, indexed(70))], 'connection COMPRESSION_ERROR'],
  ['4.3', 'index 0', [headers(1, indexed(0))], 'connection COMPRESSION_ERROR'],
  ['4.3', 'a literal cut short', [headers(1, literal('x', 'y').subarray(0, 3))], 'connection COMPRESSION_ERROR'],
  [
    '4.3',
    'Huffman code that ends in a whole byte of padding',
    [headers(1, Buffer.concat([request(), Buffer.from([0, 1, 0x78, 0x82, 0xff, 0xff])]))],
    'connection COMPRESSION_ERROR',
  ],
  [
    '4.3',
    'a dynamic table above the allowed size',
    [headers(1, Buffer.concat([integer(65_536, 5, 0x20), request()]))],
    'connection COMPRESSION_ERROR',
  ],
  [
    '4.3',
    'a table size change after the first field',
    [headers(1, Buffer.concat([request(), integer(0, 5, 0x20)]))],
    'connection COMPRESSION_ERROR',
  ],
  ['5.1', 'DATA on an idle stream', [data(1, 'x')], 'connection PROTOCOL_ERROR'],
  ['5.1', 'RST_STREAM on an idle stream', [rstStream(1)], 'connection PROTOCOL_ERROR'],
  ['5.1', 'WINDOW_UPDATE on an idle stream', [windowUpdate(1, 1)], 'connection PROTOCOL_ERROR'],
  ['5.1', 'DATA after END_STREAM', [headers(1, request()), data(1, 'x')], 'connection STREAM_CLOSED'],
  ['5.1', 'HEADERS after END_STREAM', [headers(1, request()), headers(1, request())], 'connection STREAM_CLOSED'],
  ['5.1', 'DATA after RST_STREAM', [POST, rstStream(1), data(1, 'x')], 'connection STREAM_CLOSED'],
  ['5.1', 'HEADERS after RST_STREAM', [POST, rstStream(1), headers(1, request())], 'connection STREAM_CLOSED'],
  ['5.1', 'trailers after trailers', [POST, TRAILERS, TRAILERS], 'connection STREAM_CLOSED'],
  [
    '5.1.1',
    'a stream below one that was opened',
    [headers(5, request()), headers(1, request())],
    'connection PROTOCOL_ERROR',
  ],
  ['5.1.1', 'a server-initiated stream', [headers(2, request())], 'connection PROTOCOL_ERROR'],
  ['6.1', 'DATA on stream 0', [data(0, 'x')], 'connection PROTOCOL_ERROR'],
  ['6.1', 'padding as long as the payload', [POST, data(1, '\x05abcd', Flag.PADDED)], 'connection PROTOCOL_ERROR'],
  ['6.1', 'padding without its length', [POST, data(1, '', Flag.PADDED)], 'connection PROTOCOL_ERROR'],
  ['6.2', 'HEADERS on stream 0', [headers(0, request())], 'connection PROTOCOL_ERROR'],
  ['6.2', 'padding longer than the block', [frame(HEADERS, 0x0d, 1, '\x09ab')], 'connection PROTOCOL_ERROR'],
  ['6.3', 'PRIORITY on stream 0', [frame(PRIORITY, 0, 0, Buffer.alloc(5))], 'connection PROTOCOL_ERROR'],
  ['6.4', 'RST_STREAM on stream 0', [rstStream(0)], 'connection PROTOCOL_ERROR'],
  ['6.4', 'RST_STREAM of 3 bytes', [POST, frame(RST_STREAM, 0, 1, 'abc')], 'connection FRAME_SIZE_ERROR'],
  ['6.5', 'SETTINGS on a stream', [frame(SETTINGS, 0, 1)], 'connection PROTOCOL_ERROR'],
  ['6.5', 'SETTINGS of 5 bytes', [frame(SETTINGS, 0, 0, Buffer.alloc(5))], 'connection FRAME_SIZE_ERROR'],
  ['10.5', 'SETTINGS with 33 settings', [settings(...unknownSettings(33))], 'connection ENHANCE_YOUR_CALM'],
  ['6.5', 'an acknowledgement with content', [frame(SETTINGS, 1, 0, Buffer.alloc(6))], 'connection FRAME_SIZE_ERROR'],
  ['6.5.2', 'ENABLE_PUSH of 2', [settings([2, 2])], 'connection PROTOCOL_ERROR'],
  ['6.5.2', 'INITIAL_WINDOW_SIZE of 2^31', [settings([4, 2 ** 31])], 'connection FLOW_CONTROL_ERROR'],
  ['6.5.2', 'MAX_FRAME_SIZE of 16,383', [settings([5, 16_383])], 'connection PROTOCOL_ERROR'],
  ['6.5.2', 'MAX_FRAME_SIZE of 2^24', [settings([5, 2 ** 24])], 'connection PROTOCOL_ERROR'],
  ['6.6', 'PUSH_PROMISE', [POST, frame(PUSH_PROMISE, 4, 1, uint32(2))], 'connection PROTOCOL_ERROR'],
  ['6.7', 'PING on a stream', [frame(PING, 0, 1, '12345678')], 'connection PROTOCOL_ERROR'],
  ['6.7', 'PING of 7 bytes', [frame(PING, 0, 0, '1234567')], 'connection FRAME_SIZE_ERROR'],
  ['6.8', 'GOAWAY on a stream', [frame(GOAWAY, 0, 1, Buffer.alloc(8))], 'connection PROTOCOL_ERROR'],
  ['6.8', 'GOAWAY of 7 bytes', [frame(GOAWAY, 0, 0, Buffer.alloc(7))], 'connection FRAME_SIZE_ERROR'],
  ['6.9', 'WINDOW_UPDATE of 3 bytes', [frame(WINDOW_UPDATE, 0, 0, 'abc')], 'connection FRAME_SIZE_ERROR'],
  ['6.9', 'WINDOW_UPDATE by 0 for the connection', [windowUpdate(0, 0)], 'connection PROTOCOL_ERROR'],
  ['6.9.1', 'a connection window above 2^31-1', [windowUpdate(0, 2 ** 31 - 1)], 'connection FLOW_CONTROL_ERROR'],
  [
    '6.9.2',
    'SETTINGS that widen a window above 2^31-1',
    [POST, windowUpdate(1, 2 ** 31 - 1 - 65_535), settings([4, 65_536])],
    'connection FLOW_CONTROL_ERROR',
  ],
  ['6.10', 'CONTINUATION without HEADERS', [frame(CONTINUATION, 4, 1)], 'connection PROTOCOL_ERROR'],
  ['6.10', 'CONTINUATION after the end of the block', [POST, frame(CONTINUATION, 4, 1)], 'connection PROTOCOL_ERROR'],
  [
    '6.10',
    'CONTINUATION after END_HEADERS',
    [UNFINISHED, frame(CONTINUATION, 4, 1), frame(CONTINUATION, 4, 1)],
    'connection PROTOCOL_ERROR',
  ],
  ['6.10', 'CONTINUATION after DATA', [POST, data(1, 'x'), frame(CONTINUATION, 4, 1)], 'connection PROTOCOL_ERROR'],
  ['6.10', 'CONTINUATION on stream 0', [UNFINISHED, frame(CONTINUATION, 4, 0)], 'connection PROTOCOL_ERROR'],
  ['6.2', 'PRIORITY within a block', [UNFINISHED, frame(PRIORITY, 0, 1, Buffer.alloc(5))], 'connection PROTOCOL_ERROR'],
  ['6.2', 'HEADERS within a block', [UNFINISHED, headers(3, request())], 'connection PROTOCOL_ERROR'],
  ['6.2', 'DATA within a block', [UNFINISHED, data(1, 'x')], 'connection PROTOCOL_ERROR'],
  ['6.2', 'HEADERS with half a priority', [frame(HEADERS, 0x25, 1, Buffer.alloc(4))], 'connection FRAME_SIZE_ERROR'],
  [
    '6.2',
    'padding without room for the priority',
    [frame(HEADERS, 0x2d, 1, Buffer.from([4, 0, 0, 0, 0, 0, 0]))],
    'connection FRAME_SIZE_ERROR',
  ],
  [
    '6.10',
    'CONTINUATION for another stream',
    [frame(HEADERS, 1, 1, request()), frame(CONTINUATION, 4, 3)],
    'connection PROTOCOL_ERROR',
  ],
  [
    '6.10',
    'another frame within a block',
    [frame(HEADERS, 1, 1, request()), frame(PING, 0, 0, '12345678')],
    'connection PROTOCOL_ERROR',
  ],
  [
    '6.10',
    'a frame of an unknown type within a block',
    [frame(HEADERS, 1, 1, request()), frame(0x77, 0, 0)],
    'connection PROTOCOL_ERROR',
  ],
]

describe('a connection error (RFC 9113)', () => {
  it.each(CONNECTION_ERRORS)('closes the connection: §%s, %s', async (_section, _what, sent, outcome) => {
    const { client } = await serveEcho()
    client.send(...sent)
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    // §5.4.1: the endpoint that detects the error closes the connection.
    await expect.poll(() => client.isClosed).toBe(true)
  })

  it("closes the connection: §3.4, HEADERS before the client's SETTINGS", async () => {
    const { port } = await serveEcho()
    const client = await RawClient.connect(port, { preface: false })
    client.send(PREFACE, headers(1, request()))
    await expect.poll(() => client.outcome(1)).toBe('connection PROTOCOL_ERROR')
  })

  it("closes the connection: §3.4, an acknowledgement before the client's SETTINGS", async () => {
    const { port } = await serveEcho()
    const client = await RawClient.connect(port, { preface: false, acknowledges: false })
    client.send(PREFACE, frame(SETTINGS, Flag.ACK, 0), settings())
    await expect.poll(() => client.outcome(1)).toBe('connection PROTOCOL_ERROR')
  })

  it('is reported without a request (§5.4.1)', async () => {
    const { client, refusals } = await serveEcho()
    client.send(frame(PING, 0, 1, '12345678'))
    await expect.poll(() => client.isClosed).toBe(true)
    expect(refusals).toMatchObject([{ status: 0, protocol: 'HTTP/2.0', method: undefined, target: undefined }])
  })

  it('aborts every request on the connection (§5.4.1)', async () => {
    const { client, outcomes } = await serveEcho()
    client.send(POST, headers(3, request('POST'), 0), frame(PING, 0, 1, '12345678'))
    await expect.poll(() => outcomes).toEqual([ABORTED, ABORTED])
  })
})

/** Stream errors that the server treats as connection errors; see `docs/http2.md` for the reasons. */
const DEVIATIONS: readonly Case[] = [
  ['6.3', 'PRIORITY of 4 bytes', [POST, frame(PRIORITY, 0, 1, Buffer.alloc(4))], 'connection FRAME_SIZE_ERROR'],
  ['6.9', 'WINDOW_UPDATE by 0', [POST, windowUpdate(1, 0)], 'connection PROTOCOL_ERROR'],
  ['6.9.1', 'a window above 2^31-1', [POST, windowUpdate(1, 2 ** 31 - 1)], 'connection FLOW_CONTROL_ERROR'],
]

describe('a stream error treated as a connection error (RFC 9113)', () => {
  it.each(DEVIATIONS)('closes the connection: §%s, %s', async (_section, _what, sent, outcome) => {
    const { client } = await serveEcho()
    client.send(...sent)
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    await expect.poll(() => client.isClosed).toBe(true)
  })
})

const IGNORED: readonly (readonly [section: string, what: string, sent: readonly Uint8Array[]])[] = [
  [
    '4.1',
    'a frame of an unknown type, on stream 0 and on an idle stream',
    [frame(0x77, 0xff, 0, 'abc'), frame(0x78, 0, 9)],
  ],
  ['4.1', 'undefined flags', [frame(PING, 0xfe, 0, '12345678'), frame(SETTINGS, 0xfe, 0)]],
  ['4.1', 'the reserved bit', [frame(PING, 0, 2 ** 31, '12345678')]],
  ['5.1', 'RST_STREAM on a closed stream', [headers(1, request()), rstStream(1), rstStream(1)]],
  ['5.1', 'PRIORITY on an idle stream', [frame(PRIORITY, 0, 99, Buffer.alloc(5))]],
  ['5.3.1', 'PRIORITY that depends on itself', [frame(PRIORITY, 0, 3, Buffer.concat([uint32(3), Buffer.of(1)]))]],
  ['7', 'an unknown error code in RST_STREAM', [POST, rstStream(1, 0xff)]],
  ['5.1', 'WINDOW_UPDATE on a stream that was reset', [POST, rstStream(1), windowUpdate(1, 1)]],
  ['6.5.3', 'the first of two values for a setting', [settings([4, 100], [4, 65_535])]],
  ['6.7', 'an acknowledgement without a PING', [frame(PING, Flag.ACK, 0, '12345678')]],
  ['6.5.2', 'ENABLE_PUSH of 0 and of 1', [settings([2, 0]), settings([2, 1])]],
  ['6.5.2', 'the lowest and the highest MAX_FRAME_SIZE', [settings([5, 16_384]), settings([5, 2 ** 24 - 1])]],
  ['6.5.2', 'an unknown setting', [settings([0xfafa, 1])]],
  ['6.5.2', '32 unknown settings', [settings(...unknownSettings(32))]],
]

describe('an HTTP/2 connection (RFC 9113)', () => {
  it.each(IGNORED)('follows §%s and tolerates %s', async (_section, _what, sent) => {
    const { client } = await serveEcho()
    client.send(...sent)
    expect(await client.serves(101)).toBe(true)
  })

  it('follows §5.1 and tolerates WINDOW_UPDATE on a closed stream', async () => {
    const { client } = await serveEcho()
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    client.send(windowUpdate(1, 1))
    expect(await client.serves(3)).toBe(true)
  })

  it('sends no response on a stream that the client reset', async () => {
    const { client } = await serveEcho()
    client.send(POST, rstStream(1))
    expect(await client.serves(3)).toBe(true)
    expect(client.statuses(1)).toEqual([])
  })
})

describe('a valid request (RFC 9113)', () => {
  const line: Field[] = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':authority', 'a'],
    [':path', '/'],
  ]

  it('can have DATA of exactly MAX_FRAME_SIZE (§4.2)', async () => {
    const { client } = await serveEcho()
    client.send(POST, data(1, Buffer.alloc(16_384, 'x'), Flag.END_STREAM))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.body(1)).toBe('x'.repeat(16_384))
  })

  it('can have a field block in one-byte frames, with END_STREAM on HEADERS (§4.3, §6.10)', async () => {
    const { client, exchanges } = await serveEcho()
    const fields = Buffer.from([0x82, 0x86, 0x84, 0x41, 0x01, 0x61])
    const [first = 0, ...rest] = fields
    const last = rest.pop() ?? 0
    client.send(
      frame(HEADERS, Flag.END_STREAM, 1, Buffer.of(first)),
      ...rest.map((byte) => frame(CONTINUATION, 0, 1, Buffer.of(byte))),
      frame(CONTINUATION, Flag.END_HEADERS, 1, Buffer.of(last)),
    )
    await expect.poll(() => client.outcome(1)).toBe('status 200')
    expect(exchanges[0]).toMatchObject({ method: 'GET', authority: 'a' })
  })

  it('can have padded DATA, without the padding in its body (§6.1)', async () => {
    const { client } = await serveEcho()
    const padded = Buffer.concat([Buffer.of(3), Buffer.from('content'), Buffer.alloc(3)])
    client.send(POST, data(1, padded, Flag.PADDED), data(1, Buffer.of(0), Flag.PADDED | Flag.END_STREAM))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.body(1)).toBe('content')
  })

  it('can have padding and a priority in HEADERS (§6.2)', async () => {
    const { client } = await serveEcho()
    const payload = Buffer.concat([Buffer.of(2), uint32(0), Buffer.of(15), block(...line), Buffer.alloc(2)])
    client.send(frame(HEADERS, Flag.END_STREAM | Flag.END_HEADERS | Flag.PADDED | Flag.PRIORITY, 1, payload))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })

  it('can shrink the dynamic table at the start of a block (§4.3)', async () => {
    const { client } = await serveEcho()
    client.send(headers(1, Buffer.concat([integer(0, 5, 0x20), request()])))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })

  it('can arrive byte by byte', async () => {
    const { client } = await serveEcho()
    const wire = Buffer.concat([POST, data(1, 'ab'), frame(0x77, 0, 0, 'x'), data(1, 'cd', Flag.END_STREAM)])
    for (const byte of wire) {
      client.send(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.body(1)).toBe('abcd')
  })
})
