import { H3Frame, h3Frame, H3StreamType, varint } from '@fw/testing/h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorCode } from '../../src/http3/errors.ts'
import type { Http3Server } from '../serve-http3.ts'
import {
  ask,
  both,
  broken,
  control,
  ended,
  head,
  headWith,
  request,
  section,
  serveBody,
  settings,
  unidirectional,
  untyped,
  type Act,
} from './raw-acts.ts'

const { CONTROL, PUSH } = H3StreamType
const { CANCEL_PUSH, DATA, GOAWAY, MAX_PUSH_ID, PUSH_PROMISE, SETTINGS } = H3Frame
const TRAILERS = section(['x-sum', '1'])

type Code = keyof typeof ErrorCode

let server: Http3Server

beforeAll(async () => void (server = await serveBody()))
afterAll(() => server[Symbol.asyncDispose]())

describe('a connection error', () => {
  it.each<[section: string, code: Code, what: string, act: Act]>([
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'DATA before HEADERS', request(h3Frame(DATA, 'a'))],
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'DATA after trailers', request(head(), TRAILERS, h3Frame(DATA, 'a'))],
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'HEADERS after trailers', request(head(), TRAILERS, TRAILERS)],
    ['9114 §4.1', 'FRAME_UNEXPECTED', 'PUSH_PROMISE from a client', request(head(), h3Frame(PUSH_PROMISE, '\0'))],
    [
      '9114 §5.2',
      'ID_ERROR',
      'a GOAWAY with a higher ID',
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
    ['9114 §6.2.1', 'CLOSED_CRITICAL_STREAM', 'the reset of the control stream', broken(CONTROL, '0400')],
    [
      '9114 §6.2.1',
      'CLOSED_CRITICAL_STREAM',
      "STOP_SENDING for the server's control stream",
      async ({ connection }) => (await connection.controlStream).stop(0x100),
    ],
    [
      '9114 §6.2.1',
      'MISSING_SETTINGS',
      'a control stream that begins with MAX_PUSH_ID',
      control(h3Frame(MAX_PUSH_ID, '\0'), settings()),
    ],
    [
      '9114 §6.2.1',
      'STREAM_CREATION_ERROR',
      'a second control stream with an eight-byte type',
      both(control(settings()), untyped('c000000000000000')),
    ],
    ['9114 §6.2.2', 'STREAM_CREATION_ERROR', 'a push stream', unidirectional(PUSH)],
    ['9114 §7.1', 'FRAME_ERROR', 'a truncated frame at the end of its stream', request(head().subarray(0, -1))],
    [
      '9114 §7.1',
      'FRAME_ERROR',
      'a truncated frame header at the end of its stream',
      request(head(), Buffer.from([0])),
    ],
    ['9114 §7.1', 'FRAME_ERROR', 'DATA shorter than its length', request(head(), h3Frame(DATA, 'a', 9))],
    [
      '9114 §7.1',
      'FRAME_ERROR',
      'a truncated unknown frame at the end of its stream',
      request(head(), h3Frame(0x21, 'a', 2 ** 40)),
    ],
    [
      '9114 §7.1',
      'FRAME_ERROR',
      'truncated trailers at the end of their stream',
      request(head(), TRAILERS.subarray(0, -1)),
    ],
    ['9114 §7.1', 'FRAME_ERROR', 'CANCEL_PUSH with extra bytes', control(settings(), h3Frame(CANCEL_PUSH, '\0\0'))],
    ['9114 §7.1', 'FRAME_ERROR', 'GOAWAY with a truncated ID', control(settings(), h3Frame(GOAWAY, '\xc0'))],
    ['9114 §7.1', 'FRAME_ERROR', 'GOAWAY with extra bytes', control(settings(), h3Frame(GOAWAY, '\0\0'))],
    ['9114 §7.1', 'FRAME_ERROR', 'an empty MAX_PUSH_ID', control(settings(), h3Frame(MAX_PUSH_ID))],
    ['9114 §7.2.1', 'FRAME_UNEXPECTED', 'DATA on the control stream', control(settings(), h3Frame(DATA, 'a'))],
    ['9114 §7.2.2', 'FRAME_UNEXPECTED', 'HEADERS on the control stream', control(settings(), TRAILERS)],
    ['9114 §7.2.3', 'FRAME_UNEXPECTED', 'CANCEL_PUSH in a request', request(head(), h3Frame(CANCEL_PUSH, '\0'))],
    ['9114 §7.2.3', 'ID_ERROR', 'CANCEL_PUSH without a push', control(settings(), h3Frame(CANCEL_PUSH, '\0'))],
    ['9114 §7.2.4', 'FRAME_UNEXPECTED', 'a second SETTINGS frame', control(settings(), settings())],
    ['9114 §7.2.4', 'FRAME_UNEXPECTED', 'SETTINGS in a request', request(settings())],
    ['9114 §7.2.4', 'SETTINGS_ERROR', 'a repeated setting', control(settings('06000600'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'the HTTP/2 setting ENABLE_PUSH', control(settings('0200'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'the HTTP/2 setting MAX_CONCURRENT_STREAMS', control(settings('0300'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'the HTTP/2 setting INITIAL_WINDOW_SIZE', control(settings('0400'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'the HTTP/2 setting MAX_FRAME_SIZE', control(settings('0500'))],
    ['9114 §7.2.4', 'FRAME_ERROR', 'a setting without a value', control(settings('06'))],
    ['9114 §7.2.4', 'SETTINGS_ERROR', 'a setting repeated with a longer encoding', control(settings('0600400600'))],
    ['9114 §7.2.4', 'SETTINGS_ERROR', 'a repeated unknown setting', control(settings('21002100'))],
    ['9114 §7.2.4.1', 'SETTINGS_ERROR', 'setting 0, which is reserved in HTTP/2', control(settings('0000'))],
    [
      '9114 §7.2.5',
      'FRAME_UNEXPECTED',
      'PUSH_PROMISE on the control stream',
      control(settings(), h3Frame(PUSH_PROMISE, '\0')),
    ],
    ['9114 §7.2.6', 'FRAME_UNEXPECTED', 'GOAWAY in a request', request(head(), h3Frame(GOAWAY, '\0'))],
    [
      '9114 §7.2.4',
      'FRAME_UNEXPECTED',
      'SETTINGS between the frames of a request',
      request(head(), settings(), TRAILERS),
    ],
    ['9114 §7.2.7', 'FRAME_UNEXPECTED', 'MAX_PUSH_ID in a request', request(head(), h3Frame(MAX_PUSH_ID, '\0'))],
    [
      '9114 §7.2.7',
      'ID_ERROR',
      'a MAX_PUSH_ID that decreases',
      control(settings(), h3Frame(MAX_PUSH_ID, varint(8)), h3Frame(MAX_PUSH_ID, varint(4))),
    ],
    ...[0x02, 0x06, 0x08, 0x09].flatMap((type): [string, Code, string, Act][] => [
      [
        '9114 §7.2.8',
        'FRAME_UNEXPECTED',
        `HTTP/2 frame 0x0${type} in a request`,
        request(head(), h3Frame(type, 'abcd')),
      ],
      [
        '9114 §7.2.8',
        'FRAME_UNEXPECTED',
        `HTTP/2 frame 0x0${type} on the control stream`,
        control(settings(), h3Frame(type, 'abcd')),
      ],
    ]),
    ['9114 §10.5', 'EXCESSIVE_LOAD', 'SETTINGS of a megabyte', control(h3Frame(SETTINGS, '', 1_000_000))],
  ])('follows RFC %s: %s for %s', async (_section, code, _what, act) => {
    const client = await server.connect({ withoutControlStream: true })
    await act(client)
    expect(await client.connection.closeWithin(15_000)).toEqual({
      by: 'server',
      isApplication: true,
      code: ErrorCode[code],
    })
    expect(await ask(await server.connect(), 'another')).toBe('another')
  })
})

describe('a stream error', () => {
  it.each<[section: string, code: Code, what: string, frames: () => Buffer[]]>([
    ['9114 §4.1', 'REQUEST_INCOMPLETE', 'a stream that ends immediately', () => []],
    ['9114 §4.1', 'REQUEST_INCOMPLETE', 'a stream with only unknown frames', () => [h3Frame(0x21, 'a')]],
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
    ['9114 §4.1.2', 'MESSAGE_ERROR', 'no content with a Content-Length above 0', () => [head(['content-length', '1'])]],
    [
      '9114 §4.1.2',
      'MESSAGE_ERROR',
      'two different Content-Length fields',
      () => [head(['content-length', '1'], ['content-length', '2']), h3Frame(DATA, 'a')],
    ],
    [
      '9114 §4.1.2',
      'MESSAGE_ERROR',
      'a Content-Length with a sign',
      () => [head(['content-length', '+1']), h3Frame(DATA, 'a')],
    ],
    ['9114 §4.1.2', 'MESSAGE_ERROR', 'an empty Content-Length', () => [head(['content-length', ''])]],
    [
      '9114 §4.1.2',
      'MESSAGE_ERROR',
      'trailers before the end of the content',
      () => [head(['content-length', '1']), TRAILERS],
    ],
    ['9114 §4.2', 'MESSAGE_ERROR', 'a name in upper case in trailers', () => [head(), section(['X', '1'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'connection in trailers', () => [head(), section(['connection', 'close'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'an empty name', () => [head(['', 'x'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'a te field with two values', () => [head(['te', 'trailers, gzip'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'a name in upper case', () => [head(['X-A', 'b'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'connection', () => [head(['connection', 'close'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'keep-alive', () => [head(['keep-alive', 'timeout=5'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'proxy-connection', () => [head(['proxy-connection', 'close'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'transfer-encoding', () => [head(['transfer-encoding', 'chunked'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'upgrade', () => [head(['upgrade', 'websocket'])]],
    ['9114 §4.2', 'MESSAGE_ERROR', 'a te value other than trailers', () => [head(['te', 'gzip'])]],
    ['9114 §4.3', 'MESSAGE_ERROR', 'an unknown pseudo-header field', () => [headWith({ ':x': 'y' })]],
    ['9114 §4.3', 'MESSAGE_ERROR', 'a response pseudo-header field', () => [headWith({ ':status': '200' })]],
    [
      '9114 §4.3',
      'MESSAGE_ERROR',
      'a pseudo-header field after regular fields',
      () => [section(['x', 'y'], [':method', 'GET'], [':scheme', 'https'], [':authority', 'a'], [':path', '/'])],
    ],
    ['9114 §4.3', 'MESSAGE_ERROR', 'a pseudo-header field in trailers', () => [head(), section([':path', '/'])]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'no :method', () => [headWith({ ':method': undefined })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'no :scheme', () => [headWith({ ':scheme': undefined })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'no :path', () => [headWith({ ':path': undefined })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'an empty :path', () => [headWith({ ':path': '' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a :path that does not begin with a slash', () => [headWith({ ':path': 'x' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a :path with a space', () => [headWith({ ':path': '/a b' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a :path with a fragment', () => [headWith({ ':path': '/#a' })]],
    [
      '9114 §4.3.1',
      'MESSAGE_ERROR',
      'the target * with a method other than OPTIONS',
      () => [headWith({ ':path': '*' })],
    ],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a :method that is not a token', () => [headWith({ ':method': 'GE T' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'an empty :method', () => [headWith({ ':method': '' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'an empty :authority', () => [headWith({ ':authority': '' })]],
    [
      '9114 §4.3.1',
      'MESSAGE_ERROR',
      'an empty :authority with a host field',
      () => [headWith({ ':authority': '', host: 'a' })],
    ],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'an empty host', () => [headWith({ ':authority': undefined, host: '' })]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'two host fields', () => [head(['host', '127.0.0.1'], ['host', '127.0.0.1'])]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a repeated :path', () => [head([':path', '/'])]],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'neither :authority nor host', () => [headWith({ ':authority': undefined })]],
    [
      '9110 §8.6',
      'MESSAGE_ERROR',
      'two equal Content-Length fields',
      () => [head(['content-length', '1'], ['content-length', '1'])],
    ],
    [
      '9114 §4.4',
      'MESSAGE_ERROR',
      'CONNECT without a port',
      () => [section([':method', 'CONNECT'], [':authority', 'a'])],
    ],
    ['9114 §4.3.1', 'MESSAGE_ERROR', 'a host that differs from :authority', () => [headWith({ host: 'example.com' })]],
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
    [
      '9114 §4.4',
      'MESSAGE_ERROR',
      'CONNECT without :authority',
      () => [section([':method', 'CONNECT'], ['host', '127.0.0.1:1'])],
    ],
    [
      '9220 §3',
      'MESSAGE_ERROR',
      'extended CONNECT, which is not enabled',
      () => [headWith({ ':method': 'CONNECT', ':protocol': 'websocket' })],
    ],
    ['9114 §10.3', 'MESSAGE_ERROR', 'a value that begins with a space', () => [head(['x', ' a'])]],
    ['9114 §10.3', 'MESSAGE_ERROR', 'a line break in a value', () => [head(['x', 'a\r\ny: z'])]],
    ['9114 §10.3', 'MESSAGE_ERROR', 'NUL in a value', () => [head(['x', 'a\0'])]],
    ['9114 §10.3', 'MESSAGE_ERROR', 'a space in a name', () => [head(['a b', 'c'])]],
  ])('follows RFC %s: %s for %s', async (_section, code, _what, frames) => {
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(Buffer.concat(frames()), { end: true })
    await expect(stream.readAll()).rejects.toThrow(`code 0x${ErrorCode[code].toString(16)}`)
    expect(await ask(client, 'next request')).toBe('next request')
  })
})
