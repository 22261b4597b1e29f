import { H3Frame, h3Frame, H3StreamType, varint } from '@fw/testing/h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorCode } from '../../src/http3/errors.ts'
import type { Http3Server } from '../serve-http3.ts'
import {
  ask,
  both,
  control,
  ended,
  head,
  headWith,
  request,
  section,
  serveContent,
  settings,
  unidirectional,
  type Act,
} from './raw-acts.ts'

const { CONTROL, PUSH } = H3StreamType
const { CANCEL_PUSH, DATA, GOAWAY, MAX_PUSH_ID, PUSH_PROMISE, SETTINGS } = H3Frame
const TRAILERS = section(['x-sum', '1'])

type Code = keyof typeof ErrorCode

let server: Http3Server

beforeAll(async () => void (server = await serveContent()))
afterAll(() => server[Symbol.asyncDispose]())

describe('the connection is closed with', () => {
  it.each<[section: string, code: Code, what: string, act: Act]>([
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'DATA before HEADERS', request(h3Frame(DATA, 'a'))],
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'DATA behind trailers', request(head(), TRAILERS, h3Frame(DATA, 'a'))],
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'HEADERS behind trailers', request(head(), TRAILERS, TRAILERS)],
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'PUSH_PROMISE of a client', request(head(), h3Frame(PUSH_PROMISE, '\0'))],
    [
      '9114 §5.2',
      'ID_ERROR',
      'a GOAWAY above the one before',
      control(settings(), h3Frame(GOAWAY, varint(4)), h3Frame(GOAWAY, varint(8))),
    ],
    ['9114 §6.2.1', 'STREAM_CREATION_ERROR', 'a second control stream', both(control(settings()), control(settings()))],
    [
      '9114 §6.2.1',
      'MISSING_SETTINGS',
      'a control stream that begins with GOAWAY',
      control(h3Frame(GOAWAY, varint(0))),
    ],
    [
      '9114 §6.2.1',
      'MISSING_SETTINGS',
      'a control stream that begins with a frame of an unknown type',
      control(h3Frame(0x21, 'a')),
    ],
    ['9114 §6.2.1', 'CLOSED_CRITICAL_STREAM', 'the end of the control stream', ended(CONTROL, '0400')],
    ['9114 §6.2.2', 'STREAM_CREATION_ERROR', 'a push stream', unidirectional(PUSH)],
    ['9114 §7.1', 'FRAME_ERROR', 'a frame that breaks off with its stream', request(head().subarray(0, -1))],
    ['9114 §7.1', 'FRAME_ERROR', 'a frame header that breaks off with its stream', request(head(), Buffer.from([0]))],
    ['9114 §7.1', 'FRAME_ERROR', 'DATA shorter than its length', request(head(), h3Frame(DATA, 'a', 9))],
    ['9114 §7.1', 'FRAME_ERROR', 'GOAWAY with octets behind its number', control(settings(), h3Frame(GOAWAY, '\0\0'))],
    ['9114 §7.1', 'FRAME_ERROR', 'MAX_PUSH_ID without a number', control(settings(), h3Frame(MAX_PUSH_ID))],
    ['9114 §7.2.1', 'FRAME_UNEXPECTED', 'DATA on the control stream', control(settings(), h3Frame(DATA, 'a'))],
    ['9114 §7.2.2', 'FRAME_UNEXPECTED', 'HEADERS on the control stream', control(settings(), TRAILERS)],
    ['9114 §7.2.3', 'FRAME_UNEXPECTED', 'CANCEL_PUSH in a request', request(head(), h3Frame(CANCEL_PUSH, '\0'))],
    ['9114 §7.2.3', 'ID_ERROR', 'CANCEL_PUSH without a push', control(settings(), h3Frame(CANCEL_PUSH, '\0'))],
    ['9114 §7.2.4', 'FRAME_UNEXPECTED', 'SETTINGS a second time', control(settings(), settings())],
    ['9114 §7.2.4', 'FRAME_UNEXPECTED', 'SETTINGS in a request', request(settings())],
    ['9114 §7.2.4', 'SETTINGS_ERROR', 'a setting repeated', control(settings('06000600'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'ENABLE_PUSH of HTTP/2', control(settings('0200'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'MAX_CONCURRENT_STREAMS of HTTP/2', control(settings('0300'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'INITIAL_WINDOW_SIZE of HTTP/2', control(settings('0400'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'MAX_FRAME_SIZE of HTTP/2', control(settings('0500'))],
    ['9114 §7.2.4', 'FRAME_ERROR', 'a setting without a value', control(settings('06'))],
    [
      '9114 §7.2.5',
      'FRAME_UNEXPECTED',
      'PUSH_PROMISE on the control stream',
      control(settings(), h3Frame(PUSH_PROMISE, '\0')),
    ],
    ['9114 §7.2.6', 'FRAME_UNEXPECTED', 'GOAWAY in a request', request(head(), h3Frame(GOAWAY, '\0'))],
    ['9114 §7.2.7', 'FRAME_UNEXPECTED', 'MAX_PUSH_ID in a request', request(head(), h3Frame(MAX_PUSH_ID, '\0'))],
    [
      '9114 §7.2.7',
      'ID_ERROR',
      'MAX_PUSH_ID below the one before',
      control(settings(), h3Frame(MAX_PUSH_ID, varint(8)), h3Frame(MAX_PUSH_ID, varint(4))),
    ],
    ...[0x02, 0x06, 0x08, 0x09].flatMap((type): [string, Code, string, Act][] => [
      [
        '9114 §7.2.8',
        'FRAME_UNEXPECTED',
        `frame 0x0${type} of HTTP/2 in a request`,
        request(head(), h3Frame(type, 'abcd')),
      ],
      [
        '9114 §7.2.8',
        'FRAME_UNEXPECTED',
        `frame 0x0${type} of HTTP/2 on the control stream`,
        control(settings(), h3Frame(type, 'abcd')),
      ],
    ]),
    ['9114 §10.5', 'EXCESSIVE_LOAD', 'SETTINGS of a megabyte', control(h3Frame(SETTINGS, '', 1_000_000))],
  ])('RFC %s: %s for %s', async (_section, code, _what, act) => {
    const client = await server.connect({ withoutControlStream: true })
    await act(client)
    expect(await client.connection.closeWithin(2000)).toEqual({
      by: 'server',
      isApplication: true,
      code: ErrorCode[code],
    })
    expect(await ask(await server.connect(), 'another')).toBe('another')
  })
})

describe('the stream alone is reset with', () => {
  it.each<[section: string, code: Code, what: string, frames: () => Buffer[]]>([
    ['9114 §4.1', 'REQUEST_INCOMPLETE', 'a stream that ends at once', () => []],
    ['9114 §4.1', 'REQUEST_INCOMPLETE', 'a stream of unknown frames alone', () => [h3Frame(0x21, 'a')]],
    [
      '9114 §4.1.2',
      'MESSAGE_ERROR',
      'less content than announced',
      () => [head(['content-length', '2']), h3Frame(DATA, 'a')],
    ],
    [
      '9114 §4.1.2',
      'MESSAGE_ERROR',
      'more content than announced',
      () => [head(['content-length', '1']), h3Frame(DATA, 'ab')],
    ],
    ['9114 §4.1.2', 'MESSAGE_ERROR', 'no content where some was announced', () => [head(['content-length', '1'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'a name in upper case', () => [head(['X-A', 'b'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'connection', () => [head(['connection', 'close'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'keep-alive', () => [head(['keep-alive', 'timeout=5'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'proxy-connection', () => [head(['proxy-connection', 'close'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'transfer-encoding', () => [head(['transfer-encoding', 'chunked'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'upgrade', () => [head(['upgrade', 'websocket'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'te with more than trailers', () => [head(['te', 'gzip'])]],
    ['9114 §4.3', 'MESSAGE_ERROR', 'an unknown pseudo-header field', () => [headWith({ ':x': 'y' })]],
    ['9114 §4.3', 'MESSAGE_ERROR', 'a pseudo-header field of answers', () => [headWith({ ':status': '200' })]],
    [
      '9114 §4.3',
      'MESSAGE_ERROR',
      'a pseudo-header field behind others',
      () => [section(['x', 'y'], [':method', 'GET'], [':scheme', 'https'], [':authority', 'a'], [':path', '/'])],
    ],
    ['9114 §4.3', 'MESSAGE_ERROR', 'a pseudo-header field in trailers', () => [head(), section([':path', '/'])]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'no :method', () => [headWith({ ':method': undefined })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'no :scheme', () => [headWith({ ':scheme': undefined })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'no :path', () => [headWith({ ':path': undefined })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'an empty :path', () => [headWith({ ':path': '' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a repeated :path', () => [head([':path', '/'])]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'neither :authority nor host', () => [headWith({ ':authority': undefined })]],
    [
      '9114 §4.3.1',
      'MESSAGE_ERROR',
      'an :authority with user information',
      () => [headWith({ ':authority': 'me@127.0.0.1' })],
    ],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a host that is not :authority', () => [headWith({ host: 'example.com' })]],
    [
      '9114 §4.4',
      'MESSAGE_ERROR',
      'CONNECT with :path',
      () => [headWith({ ':method': 'CONNECT', ':authority': 'a:1', ':scheme': undefined })],
    ],
    [
      '9114 §4.4',
      'MESSAGE_ERROR',
      'CONNECT with :scheme',
      () => [headWith({ ':method': 'CONNECT', ':authority': 'a:1', ':path': undefined })],
    ],
    ['9114 §10.3', 'MESSAGE_ERROR', 'a line break in a value', () => [head(['x', 'a\r\ny: z'])]],
    ['9114 §10.3', 'MESSAGE_ERROR', 'NUL in a value', () => [head(['x', 'a\0'])]],
    ['9114 §10.3', 'MESSAGE_ERROR', 'a space in a name', () => [head(['a b', 'c'])]],
  ])('RFC %s: %s for %s', async (_section, code, _what, frames) => {
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(Buffer.concat(frames()), { end: true })
    await expect(stream.readAll()).rejects.toThrow(`code 0x${ErrorCode[code].toString(16)}`)
    expect(await ask(client, 'on it goes')).toBe('on it goes')
  })
})

describe('nothing happens to the connection for', () => {
  it.each<[section: string, what: string, act: Act]>([
    ['9114 §4.2.1', 'cookies in pieces', request(head(['cookie', 'a=1'], ['cookie', 'b=2']))],
    ['9114 §5.2', 'a GOAWAY of the client', control(settings(), h3Frame(GOAWAY, varint(0)))],
    [
      '9114 §6.2.3',
      'a stream of a reserved type that is reset',
      async ({ connection }) => (await connection.openUnidirectional(0x21, Buffer.alloc(9))).reset(0x10e),
    ],
    ['9114 §7.2.4.1', 'settings that nobody knows', control(settings('21054064405f'), h3Frame(MAX_PUSH_ID, varint(1)))],
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
      '9114 §8.1',
      'a reset with a code that nobody knows',
      async ({ connection }) => (await connection.openStream()).reset(0x1f * 7 + 0x21),
    ],
  ])('RFC %s: %s', async (_section, _what, act) => {
    const client = await server.connect({ withoutControlStream: true })
    const { connection } = client
    await act(client)
    expect(await ask(client, 'on it goes')).toBe('on it goes')
    expect(client.connection).toBe(connection)
  })
})
