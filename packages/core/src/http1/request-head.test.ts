import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { readRequestHead, requestLineOf, type RequestHead } from './request-head.ts'
import { Http1Headers } from './headers.ts'

const parse = (wire: string, limits = DEFAULT_LIMITS): RequestHead | undefined =>
  readRequestHead(Buffer.from(wire, 'latin1'), limits)
const line = (length: number): string => `GET /${'a'.repeat(length - 14)} HTTP/1.1`
const get = (fields: string): string => `GET / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

function statusOf(act: () => unknown): number | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as ProtocolError).status
  }
}

/** Returns the head, the reason for its rejection, or `undefined` for an incomplete head. */
function outcome(bytes: Buffer, seenBytes?: number): unknown {
  try {
    return readRequestHead(bytes, DEFAULT_LIMITS, undefined, seenBytes)
  } catch (error) {
    return (error as ProtocolError).message
  }
}

describe('readRequestHead', () => {
  it('returns the method, the target, the fields and the end of the head', () => {
    const wire = 'POST /a?b HTTP/1.1\r\nHost: x:80\r\nContent-Length: 3\r\n\r\nabc'
    expect(parse(wire)).toEqual({
      text: wire.slice(0, -3),
      method: 'POST',
      target: '/a?b',
      authority: 'x:80',
      fields: {
        minor: 1,
        headers: new Http1Headers('Host: x:80\r\nContent-Length: 3\r\n'),
        host: 'x:80',
        contentLength: '3',
        transferEncoding: undefined,
        expect: undefined,
        keepAlive: true,
        count: 2,
      },
      framing: { kind: 'length', length: 3 },
      expectsContinue: false,
      end: wire.length - 3,
    })
  })

  it('returns undefined for every truncation of a valid head', () => {
    const wire = '\r\nGET http://h/ HTTP/1.1\r\nHost: h\r\nX-A: \xe9\t1 \r\nEmpty:\r\n\r\n'
    for (let end = 0; end < wire.length; end++) expect(parse(wire.slice(0, end))).toBeUndefined()
    expect(parse(wire)).toMatchObject({ target: 'http://h/', authority: 'h' })
  })

  it.each([
    ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', { fields: { minor: 1, keepAlive: true } }],
    ['GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n', { fields: { keepAlive: false } }],
    ['GET / HTTP/1.0\r\n\r\n', { authority: '', fields: { minor: 0, keepAlive: false } }],
    ['GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n', { fields: { keepAlive: true } }],
    ['GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n', { fields: { keepAlive: false } }],
    ['GET / HTTP/1.0\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n', { fields: { keepAlive: false } }],
    ['GET / HTTP/1.1\r\nHost: a\r\nConnection: closed, x-close\r\n\r\n', { fields: { keepAlive: true } }],
    ['GET / HTTP/1.1\r\nHost: a\r\nConnection:\r\nConnection:, ,\tCLOSE ,\r\n\r\n', { fields: { keepAlive: false } }],
    ['GET http://b:1/x HTTP/1.1\r\nHost: a\r\n\r\n', { authority: 'b:1' }],
    ['GET HTTPS://b HTTP/1.1\r\nHost: a\r\n\r\n', { authority: 'b' }],
    ['GET http://b?c HTTP/1.0\r\n\r\n', { authority: 'b', target: 'http://b?c' }],
    ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', { authority: 'a:443' }],
    ['OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', { target: '*' }],
    ['GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n', { authority: '[::1]:8080' }],
    ['FOO / HTTP/1.1\r\nhOST: a\r\n\r\n', { method: 'FOO', authority: 'a' }],
    ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n', { expectsContinue: true }],
    ['GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n', { expectsContinue: false }],
  ])('accepts %j', (wire, want) => {
    expect(parse(wire)).toMatchObject(want)
  })

  it.each([
    ['GET http://b/ HTTP/1.1\r\nA: 1\r\nhOst: \t a \r\nB: 2\r\n\r\n', 'b'],
    ['GET http://A/ HTTP/1.1\r\nA: 1\r\nHost: a\r\nB: 2\r\n\r\n', 'A'],
    ['CONNECT b:1 HTTP/1.1\r\nA: 1\r\nHost:a\r\nB: 2\r\n\r\n', 'b:1'],
    ['GET http://b:1/ HTTP/1.0\r\nA: 1\r\nHost: a\r\nB: 2\r\n\r\n', 'b:1'],
  ])('replaces Host with the authority of the target in %j', (wire, host) => {
    const head = parse(wire)
    expect([head?.authority, head?.fields.host]).toEqual([host, host])
    expect([...(head?.fields.headers ?? [])]).toEqual([
      ['a', '1'],
      ['host', host],
      ['b', '2'],
    ])
  })

  const refused: [status: number, wire: string][] = [
    // Line endings that only some receivers accept.
    [400, 'GET / HTTP/1.1\nHost: a\n\n'],
    [400, 'GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n'],
    [400, '\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, '\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    // Request line.
    [400, 'GET  / HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET / HTTP/1.1 \r\nHost: a\r\n\r\n'],
    [400, ' GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'G(T / HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET /\r\n\r\n'],
    [400, 'GET / http/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET / HTTP/1.10\r\nHost: a\r\n\r\n'],
    [505, 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'],
    [505, 'GET / HTTP/1.2\r\nHost: a\r\n\r\n'],
    [505, 'GET / HTTP/0.9\r\nHost: a\r\n\r\n'],
    // Targets.
    [400, 'GET a HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET * HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET http:// HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET http://u@h/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'GET ftp://h/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n'],
    // Host.
    [400, 'GET / HTTP/1.1\r\n\r\n'],
    [400, get('Host: a\r\n')],
    [400, 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: a,b\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: u@a\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: [1::2::3]\r\n\r\n'],
    [400, 'GET / HTTP/1.0\r\nHost: a b\r\n\r\n'],
    // Fields.
    [400, get('X : b\r\n')],
    [400, get(' X: b\r\n')],
    [400, get('X: a\r\n b\r\n')],
    [400, get('X\r\n')],
    [400, get(': b\r\n')],
    [400, get('X(: b\r\n')],
    [400, get('X: \0\r\n')],
    [400, get('X: \x7f\r\n')],
    // Framing and expectations.
    [400, get('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')],
    [400, get('Content-Length: 1\r\nContent-Length: 2\r\n')],
    [400, get('Content-Length: -1\r\n')],
    [501, get('Transfer-Encoding: gzip, chunked\r\n')],
    [400, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n'],
    [417, get('Expect: tea\r\n')],
    [417, get('Expect: tea\r\nExpect: 100-continue\r\n')],
    [417, get('Expect: 100-continue\r\nExpect: tea\r\n')],
    [501, get('Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n')],
    [501, get('Transfer-Encoding: chunked, chunked\r\n')],
    [501, get('Transfer-Encoding: ,chunked\r\n')],
    [400, get('Transfer-Encoding: chunked,\r\n')],
    [400, get('Transfer-Encoding:\r\n')],
  ]
  it.each(refused)('rejects with status %i: %j', (status, wire) => {
    expect(() => parse(wire)).toThrow(expect.objectContaining({ name: ProtocolError.name, status }))
  })

  it.each([
    'GET / HTTP/1.1\nHost: a',
    'GET / HTTP/1.1\r\nHost: a\rb',
    'GET /\0',
    '\x16\x03\x01\x02\0\x01',
    'GET /\r\nHost: a\r\n',
  ])('rejects %j before the head is complete', (wire) => {
    expect(() => parse(wire)).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('readRequestHead after another head on the same connection', () => {
  const first = 'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n'
  const previous = parse(first)
  const again = (wire: string): RequestHead | undefined =>
    readRequestHead(Buffer.from(wire, 'latin1'), DEFAULT_LIMITS, previous)

  it.each([
    ['the same head', first],
    ['the same head followed by a body', `${first}abc`],
    ['the same head followed by a part of the next', `${first}abcGET / HT`],
    ['the same fields for another target', first.replace('/a', '/b')],
    ['the same fields in another version', first.replace('1.1', '1.0')],
    ['different fields', first.replace('3', '4')],
    ['an empty line before it', `\r\n${first}`],
    ['a shorter head', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('parses %s like a first head', (_, wire) => {
    expect(again(wire)).toEqual(parse(wire))
  })

  it.each(['', '\r\n', '\r\n\r\n'])('returns the end of the head if %j preceded the previous one', (lines) => {
    const before = parse(`${lines}${first}`)
    for (const now of ['', '\r\n', '\r\n\r\n']) {
      const head = readRequestHead(Buffer.from(`${now}${first}abc`), DEFAULT_LIMITS, before)
      expect(head).toEqual(parse(`${now}${first}abc`))
    }
  })

  it('returns undefined for every truncation', () => {
    for (let end = 0; end < first.length; end++) expect(again(first.slice(0, end))).toBeUndefined()
  })

  it.each([
    [400, first.replace('POST', 'CONNECT')],
    [400, first.replace('/a', 'a')],
    [400, first.replace('Content-Length: 3', 'Content-Length: 3\r\nTransfer-Encoding: chunked')],
    [400, first.replace('Host: a', 'Host : a')],
    [505, first.replace('1.1', '2.0')],
  ])('rejects with status %i: %j', (status, wire) => {
    expect(statusOf(() => again(wire))).toBe(status)
  })

  it('parses heads of about 1 KiB like any other: alone, repeated or before more requests', () => {
    const rest = `abc${first.repeat(100)}`
    const before = get('').length + 'A: \r\n'.length
    for (let length = 1018; length < 1034; length++) {
      const wire = get(`A: ${'b'.repeat(length - before)}\r\n`)
      const head = parse(wire)
      expect(head).toMatchObject({ text: wire, target: '/', end: length })
      expect(parse(wire + rest)).toEqual(head)
      for (const behind of ['', rest]) {
        expect(readRequestHead(Buffer.from(wire + behind), DEFAULT_LIMITS, head)).toBe(head)
        expect(readRequestHead(Buffer.from(wire.replace('b', 'c') + behind), DEFAULT_LIMITS, head)?.end).toBe(length)
        expect(readRequestHead(Buffer.from(wire + behind), DEFAULT_LIMITS, undefined, length - 3)).toEqual(head)
      }
      expect(parse(wire.slice(0, -1))).toBeUndefined()
    }
  })

  it('returns Host as received after a head whose target replaced it', () => {
    const replaced = parse('GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n')
    const read = (wire: string): RequestHead | undefined => readRequestHead(Buffer.from(wire), DEFAULT_LIMITS, replaced)
    for (const host of ['a', 'b']) {
      const wire = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`
      expect(read(wire)).toEqual(parse(wire))
      expect(read(wire)?.fields.headers.get('host')).toBe(host)
    }
  })

  it('reuses a repeated head or repeated fields', () => {
    expect(again(`${first}abc`)).toBe(previous)
    expect(again(first.replace('/a', '/b'))?.fields).toBe(previous?.fields)
  })
})

