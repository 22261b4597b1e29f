import { H3Frame, h3Frame, H3StreamType, varint } from '@fw/testing/h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Http3Server } from '../serve-http3.ts'
import {
  ask,
  both,
  control,
  ended,
  head,
  headWith,
  inPieces,
  request,
  section,
  serveBody,
  settings,
  unidirectional,
  untyped,
  type Act,
} from './raw-acts.ts'

const { CONTROL, QPACK_DECODER, QPACK_ENCODER } = H3StreamType
const { DATA, GOAWAY, HEADERS, MAX_PUSH_ID } = H3Frame
/** PRIORITY_UPDATE for a request stream, and for a push (RFC 9218 §7.2). */
const PRIORITY_UPDATE = 0xf0700
const PUSH_PRIORITY_UPDATE = 0xf0701
/** Reserved type (RFC 9114 §6.2.3, §7.2.8) with an eight-byte encoding. */
const LONG_GREASE = 0x1f * 2 ** 40 + 0x21
const GREASE = h3Frame(LONG_GREASE, 'anything')
/** WebTransport's stream type, which this server does not support. */
const UNKNOWN_STREAM = 0x54

/** Returns a request whose field section has the given hexadecimal bytes after its Required Insert Count of 0. */
function withBase(base: string): Buffer {
  const frame = head()
  return h3Frame(
    HEADERS,
    Buffer.concat([Buffer.from(`00${base}`, 'hex'), frame.subarray(frame.indexOf('0000', 'hex') + 2)]),
  )
}

/** Returns a frame with type and length re-encoded from one byte to eight. */
function longForm(frame: Buffer): Buffer {
  const [type = 0, length = 0, ...payload] = frame
  return Buffer.from([0xc0, 0, 0, 0, 0, 0, 0, type, 0xc0, 0, 0, 0, 0, 0, 0, length, ...payload])
}

let server: Http3Server

beforeAll(async () => void (server = await serveBody()))
afterAll(() => server[Symbol.asyncDispose]())

describe('a connection with unusual input', () => {
  it.each<[section: string, what: string, act: Act]>([
    ['9114 §4.1', 'unknown frames after trailers', request(head(), section(['x', '1']), h3Frame(0x21, 'a'))],
    ['9114 §4.2.1', 'a cookie split into several fields', request(head(['cookie', 'a=1'], ['cookie', 'b=2']))],
    ['9114 §5.2', 'a GOAWAY from the client', control(settings(), h3Frame(GOAWAY, varint(0)))],
    [
      '9114 §5.2',
      'GOAWAY frames with unknown push IDs that do not increase',
      control(settings(), ...[2 ** 50, 7, 7, 0].map((id) => h3Frame(GOAWAY, varint(id)))),
    ],
    ['9114 §6.2', 'a unidirectional stream that ends before its type', untyped('', 'end')],
    ['9114 §6.2', 'a unidirectional stream that is reset before its type', untyped('40', 'reset')],
    ['9114 §6.2', 'a unidirectional stream with an incomplete type', untyped('c000')],
    ['9114 §6.2', 'a unidirectional stream that ends within its type', untyped('c000', 'end')],
    ['9114 §6.2.1', 'a control stream byte by byte', inPieces(CONTROL, settings('0640ff'), h3Frame(GOAWAY, '\0'))],
    ['9114 §6.2.1', 'no control stream at all', async () => {}],
    ['9114 §6.2.3', 'a stream of a reserved type', unidirectional(0x21, '0001020304')],
    ['9114 §6.2.3', 'a stream of a reserved type that ends', ended(0x21, '0001020304')],
    ['9114 §6.2.3', 'a stream of a reserved eight-byte type', unidirectional(LONG_GREASE, '00')],
    [
      '9114 §6.2.3',
      'two streams of the same unknown type',
      both(unidirectional(UNKNOWN_STREAM), unidirectional(UNKNOWN_STREAM)),
    ],
    [
      '9114 §6.2.3',
      'a stream of a reserved type that is reset',
      async ({ connection }) => (await connection.openUnidirectional(0x21, Buffer.alloc(9))).reset(0x10e),
    ],
    ['9114 §7.1', 'empty DATA frames', request(head(), h3Frame(DATA), h3Frame(DATA, 'a'), h3Frame(DATA))],
    ['9114 §7.2.4', 'an empty SETTINGS frame', control(settings())],
    ['9114 §7.2.4.1', 'unknown settings', control(settings('21054064405f'), h3Frame(MAX_PUSH_ID, varint(1)))],
    [
      '9114 §7.2.4.1',
      'a setting with a 62-bit identifier and value',
      control(settings(`${'ff'.repeat(8)}${'ff'.repeat(8)}`)),
    ],
    ['9114 §7.2.4.1', 'a dynamic table that the client permits', control(settings('01500007405f'))],
    [
      '9114 §7.2.7',
      'the same MAX_PUSH_ID twice',
      control(settings(), h3Frame(MAX_PUSH_ID, varint(1)), h3Frame(MAX_PUSH_ID, varint(1))),
    ],
    [
      '9114 §7.2.8',
      'frames of reserved types',
      request(h3Frame(0x21, 'a'), head(), h3Frame(0x40, 'b'), h3Frame(DATA, 'c'), h3Frame(0x5f)),
    ],
    [
      '9114 §7.2.8',
      'frames of reserved types on the control stream',
      control(settings(), h3Frame(0x21, 'a'), h3Frame(LONG_GREASE)),
    ],
    [
      '9114 §8.1',
      'a reset with an unknown code',
      async ({ connection }) => (await connection.openStream()).reset(0x1f * 7 + 0x21),
    ],
    [
      '9218 §7.2',
      'PRIORITY_UPDATE, even for streams that are not open',
      control(settings(), h3Frame(PRIORITY_UPDATE, '\0u=1'), h3Frame(PUSH_PRIORITY_UPDATE, '\x09?')),
    ],
    ['9204 §4.1.1', 'a Delta Base of 62 bits', request(withBase('7f80ffffffffffffff3f'))],
    ['9204 §4.5.1.2', 'a Base without references', request(withBase('05'))],
    ['9204 §4.3.1', 'a capacity of 0', unidirectional(QPACK_ENCODER, '20')],
    ['9204 §4.3.1', 'a capacity of 0, repeated', unidirectional(QPACK_ENCODER, '20'.repeat(1000))],
    ['9204 §4.4.2', 'a stream cancellation', unidirectional(QPACK_DECODER, '40')],
    ['9204 §4.4.2', 'a stream cancellation with a 62-bit ID', unidirectional(QPACK_DECODER, '7fc0ffffffffffffff3f40')],
    ['9204 §4.4.2', 'stream cancellations byte by byte', inPieces(QPACK_DECODER, Buffer.from('7f817f41', 'hex'))],
  ])('stays open as RFC %s requires: %s', async (_section, _what, act) => {
    const client = await server.connect({ withoutControlStream: true })
    const { connection } = client
    await act(client)
    expect(await ask(client, 'next request')).toBe('next request')
    expect(client.connection).toBe(connection)
    expect(connection.isOver).toBe(false)
  })
})

