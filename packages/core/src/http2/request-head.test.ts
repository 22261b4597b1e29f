import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import type { FieldSection } from './hpack/field.ts'
import { readRequestHead, http2Trailers, refusedRequestLine } from './request-head.ts'

const LIMITS = { ...DEFAULT_LIMITS, maxRequestLineBytes: 100 }
const request = (changes: Record<string, string>): string[] =>
  Object.entries({ ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': '/', ...changes }).flat()

const section = (fields: readonly string[], more: Partial<FieldSection> = {}): FieldSection => ({
  fields,
  listBytes: fields.reduce((sum, text) => sum + text.length + 16, 0),
  isTooLarge: false,
  isWellFormed: true,
  ...more,
})
const MALFORMED = { name: 'StreamError', code: 1 }

describe('readRequestHead', () => {
  it.each([
    [request({}), { method: 'GET', target: '/', authority: 'a' }],
    [request({ ':path': '/x?y', host: 'A' }), { target: '/x?y', authority: 'a' }],
    [[':method', 'GET', ':scheme', 'http', ':path', '/', 'host', 'b:1'], { authority: 'b:1' }],
    [request({ ':method': 'OPTIONS', ':path': '*' }), { target: '*' }],
    [[':method', 'CONNECT', ':authority', 'a:443'], { method: 'CONNECT', target: 'a:443' }],
  ])('reads %j', (fields, want) => {
    expect(readRequestHead(section(fields), LIMITS)).toMatchObject(want)
  })

  it.each(
    [
      request({ ':scheme': 'ftp' }),
      request({ ':authority': 'u@a' }),
      request({ ':authority': ':80' }),
      request({ ':authority': 'a%zz' }),
    ].map((fields) => [fields]),
  )('answers %j with 400', (fields) => {
    const refusal = { status: 400, scope: 'stream' }
    expect(() => readRequestHead(section(fields), LIMITS)).toThrow(expect.objectContaining(refusal))
  })

  it.each(
    [
      request({ ':path': 'a' }),
      request({ ':path': '/a b' }),
      request({ ':path': '/a#b' }),
      request({ ':path': '/\xe9' }),
      request({ host: 'b' }),
      request({ ':path': '*' }),
      request({ ':method': 'G(T' }),
      request({ ':authority': '' }),
      request({ ':status': '200' }),
      request({ connection: 'close' }),
      request({ te: 'gzip' }),
      request({ 'content-length': '1, 1' }),
      request({ 'x-a': '1', ':path ': '/' }),
      [...request({}), 'host', 'a', 'host', 'a'],
      [...request({}), ...request({})],
      [...request({}), 'x-a', '1', ':path', '/b'],
      [':method', 'GET', ':scheme', 'https', ':path', '/'],
      [':method', 'CONNECT', ':authority', 'a:1', ':path', '/'],
      [':method', 'CONNECT', ':authority', 'a'],
      [':method', 'CONNECT', ':authority', 'a:1', 'content-length', '0'],
    ].map((fields) => [fields]),
  )('rejects %j as malformed', (fields) => {
    expect(() => readRequestHead(section(fields), LIMITS)).toThrow(expect.objectContaining(MALFORMED))
  })

  it('rejects a section with an invalid name or value as malformed', () => {
    const invalid = section(request({}), { isWellFormed: false })
    expect(() => readRequestHead(invalid, LIMITS)).toThrow(expect.objectContaining(MALFORMED))
  })

  it('answers a section above the size limit with 431', () => {
    const large = section(request({}), { isTooLarge: true })
    expect(() => readRequestHead(large, LIMITS)).toThrow(expect.objectContaining({ status: 431 }))
  })

  it.each([
    ['12', 12],
    ['0', 0],
  ])('reads content-length %s and expect: 100-continue', (value, contentLength) => {
    const head = readRequestHead(section(request({ 'content-length': value, expect: '100-Continue' })), LIMITS)
    expect(head).toMatchObject({ contentLength, expectsContinue: true })
  })

  it.each([
    [87, undefined],
    [88, 414],
  ])('answers a path of %i bytes with status %s at a limit of 100 bytes', (length, status) => {
    expect(statusOf(request({ ':path': `/${'a'.repeat(length - 1)}` }), {})).toBe(status)
  })

  it.each([
    [2, undefined],
    [3, 431],
  ])('answers %i fields with status %s at a limit of 2, without counting pseudo-header fields', (count, status) => {
    const fields = Array.from({ length: count }, (_, i) => [`x-${i}`, '1']).flat()
    expect(statusOf([...request({}), ...fields], { maxFields: 2 })).toBe(status)
  })
})

describe('http2Trailers', () => {
  it('discards fields that must not be passed to handlers', () => {
    const trailers = section(['host', 'b', 'x-sum', '1', 'authorization', 'c'])
    expect(http2Trailers(trailers, DEFAULT_LIMITS)).toEqual(['x-sum', '1'])
  })

  it('returns the other fields unchanged', () => {
    expect(http2Trailers(section(['x-sum', '1']), DEFAULT_LIMITS)).toEqual(['x-sum', '1'])
  })

  it.each([[[':path', '/']], [['connection', 'x']]])('rejects %j as malformed', (fields) => {
    expect(() => http2Trailers(section(fields), DEFAULT_LIMITS)).toThrow(expect.objectContaining(MALFORMED))
  })

  it.each([
    ['bytes', { maxTrailerBytes: 10 }],
    ['fields', { maxTrailerFields: 0 }],
  ])('answers too many %s with 431', (_what, limits) => {
    const refusal = expect.objectContaining({ status: 431 })
    expect(() => http2Trailers(section(['x', '1']), { ...DEFAULT_LIMITS, ...limits })).toThrow(refusal)
  })
})

describe('refusedRequestLine', () => {
  it.each([
    [request({ ':method': 'PUT', ':path': '/a' }), { method: 'PUT', target: '/a' }],
    [[':method', 'CONNECT', ':authority', 'a:1'], { method: 'CONNECT', target: 'a:1' }],
    [['x', '1'], { method: undefined, target: undefined }],
  ])('returns the known parts of %j', (fields, want) => {
    expect(refusedRequestLine(fields)).toEqual(want)
  })
})

function statusOf(fields: readonly string[], limits: Partial<typeof DEFAULT_LIMITS>): unknown {
  try {
    readRequestHead(section(fields), { ...LIMITS, ...limits })
    return undefined
  } catch (error) {
    return (error as { status: number }).status
  }
}
