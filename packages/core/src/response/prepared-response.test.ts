import { showValue } from '@fw/options'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { PreparedResponse } from './prepared-response.ts'

/** Returns the prepared response for a handler's result. */
function prepared(result: unknown, before?: (received: PreparedResponse) => void): PreparedResponse {
  const received = new PreparedResponse()
  before?.(received)
  received.take(result)
  return received
}

async function* pieces(): AsyncGenerator<string> {
  yield 'a'
}

describe('PreparedResponse.take', () => {
  it.each<[unknown, string | undefined, unknown]>([
    ['hello', 'text/plain; charset=utf-8', 'hello'],
    ['', 'text/plain; charset=utf-8', ''],
    [{ a: 1 }, 'application/json', '{"a":1}'],
    [[1, 'b'], 'application/json', '[1,"b"]'],
    [null, 'application/json', 'null'],
    [0, 'application/json', '0'],
    [false, 'application/json', 'false'],
    [new Date(0), 'application/json', '"1970-01-01T00:00:00.000Z"'],
    [Uint8Array.of(1, 2), 'application/octet-stream', Uint8Array.of(1, 2)],
  ])('converts %j to %s', (result, contentType, body) => {
    const received = prepared(result)
    expect(received.status).toBe(200)
    expect(received.headers.get('content-type')).toBe(contentType)
    expect(received.body).toEqual(body)
  })

  it.each([
    ['a ReadableStream', () => new ReadableStream<Uint8Array>()],
    ['an async generator', () => pieces()],
    ['a Node.js stream', () => Readable.from(['a'])],
  ])('streams %s', (_, make) => {
    const source = make()
    const received = prepared(source)
    expect(received.body).toBe(source)
    expect(received.headers.get('content-type')).toBe('application/octet-stream')
  })

  it('sets status 204 for undefined unless a status was set', () => {
    expect(prepared(undefined)).toMatchObject({ status: 204, body: null, fields: [] })
    const set = prepared(undefined, (received) => {
      received.status = 201
    })
    expect(set).toMatchObject({ status: 201, body: null })
  })

  it.each([0, 100, 199, 600, 999, 200.5, NaN, '201', null])('rejects %j as a status', (status) => {
    const received = new PreparedResponse()
    expect(() => (received.status = status as number)).toThrow(
      `response: status must be an integer from 200 to 599, got ${showValue(status)}.`,
    )
    expect(received.status).toBe(200)
  })

  it('keeps the prepared response for undefined', () => {
    const received = prepared(undefined, (before) => before.set('x', 'text/plain', { status: 201 }))
    expect(received).toMatchObject({ status: 201, body: 'x' })
  })

  it.each<[string, unknown]>([
    ['a function', () => {}],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a cycle', cycle()],
  ])('rejects %s', (_, result) => {
    expect(() => prepared(result)).toThrow(TypeError)
  })

  it('rejects a stream or Response that is already being read', async () => {
    const stream = new ReadableStream()
    stream.getReader()
    expect(() => prepared(stream)).toThrow(
      'response: body must be a stream without a reader, got a locked ReadableStream. Call reader.releaseLock() first.',
    )
    const response = new Response('x')
    await response.text()
    expect(() => prepared(response)).toThrow(
      'response: body of the Response must be unread, got one that was read or is locked. Read response.clone() instead.',
    )
    expect(() => prepared(Response.error())).toThrow(
      'response: Response must have a status, got Response.error(). Throw an error instead.',
    )
  })

  it('replaces the prepared status, fields and body with those of a Response', () => {
    const headers = new Headers([
      ['x-a', 'new'],
      ['set-cookie', 'b=2'],
      ['set-cookie', 'c=3'],
    ])
    const response = new Response('x', { status: 418, headers })
    const received = prepared(response, ({ headers: before }) => {
      before.set('x-a', 'old')
      before.set('x-b', 'kept')
      before.append('set-cookie', 'a=1')
    })
    expect(received.status).toBe(418)
    expect(received.body).toBe(response.body)
    expect(received.headers.get('x-a')).toBe('new')
    expect(received.headers.get('x-b')).toBe('kept')
    expect(received.headers.getAll('set-cookie')).toEqual(['a=1', 'b=2', 'c=3'])
    expect(received.headers.get('content-type')).toBe('text/plain;charset=UTF-8')
  })
})

describe('the content type of a PreparedResponse', () => {
  it('keeps the values that were set', () => {
    const received = prepared('a,b', ({ headers }) => headers.set('content-type', 'text/csv'))
    expect(received.fields).toEqual(['content-type', 'text/csv'])
  })

  it('changes when the body is replaced', () => {
    const received = prepared('text')
    expect(received.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    received.take({})
    expect(received.headers.get('content-type')).toBe('application/json')
    received.set(null, undefined)
    expect(received.headers.has('content-type')).toBe(false)
  })

  it('appears in fields before and after an access to headers', () => {
    expect(prepared('x').fields).toEqual(['content-type', 'text/plain; charset=utf-8'])
    const asked = prepared('x')
    expect([...asked.headers]).toEqual([['content-type', 'text/plain; charset=utf-8']])
    expect(asked.fields).toEqual(['content-type', 'text/plain; charset=utf-8'])
  })

  it('appears on first access after the head was sent, and is not reported as a late change', () => {
    const changes: string[] = []
    const sender = { headSent: false, onLateChange: (what: string) => void changes.push(what) }
    const received = new PreparedResponse(sender)
    received.take('x')
    sender.headSent = true
    expect(received.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(changes).toEqual([])
    received.headers.set('content-type', 'text/csv')
    expect(received.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(changes).toEqual(['field content-type was changed'])
  })
})

describe('PreparedResponse.status', () => {
  it.each([99, 100, 199, 1000, 200.5, NaN])('rejects %s', (status) => {
    const received = new PreparedResponse()
    expect(() => {
      received.status = status
    }).toThrow(RangeError)
    expect(received).toMatchObject({ status: 200, hasStatus: false })
  })
})

describe('PreparedResponse.abandonBody', () => {
  it('deletes the fields that describe the body and keeps the others', () => {
    const received = prepared('x')
    for (const name of ['content-encoding', 'content-length', 'etag', 'last-modified', 'x-id', 'vary']) {
      received.headers.set(name, '1')
    }
    received.headers.set('content-security-policy', `default-src 'none'`)
    received.abandonBody()
    expect(received.hasBody).toBe(false)
    expect([...received.headers].map(([name]) => name)).toEqual(['x-id', 'vary', 'content-security-policy'])
  })

  it.each([
    ['public, max-age=31536000', null],
    ['no-store', 'no-store'],
    ['private, max-age=60', 'private, max-age=60'],
  ])('changes cache-control %j to %j', (before, after) => {
    const received = new PreparedResponse()
    received.headers.set('cache-control', before)
    received.abandonBody()
    expect(received.headers.get('cache-control')).toBe(after)
  })

  it('releases an unread source', async () => {
    const ended: string[] = []
    const stream = new ReadableStream({ cancel: () => void ended.push('stream') })
    const readable = Readable.from(['x'])
    readable.on('close', () => ended.push('readable'))
    for (const source of [stream, readable]) prepared(source).abandonBody()
    const replaced = prepared(new ReadableStream({ cancel: () => void ended.push('replaced') }))
    replaced.take('text')
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended.sort()).toEqual(['readable', 'replaced', 'stream'])
  })
})

function cycle(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}
