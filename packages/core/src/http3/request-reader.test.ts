import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS, type Limits } from '../options/limits.ts'
import { encodeFrame, FrameType } from './frames.ts'
import { encodeFieldSection } from './qpack/encoder.ts'
import type { RequestHead } from './request-head.ts'
import { RequestReader } from './request-reader.ts'

const HEAD = [':method', 'POST', ':scheme', 'https', ':authority', 'a', ':path', '/']

function headers(...fields: string[]): Buffer {
  return encodeFrame(FrameType.HEADERS, encodeFieldSection(fields))
}

function data(text: string): Buffer {
  return encodeFrame(FrameType.DATA, Buffer.from(text))
}

/** Returns the method, the content length, the body and the trailers that a reader finds. */
function read(slices: readonly Uint8Array[], limits: Partial<Limits> = {}): unknown[] {
  const found: unknown[] = []
  let body = ''
  const reader = new RequestReader(
    { ...DEFAULT_LIMITS, ...limits },
    {
      onHead: (head: RequestHead) => found.push(head.method, head.contentLength),
      onBody: (slice) => (body += Buffer.from(slice).toString()),
    },
  )
  for (const slice of slices) reader.push(slice)
  const trailers = reader.end()
  return [...found, body, trailers]
}

const grease = encodeFrame(0x21, Buffer.from('grease'))

describe('RequestReader', () => {
  it('reads head, content and trailers wherever the bytes are split', () => {
    const wire = Buffer.concat([
      grease,
      headers(...HEAD, 'content-length', '5'),
      grease,
      data('ab'),
      data(''),
      grease,
      data('cde'),
      headers('x-sum', '1'),
      grease,
    ])
    for (const slices of everySplit(wire)) expect(read(slices)).toEqual(['POST', 5, 'abcde', ['x-sum', '1']])
  })

  it('reads a request without a body', () => {
    expect(read([headers(...HEAD)])).toEqual(['POST', undefined, '', []])
    expect(read([headers(...HEAD, 'content-length', '0')])).toEqual(['POST', 0, '', []])
  })

  it.each<[string, Buffer[], number, 'stream' | 'connection']>([
    ['an empty stream', [], 0x10d, 'stream'],
    ['a stream with only unknown frame types', [grease], 0x10d, 'stream'],
    ['a truncated head', [headers(...HEAD).subarray(0, -1)], 0x106, 'connection'],
    ['truncated content', [headers(...HEAD), data('abc').subarray(0, -1)], 0x106, 'connection'],
    ['a truncated frame header', [headers(...HEAD), Buffer.from([0x40])], 0x106, 'connection'],
    ['DATA before the head', [data('a')], 0x105, 'connection'],
    ['DATA after the trailers', [headers(...HEAD), headers('x', 'y'), data('a')], 0x105, 'connection'],
    ['a third HEADERS frame', [headers(...HEAD), headers('x', 'y'), headers('x', 'y')], 0x105, 'connection'],
    ['SETTINGS', [encodeFrame(FrameType.SETTINGS, Buffer.alloc(0))], 0x105, 'connection'],
    ['GOAWAY', [headers(...HEAD), encodeFrame(FrameType.GOAWAY, Buffer.alloc(1))], 0x105, 'connection'],
    ['MAX_PUSH_ID', [encodeFrame(FrameType.MAX_PUSH_ID, Buffer.alloc(1))], 0x105, 'connection'],
    ['CANCEL_PUSH', [encodeFrame(FrameType.CANCEL_PUSH, Buffer.alloc(1))], 0x105, 'connection'],
    ['PUSH_PROMISE', [encodeFrame(FrameType.PUSH_PROMISE, Buffer.alloc(1))], 0x105, 'connection'],
    ['HTTP/2 PRIORITY', [encodeFrame(0x02, Buffer.alloc(5))], 0x105, 'connection'],
    ['HTTP/2 PING', [encodeFrame(0x06, Buffer.alloc(8))], 0x105, 'connection'],
    ['HTTP/2 WINDOW_UPDATE', [encodeFrame(0x08, Buffer.alloc(4))], 0x105, 'connection'],
    ['HTTP/2 CONTINUATION', [encodeFrame(0x09, Buffer.alloc(4))], 0x105, 'connection'],
    ['a section that cannot be decoded', [encodeFrame(FrameType.HEADERS, Buffer.alloc(1))], 0x200, 'connection'],
    ['less content than announced', [headers(...HEAD, 'content-length', '3'), data('ab')], 0x10e, 'stream'],
    ['more content than announced', [headers(...HEAD, 'content-length', '1'), data('ab')], 0x10e, 'stream'],
    ['no content with a Content-Length above 0', [headers(...HEAD, 'content-length', '1')], 0x10e, 'stream'],
    ['a malformed head', [headers(...HEAD, 'connection', 'close')], 0x10e, 'stream'],
    ['malformed trailers', [headers(...HEAD), headers(':path', '/')], 0x10e, 'stream'],
  ])('rejects %s', (_what, slices, code, scope) => {
    expect(() => read(slices)).toThrow(expect.objectContaining({ name: 'Http3Error', code, scope }))
  })

  const large = 'a'.repeat(200)
  it.each<[string, Buffer[], Partial<Limits>]>([
    ['a head that is too large', [headers(...HEAD, 'x', large)], { maxHeadBytes: 300 }],
    ['too many fields', [headers(...HEAD, 'x', '1', 'y', '2')], { maxFields: 1 }],
    ['trailers that are too large', [headers(...HEAD), headers('x', large)], { maxTrailerBytes: 200 }],
    ['too many trailers', [headers(...HEAD), headers('x', '1', 'y', '2')], { maxTrailerFields: 1 }],
  ])('answers %s with 431', (_what, slices, limits) => {
    expect(() => read(slices, limits)).toThrow(expect.objectContaining({ status: 431, scope: 'stream' }))
  })

  it('rejects a large head by its frame header, before it arrives', () => {
    const frame = encodeFrame(FrameType.HEADERS, Buffer.alloc(20_000))
    expect(() => read([frame.subarray(0, 8)])).toThrow(expect.objectContaining({ status: 431 }))
  })

  it('excludes pseudo-header fields from the field limit', () => {
    expect(read([headers(...HEAD, 'x', '1')], { maxFields: 1 })).toEqual(['POST', undefined, '', []])
  })

  it('provides the method and target of a rejected request', () => {
    const reader = new RequestReader(DEFAULT_LIMITS, { onHead: () => {}, onBody: () => {} })
    expect(reader.requestLine).toEqual({ method: undefined, target: undefined })
    expect(() => reader.push(headers(...HEAD, 'upgrade', 'h2c'))).toThrow('belongs to a connection')
    expect(reader.requestLine).toEqual({ method: 'POST', target: '/' })
  })
})
