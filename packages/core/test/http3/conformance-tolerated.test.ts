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
/** A type of the reserved ones (RFC 9114 §6.2.3, §7.2.8) whose number takes eight bytes. */
const LONG_GREASE = 0x1f * 2 ** 40 + 0x21
const GREASE = h3Frame(LONG_GREASE, 'anything')
/** A stream of this type announces a WebTransport session elsewhere; here nobody knows it. */
const UNKNOWN_STREAM = 0x54

/** A request whose field section has so much behind its Required Insert Count of 0, in hexadecimal. */
function withBase(base: string): Buffer {
  const frame = head()
  return h3Frame(
    HEADERS,
    Buffer.concat([Buffer.from(`00${base}`, 'hex'), frame.subarray(frame.indexOf('0000', 'hex') + 2)]),
  )
}

/** A frame whose type and length, of one byte each, take eight. */
function longForm(frame: Buffer): Buffer {
  const [type = 0, length = 0, ...payload] = frame
  return Buffer.from([0xc0, 0, 0, 0, 0, 0, 0, type, 0xc0, 0, 0, 0, 0, 0, 0, length, ...payload])
}

let server: Http3Server

beforeAll(async () => void (server = await serveBody()))
afterAll(() => server[Symbol.asyncDispose]())

describe('nothing happens to the connection for', () => {
  it.each<[section: string, what: string, act: Act]>([
    ['9114 §4.1', 'unknown frames behind trailers', request(head(), section(['x', '1']), h3Frame(0x21, 'a'))],
    ['9114 §4.2.1', 'cookies in pieces', request(head(['cookie', 'a=1'], ['cookie', 'b=2']))],
    ['9114 §5.2', 'a GOAWAY of the client', control(settings(), h3Frame(GOAWAY, varint(0)))],
    [
      '9114 §5.2',
      'GOAWAYs that do not rise, of numbers that no push had',
      control(settings(), ...[2 ** 50, 7, 7, 0].map((id) => h3Frame(GOAWAY, varint(id)))),
    ],
    ['9114 §6.2', 'a unidirectional stream that ends before its type', untyped('', 'end')],
    ['9114 §6.2', 'a unidirectional stream that is reset before its type', untyped('40', 'reset')],
    ['9114 §6.2', 'a unidirectional stream of half a type', untyped('c000')],
    ['9114 §6.2', 'a unidirectional stream that ends within its type', untyped('c000', 'end')],
    ['9114 §6.2.1', 'a control stream byte by byte', inPieces(CONTROL, settings('0640ff'), h3Frame(GOAWAY, '\0'))],
    ['9114 §6.2.1', 'no control stream at all', async () => {}],
    ['9114 §6.2.3', 'a stream of a reserved type', unidirectional(0x21, '0001020304')],
    ['9114 §6.2.3', 'a stream of a reserved type that ends', ended(0x21, '0001020304')],
    ['9114 §6.2.3', 'a stream of a reserved type of eight bytes', unidirectional(LONG_GREASE, '00')],
    [
      '9114 §6.2.3',
      'two streams of one unknown type',
      both(unidirectional(UNKNOWN_STREAM), unidirectional(UNKNOWN_STREAM)),
    ],
    [
      '9114 §6.2.3',
      'a stream of a reserved type that is reset',
      async ({ connection }) => (await connection.openUnidirectional(0x21, Buffer.alloc(9))).reset(0x10e),
    ],
    ['9114 §7.1', 'DATA of no bytes', request(head(), h3Frame(DATA), h3Frame(DATA, 'a'), h3Frame(DATA))],
    ['9114 §7.2.4', 'SETTINGS without a setting', control(settings())],
    ['9114 §7.2.4.1', 'settings that nobody knows', control(settings('21054064405f'), h3Frame(MAX_PUSH_ID, varint(1)))],
    [
      '9114 §7.2.4.1',
      'a setting whose number and value take 62 bits',
      control(settings(`${'ff'.repeat(8)}${'ff'.repeat(8)}`)),
    ],
    ['9114 §7.2.4.1', 'a dynamic table that the client would keep', control(settings('01500007405f'))],
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
      'a reset with a code that nobody knows',
      async ({ connection }) => (await connection.openStream()).reset(0x1f * 7 + 0x21),
    ],
    [
      '9218 §7.2',
      'PRIORITY_UPDATE, also for streams that nobody opened',
      control(settings(), h3Frame(PRIORITY_UPDATE, '\0u=1'), h3Frame(PUSH_PRIORITY_UPDATE, '\x09?')),
    ],
    ['9204 §4.1.1', 'a Delta Base of 62 bits', request(withBase('7f80ffffffffffffff3f'))],
    ['9204 §4.5.1.2', 'a Base that nothing refers to', request(withBase('05'))],
    ['9204 §4.3.1', 'a capacity of 0', unidirectional(QPACK_ENCODER, '20')],
    ['9204 §4.3.1', 'a capacity of 0 again and again', unidirectional(QPACK_ENCODER, '20'.repeat(1000))],
    ['9204 §4.4.2', 'a stream that is given up', unidirectional(QPACK_DECODER, '40')],
    [
      '9204 §4.4.2',
      'a stream with a number of 62 bits that is given up',
      unidirectional(QPACK_DECODER, '7fc0ffffffffffffff3f40'),
    ],
    ['9204 §4.4.2', 'streams given up byte by byte', inPieces(QPACK_DECODER, Buffer.from('7f817f41', 'hex'))],
  ])('RFC %s: %s', async (_section, _what, act) => {
    const client = await server.connect({ withoutControlStream: true })
    const { connection } = client
    await act(client)
    expect(await ask(client, 'on it goes')).toBe('on it goes')
    expect(client.connection).toBe(connection)
    expect(connection.isOver).toBe(false)
  })
})

describe('a request is answered', () => {
  it.each<[section: string, what: string, frames: () => Buffer[], content: string]>([
    [
      '9000 §16',
      'whose frames have types and lengths in their longest form',
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
      'with content-length 0 and DATA of no bytes',
      () => [head(['content-length', '0']), h3Frame(DATA)],
      '',
    ],
    ['9114 §4.2', 'with te: trailers', () => [head(['te', 'trailers'])], ''],
    ['9114 §4.3.1', 'with host and :authority alike', () => [head(['host', '127.0.0.1'])], ''],
    ['9114 §4.3.1', 'with host alone', () => [headWith({ ':authority': undefined, host: '127.0.0.1' })], ''],
    ['9114 §4.3.1', 'for the server as a whole', () => [headWith({ ':method': 'OPTIONS', ':path': '*' })], ''],
    ['9114 §7.1', 'with DATA of no bytes', () => [head(), h3Frame(DATA), h3Frame(DATA, 'a'), h3Frame(DATA)], 'a'],
    ['9218 §4', 'with a priority that makes no sense', () => [head(['priority', 'u=99, i=?7, "'])], ''],
    [
      '9204 §4.5.6',
      'with fields that must never be indexed',
      () => [h3Frame(HEADERS, Buffer.from('0000d1d750093132372e302e302e31c13178017a', 'hex'))],
      '',
    ],
  ])('RFC %s: %s', async (_section, _what, frames, body) => {
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    await stream.send(Buffer.concat(frames()), { end: true })
    const response = await stream.readAll()
    expect(response[0]).toBe(HEADERS)
    expect(response.subarray(response.length - body.length).toString()).toBe(body)
  })
})
