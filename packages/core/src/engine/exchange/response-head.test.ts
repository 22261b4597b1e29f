import { describe, expect, it } from 'vitest'
import { responseHead } from './response-head.ts'

describe('responseHead', () => {
  const cases: [method: string, status: number, fields: string[], bodyLength: number | undefined, want: object][] = [
    ['GET', 200, [], 5, { contentLength: 5, allowsBody: true }],
    ['GET', 200, [], undefined, { contentLength: undefined, allowsBody: true }],
    ['GET', 200, ['content-length', '9'], undefined, { contentLength: 9, allowsBody: true }],
    ['HEAD', 200, [], 5, { contentLength: 5, allowsBody: false }],
    ['HEAD', 200, ['content-length', '9'], 0, { contentLength: 9, allowsBody: false }],
    ['HEAD', 200, [], undefined, { contentLength: undefined, allowsBody: false }],
    ['GET', 204, ['content-length', '9'], undefined, { contentLength: undefined, allowsBody: false }],
    ['GET', 205, [], 0, { contentLength: 0, allowsBody: false }],
    ['GET', 304, [], 0, { contentLength: undefined, allowsBody: false }],
    ['GET', 304, ['content-length', '9'], 0, { contentLength: 9, allowsBody: false }],
    ['CONNECT', 200, ['content-length', '9'], 9, { contentLength: undefined, allowsBody: false }],
    ['CONNECT', 205, [], 0, { contentLength: undefined, allowsBody: false }],
    ['CONNECT', 405, [], 5, { contentLength: 5, allowsBody: true }],
  ]
  it.each(cases)(
    'frames the response to %s: %i %j with a body of %s bytes',
    (method, status, fields, bodyLength, want) => {
      expect(responseHead(method, status, fields, bodyLength)).toMatchObject(want)
    },
  )

  it('removes framing fields, and reports "connection: close"', () => {
    const fields = ['a', '1', 'connection', 'x, Close', 'transfer-encoding', 'chunked', 'upgrade', 'h2c', 'b', '2']
    expect(responseHead('GET', 200, fields, 0)).toMatchObject({ fields: ['a', '1', 'b', '2'], close: true })
    expect(responseHead('GET', 200, ['connection', 'closed'], 0)).toMatchObject({ fields: [], close: false })
  })

  it('reports whether the fields contain a date', () => {
    expect(responseHead('GET', 200, ['date', 'now'], 0).hasDate).toBe(true)
    expect(responseHead('GET', 200, [], 0).hasDate).toBe(false)
  })

  it.each([
    [199, [], 0, RangeError],
    [101, [], 0, RangeError],
    [600, [], 0, RangeError],
    [200.5, [], 0, RangeError],
    [200, ['a b', '1'], 0, TypeError],
    [200, ['', '1'], 0, TypeError],
    [200, ['Content-Length', '1', 'Transfer-Encoding', 'chunked'], 6, TypeError],
    [200, ['a', '1\r\nb: 2'], 0, TypeError],
    [200, ['a', '\0'], 0, TypeError],
    [200, ['a', '\u2028'], 0, TypeError],
    [200, ['etag', '"1"', 'a', '1', 'etag', '"1"'], 0, TypeError],
    [200, ['content-length', 'x'], undefined, TypeError],
    [200, ['content-length', '1', 'content-length', '2'], undefined, TypeError],
    [200, ['content-length', '4'], 5, TypeError],
  ])('rejects status %s with fields %j and %s bytes', (status, fields, bodyLength, error) => {
    expect(() => responseHead('GET', status, fields, bodyLength)).toThrow(error)
  })
})
