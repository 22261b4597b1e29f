import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import { http2RequestHead, refusedRequestLine } from './request-head.ts'

const LIMITS = { ...DEFAULT_LIMITS, maxRequestLineBytes: 100 }
const request = (changes: Record<string, string>): string[] =>
  Object.entries({ ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': '/', ...changes }).flat()

describe('http2RequestHead', () => {
  it.each([
    [request({}), { method: 'GET', target: '/', authority: 'a' }],
    [request({ ':path': '/x?y', host: 'A' }), { target: '/x?y', authority: 'a' }],
    [[':method', 'GET', ':scheme', 'http', ':path', '/', 'host', 'b:1'], { authority: 'b:1' }],
    [request({ ':method': 'OPTIONS', ':path': '*' }), { target: '*' }],
    [[':method', 'CONNECT', ':authority', 'a:443'], { method: 'CONNECT', target: 'a:443' }],
  ])('reads %j', (fields, want) => {
    expect(http2RequestHead(fields, LIMITS)).toMatchObject(want)
  })

  it.each([
    request({ ':path': '/a#b' }),
    request({ ':path': 'a' }),
    request({ ':path': '/a b' }),
    request({ ':path': '/\xe9' }),
    request({ ':path': '*' }),
    request({ ':method': 'G(T' }),
    request({ ':scheme': 'ftp' }),
    request({ ':authority': 'u@a' }),
    request({ ':authority': '' }),
    request({ host: 'b' }),
    [':method', 'GET', ':scheme', 'https', ':path', '/'],
  ])('refuses %j', (...fields) => {
    expect(() => http2RequestHead(fields, LIMITS)).toThrow(expect.objectContaining({ status: 400, scope: 'stream' }))
  })

  it.each([
    [87, undefined],
    [88, 414],
  ])('a path of %i octets gives %s with a limit of 100', (length, status) => {
    expect(statusOf(request({ ':path': `/${'a'.repeat(length - 1)}` }), {})).toBe(status)
  })

  it.each([
    [2, undefined],
    [3, 431],
  ])('%i fields give %s with a limit of 2, whatever the pseudo-header fields', (count, status) => {
    const fields = Array.from({ length: count }, (_, i) => [`x-${i}`, '1']).flat()
    expect(statusOf([...request({}), ...fields], { maxFields: 2 })).toBe(status)
  })

  // The four of the request take 167 octets by the rule of RFC 9113 §6.5.2: 32 for each, and what they hold.
  it.each([
    [101, undefined],
    [102, 431],
  ])('a field of %i octets more gives %s with a limit of 300', (length, status) => {
    expect(statusOf([...request({}), 'x', 'v'.repeat(length - 1)], { maxHeadBytes: 300 })).toBe(status)
  })
})

describe('refusedRequestLine', () => {
  it.each([
    [request({ ':method': 'PUT', ':path': '/a' }), { method: 'PUT', target: '/a' }],
    [[':method', 'CONNECT', ':authority', 'a:1'], { method: 'CONNECT', target: 'a:1' }],
    [['x', '1'], { method: undefined, target: undefined }],
  ])('tells of %j what is known', (fields, want) => {
    expect(refusedRequestLine(fields)).toEqual(want)
  })
})

function statusOf(fields: readonly string[], limits: Partial<typeof DEFAULT_LIMITS>): unknown {
  try {
    http2RequestHead(fields, { ...LIMITS, ...limits })
    return undefined
  } catch (error) {
    return (error as { status: number }).status
  }
}