describe('an unusual request', () => {
  it.each<[section: string, what: string, frames: () => Buffer[], content: string]>([
    [
      '9000 §16',
      'with frame types and lengths in their longest form',
      () => [longForm(head()), longForm(h3Frame(DATA, 'abc'))],
      'abc',
    ],
    [
      '9114 §4.1',
      'with unknown frames between all others',
      () => [
        GREASE,
        head(),
        GREASE,
        h3Frame(DATA, 'a'),
        GREASE,
        h3Frame(DATA, 'b'),
        GREASE,
        section(['x', '1']),
        GREASE,
      ],
      'ab',
    ],
    ['9114 §4.1', 'without content and with trailers', () => [head(), section(['x', '1'])], ''],
    ['9114 §4.1.2', 'with content-length 0 and no DATA', () => [head(['content-length', '0'])], ''],
    [
      '9114 §4.1.2',
      'with content-length 0 and an empty DATA frame',
      () => [head(['content-length', '0']), h3Frame(DATA)],
      '',
    ],
    ['9114 §4.2', 'with te: trailers', () => [head(['te', 'trailers'])], ''],
    ['9114 §4.3.1', 'with equal host and :authority', () => [head(['host', '127.0.0.1'])], ''],
    [
      '9114 §4.3.1',
      'with host instead of :authority',
      () => [headWith({ ':authority': undefined, host: '127.0.0.1' })],
      '',
    ],
    ['9114 §4.3.1', 'with OPTIONS *', () => [headWith({ ':method': 'OPTIONS', ':path': '*' })], ''],
    ['9114 §7.1', 'with empty DATA frames', () => [head(), h3Frame(DATA), h3Frame(DATA, 'a'), h3Frame(DATA)], 'a'],
    ['9218 §4', 'with an invalid priority', () => [head(['priority', 'u=99, i=?7, "'])], ''],
    [
      '9204 §4.5.6',
      'with never-indexed fields',
      () => [h3Frame(HEADERS, Buffer.from('0000d1d750093132372e302e302e31c13178017a', 'hex'))],
      '',
    ],
  ])('receives a response as RFC %s requires: %s', async (_section, _what, frames, body) => {
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    await stream.send(Buffer.concat(frames()), { end: true })
    const response = await stream.readAll()
    expect(response[0]).toBe(HEADERS)
    expect(response.subarray(response.length - body.length).toString()).toBe(body)
  })
})