describe('readRequestHead with a head that arrives in pieces', () => {
  const fields = (count: number): string => get('a:\r\n'.repeat(count - 1))
  const wires = [
    get(''),
    get('Content-Length: 3\r\n') + 'abc',
    `\r\n\r\n${get('X-A: \xe9\t1 \r\nEmpty:\r\n')}`,
    fields(100),
    fields(101),
    fields(110).slice(0, -2),
    fields(110).replace('a:', 'a'),
    `${line(8000)}\r\nHost: a\r\n\r\n`,
    `${line(8001)}\r\nHost: a\r\n\r\n`,
    get(`A: ${'b'.repeat(DEFAULT_LIMITS.maxHeadBytes - 34)}\r\n`),
    get(`A: ${'b'.repeat(DEFAULT_LIMITS.maxHeadBytes - 33)}\r\n`),
    get('A: b\n'),
    get('A: b\rc\r\n'),
    get('A: \0\r\n'),
    get('A\r\n'),
    get(' folded\r\n'),
    'GET / HTTP/1.1\r\nHost: a\r\n\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\r\n\r\n',
    'GET / HTTP/1.1\n\r\nHost: a\r\n\r\n',
    'GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET / HTTP/3.0\r\nHost: a\r\n\r\n',
    '\r\n\r\n\r\nGET / HTTP/1.1\r\n',
  ]
  it('returns the same result for every piece with and without seenBytes', () => {
    const pieces = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 20_000 })))
    fc.assert(
      fc.property(fc.constantFrom(...wires), pieces, (wire, lengths) => {
        const bytes = Buffer.from(wire, 'latin1')
        let seen = 0
        for (const length of [...lengths, bytes.length]) {
          const end = Math.min(bytes.length, seen + length)
          const found = outcome(bytes.subarray(0, end), seen)
          expect(found).toEqual(outcome(bytes.subarray(0, end)))
          if (found !== undefined) return
          seen = end
        }
      }),
      { numRuns: 1000 },
    )
  })

  it.each(wires.filter(({ length }) => length < 500))(
    'returns the same result for %j byte by byte and in one piece',
    (wire) => {
      const bytes = Buffer.from(wire, 'latin1')
      let found: unknown
      for (let seen = 0; seen < bytes.length && found === undefined; seen++) {
        found = outcome(bytes.subarray(0, seen + 1), seen)
        expect(found).toEqual(outcome(bytes.subarray(0, seen + 1)))
      }
      expect(typeof found === 'string').toBe(typeof outcome(bytes) === 'string')
    },
  )
})

