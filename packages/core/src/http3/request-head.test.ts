import { describe, expect, it } from 'vitest'
import { readRequestHead, readTrailers } from './request-head.ts'

const GET = [':method', 'GET', ':scheme', 'https', ':authority', 'example.com', ':path', '/a?b']

/** Returns the fields of `GET` with one pseudo-header field replaced, or removed if `value` is undefined. */
function change(name: string, value: string | undefined): string[] {
  const fields: string[] = []
  for (let i = 0; i < GET.length; i += 2) {
    if (GET[i] !== name) fields.push(GET[i] ?? '', GET[i + 1] ?? '')
    else if (value !== undefined) fields.push(name, value)
  }
  return fields
}

function read(section: readonly string[]): ReturnType<typeof readRequestHead> {
  return readRequestHead(section, { maxRequestLineBytes: 100, maxFields: 3 })
}

const malformed = expect.objectContaining({ name: 'Http3Error', code: 0x10e, scope: 'stream' }) as Error

describe('readRequestHead', () => {
  it('reads method, target, authority and fields', () => {
    expect(read([...GET, 'accept', '*/*', 'x-a', '\u00e9'])).toEqual({
      method: 'GET',
      target: '/a?b',
      authority: 'example.com',
      fields: ['accept', '*/*', 'x-a', '\u00e9'],
      contentLength: undefined,
      expectsContinue: false,
    })
  })

  it.each<[string, string[], object]>([
    [
      'pseudo-header fields in any order',
      [':path', '/', ':authority', 'a', ':scheme', 'https', ':method', 'PUT'],
      { method: 'PUT' },
    ],
    ['an unknown method', change(':method', 'BREW'), { method: 'BREW' }],
    ['OPTIONS *', [...change(':path', '*').slice(2), ':method', 'OPTIONS'], { target: '*' }],
    ['host instead of :authority', [...change(':authority', undefined), 'host', 'h:1'], { authority: 'h:1' }],
    ['host with the same value', [...GET, 'host', 'EXAMPLE.com'], { authority: 'example.com' }],
    ['an IPv6 address', change(':authority', '[::1]:443'), { authority: '[::1]:443' }],
    ['a scheme in upper case', change(':scheme', 'HTTPS'), { method: 'GET' }],
    ['CONNECT', [':method', 'CONNECT', ':authority', 'a:443'], { target: 'a:443', authority: 'a:443' }],
    ['content-length', [...GET, 'content-length', '5'], { contentLength: 5 }],
    ['expect', [...GET, 'expect', '100-Continue'], { expectsContinue: true }],
    ['te: trailers', [...GET, 'te', 'Trailers'], { fields: ['te', 'Trailers'] }],
    [
      'a cookie in crumbs',
      [...GET, 'cookie', 'a=1', 'x', 'y', 'cookie', 'b=2', 'cookie', 'c=3'],
      { fields: ['cookie', 'a=1; b=2; c=3', 'x', 'y'] },
    ],
    ['a value with inner whitespace', [...GET, 'x', 'a \t b'], { fields: ['x', 'a \t b'] }],
    ['an empty value', [...GET, 'x', ''], { fields: ['x', ''] }],
  ])('accepts %s', (_what, section, want) => {
    expect(read(section)).toMatchObject(want)
  })

  it.each<[string, string[]]>([
    ['no fields', []],
    ['no :method', change(':method', undefined)],
    ['no :scheme', change(':scheme', undefined)],
    ['no :path', change(':path', undefined)],
    ['neither :authority nor host', change(':authority', undefined)],
    ['an empty :method', change(':method', '')],
    ['a :method that is not a token', change(':method', 'G T')],
    ['an empty :path', change(':path', '')],
    ['a relative :path', change(':path', 'a')],
    ['* for a method other than OPTIONS', change(':path', '*')],
    ['an absolute :path', change(':path', 'https://example.com/')],
    ['a :path with a space', change(':path', '/a b')],
    ['a :path with a line break', change(':path', '/a\r\nx: y')],
    ['a :path with a fragment', change(':path', '/a#b')],
    ['a :path with bytes above 127', change(':path', '/\u00e9')],
    ['an empty :authority', change(':authority', '')],
    ['a host that differs', [...GET, 'host', 'example.org']],
    ['a host repeated', [...GET, 'host', 'example.com', 'host', 'example.com']],
    ['a pseudo-header field repeated', [...GET, ':path', '/']],
    ['a response pseudo-header field', [...GET, ':status', '200']],
    [':protocol, which was not offered,', [...GET, ':protocol', 'websocket']],
    ['a pseudo-header field after a field', ['x', 'y', ...GET]],
    ['CONNECT with :path', [':method', 'CONNECT', ':authority', 'a:443', ':path', '/']],
    ['CONNECT with :scheme', [':method', 'CONNECT', ':authority', 'a:443', ':scheme', 'https']],
    ['CONNECT without a port', [':method', 'CONNECT', ':authority', 'a']],
    ['CONNECT with host instead of :authority', [':method', 'CONNECT', 'host', 'a:443']],
    ['an uppercase name', [...GET, 'X-A', 'b']],
    ['an empty name', [...GET, '', 'b']],
    ['a name with a space', [...GET, 'a b', 'c']],
    ['a name above 127', [...GET, '\u00e9', 'c']],
    ['connection', [...GET, 'connection', 'close']],
    ['keep-alive', [...GET, 'keep-alive', '1']],
    ['proxy-connection', [...GET, 'proxy-connection', 'close']],
    ['transfer-encoding', [...GET, 'transfer-encoding', 'chunked']],
    ['upgrade', [...GET, 'upgrade', 'h2c']],
    ['te with more than trailers', [...GET, 'te', 'gzip, trailers']],
    ['a value with NUL', [...GET, 'x', 'a\0b']],
    ['a value with CR', [...GET, 'x', 'a\rb']],
    ['a value with LF', [...GET, 'x', 'a\nb']],
    ['a value with DEL', [...GET, 'x', 'a\u007f']],
    ['a value that begins with a space', [...GET, 'x', ' a']],
    ['a value that ends with a tab', [...GET, 'x', 'a\t']],
    ['a content-length that is not a number', [...GET, 'content-length', '5x']],
    ['a negative content-length', [...GET, 'content-length', '-5']],
    ['an empty content-length', [...GET, 'content-length', '']],
    ['a content-length with a sign', [...GET, 'content-length', '+5']],
    ['a content-length of 16 digits', [...GET, 'content-length', '9'.repeat(16)]],
    ['content-length repeated', [...GET, 'content-length', '5', 'content-length', '5']],
    ['content-length as a list of one number', [...GET, 'content-length', '5, 5']],
    ['CONNECT with a content-length', [':method', 'CONNECT', ':authority', 'a:1', 'content-length', '0']],
    ['content-lengths that differ', [...GET, 'content-length', '5', 'content-length', '6']],
    ['a content-length list that differs', [...GET, 'content-length', '5, 6']],
  ])('rejects %s as malformed', (_what, section) => {
    expect(() => read(section)).toThrow(malformed)
  })

  it.each<[string, string[], number]>([
    ['an :authority with user information', change(':authority', 'u@example.com'), 400],
    ['an :authority that is a list', change(':authority', 'a,b'), 400],
    ['an :authority without a name', change(':authority', ':443'), 400],
    ['an unknown scheme', change(':scheme', 'ftp'), 400],
    ['the scheme http', change(':scheme', 'http'), 421],
    ['an unknown expectation', [...GET, 'expect', 'wonders'], 417],
    ['a request line of 101 bytes', change(':path', '/'.padEnd(88, 'a')), 414],
    ['4 fields', [...GET, 'a', '1', 'b', '1', 'cookie', 'c=1', 'c', '1'], 431],
  ])('rejects $0 with $2', (_what, section, status) => {
    expect(() => read(section)).toThrow(expect.objectContaining({ status, scope: 'stream' }))
  })

  it('accepts a request line of 100 bytes', () => {
    expect(read(change(':path', '/'.padEnd(87, 'a'))).target).toHaveLength(87)
  })
})

describe('readTrailers', () => {
  it('accepts fields', () => {
    expect(readTrailers(['x-sum', '1'])).toEqual(['x-sum', '1'])
  })

  it('discards fields that must not be passed to handlers', () => {
    expect(readTrailers(['host', 'b', 'x-sum', '1', 'authorization', 'c'])).toEqual(['x-sum', '1'])
  })

  it.each([
    ['a pseudo-header field', [':path', '/']],
    ['an uppercase name', ['X-Sum', '1']],
    ['transfer-encoding', ['transfer-encoding', 'chunked']],
    ['a line break', ['x', 'a\nb']],
  ])('rejects %s as malformed', (_what, section) => {
    expect(() => readTrailers(section)).toThrow(malformed)
  })
})
