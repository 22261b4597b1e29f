import { describe, expect, it } from 'vitest'
import { http2RequestHead } from './request-head.ts'

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
    expect(http2RequestHead(fields, { maxRequestLineBytes: 100 })).toMatchObject(want)
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
    expect(() => http2RequestHead(fields, { maxRequestLineBytes: 100 })).toThrow(
      expect.objectContaining({ status: 400, scope: 'stream' }),
    )
  })

  it.each([
    [87, undefined],
    [88, 414],
  ])('a path of %i octets gives %s with a limit of 100', (length, status) => {
    const act = (): unknown =>
      http2RequestHead(request({ ':path': `/${'a'.repeat(length - 1)}` }), { maxRequestLineBytes: 100 })
    let refusal: unknown
    try {
      act()
    } catch (error) {
      refusal = (error as { status: number }).status
    }
    expect(refusal).toBe(status)
  })
})