describe('a head limit', () => {
  it('rejects too many fields before the head is complete', () => {
    expect(statusOf(() => parse(get('a:\r\n'.repeat(99))))).toBeUndefined()
    expect(statusOf(() => parse(get('a:\r\n'.repeat(100))))).toBe(431)
    expect(statusOf(() => parse(get('a:\r\n'.repeat(99)).slice(0, -2)))).toBeUndefined()
    expect(statusOf(() => parse(get('a:\r\n'.repeat(100)).slice(0, -2)))).toBe(431)
  })

  const limits = { maxHeadBytes: 100, maxRequestLineBytes: 40, maxFields: 3 }

  it.each([
    [40, undefined],
    [41, 414],
  ])('checks a request line of %i bytes: status %s', (length, status) => {
    const wire = `${line(length)}\r\nHost: a\r\n\r\n`
    expect(statusOf(() => readRequestHead(Buffer.from(wire), limits))).toBe(status)
    // An unterminated line must not bypass the limit.
    expect(statusOf(() => readRequestHead(Buffer.from(wire.slice(0, length)), limits))).toBe(status)
  })

  it.each([
    [100, undefined],
    [101, 431],
  ])('checks a head of %i bytes: status %s', (length, status) => {
    const start = 'GET / HTTP/1.1\r\nHost: a\r\nX: '
    const wire = `${start}${'b'.repeat(length - start.length - 4)}\r\n\r\n`
    expect(statusOf(() => readRequestHead(Buffer.from(wire), limits))).toBe(status)
    expect(statusOf(() => readRequestHead(Buffer.from(`${wire}body of any length`), limits))).toBe(status)
  })

  it('rejects an incomplete head as soon as it is too large', () => {
    const wire = `GET / HTTP/1.1\r\nX: ${'b'.repeat(100)}`
    expect(statusOf(() => readRequestHead(Buffer.from(wire), limits))).toBe(431)
  })

  it.each([
    [3, undefined],
    [4, 431],
  ])('checks a head with %i fields: status %s', (count, status) => {
    const wire = `GET / HTTP/1.1\r\nHost: a\r\n${'X: b\r\n'.repeat(count - 1)}\r\n`
    expect(statusOf(() => readRequestHead(Buffer.from(wire), limits))).toBe(status)
  })
})

describe('requestLineOf', () => {
  it.each([
    ['GET /x HTTP/1.1\r\nHost : a\r\n', ['GET', '/x']],
    ['PRI * HTTP/2.0\r\n', ['PRI', '*']],
    ['GET /\xe9 b\0 HTTP/1.1\r\n', ['GET', '/\xe9 b\0']],
    ['GET /x', [undefined, undefined]],
    ['GET /x HTTP/1.1\nHost: HTTP/1.1\r\n', [undefined, undefined]],
    ['G@T /x HTTP/1.1\r\n', [undefined, undefined]],
    ['\x16\x03', [undefined, undefined]],
  ])('reads %j as %j', (wire, want) => {
    expect(requestLineOf(Buffer.from(wire, 'latin1'))).toEqual(want)
  })
})
