import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { PreparedAnswer } from './prepared-response.ts'

/** The answer that a handler's result becomes. */
function prepared(result: unknown, before?: (answer: PreparedAnswer) => void): PreparedAnswer {
  const answer = new PreparedAnswer()
  before?.(answer)
  answer.take(result)
  return answer
}

async function* pieces(): AsyncGenerator<string> {
  yield 'a'
}

describe('PreparedAnswer: what a handler returns', () => {
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
  ])('%j becomes %s', (result, contentType, body) => {
    const answer = prepared(result)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(contentType)
    expect(answer.body).toEqual(body)
  })

  it.each([
    ['a ReadableStream', () => new ReadableStream<Uint8Array>()],
    ['an async generator', () => pieces()],
    ['a Node.js stream', () => Readable.from(['a'])],
  ])('%s is streamed', (_, make) => {
    const source = make()
    const answer = prepared(source)
    expect(answer.body).toBe(source)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  })

  it('nothing is 204, unless a status was set', () => {
    expect(prepared(undefined)).toMatchObject({ status: 204, body: null, fields: [] })
    const set = prepared(undefined, (answer) => {
      answer.status = 201
    })
    expect(set).toMatchObject({ status: 201, body: null })
  })

  it.each([0, 100, 199, 600, 999, 200.5, NaN, '201', null])('refuses %j as a status', (status) => {
    const answer = new PreparedAnswer()
    expect(() => (answer.status = status as number)).toThrow(`status ${JSON.stringify(status)}: a final status`)
    expect(answer.status).toBe(200)
  })

  it('nothing leaves an answer as it was given', () => {
    const answer = prepared(undefined, (before) => before.set('x', 'text/plain', { status: 201 }))
    expect(answer).toMatchObject({ status: 201, body: 'x' })
  })

  it.each<[string, unknown]>([
    ['a function', () => {}],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a cycle', cycle()],
  ])('%s is refused', (_, result) => {
    expect(() => prepared(result)).toThrow(TypeError)
  })

  it('refuses streams and Responses that are being read already', async () => {
    const stream = new ReadableStream()
    stream.getReader()
    expect(() => prepared(stream)).toThrow('being read already')
    const response = new Response('x')
    await response.text()
    expect(() => prepared(response)).toThrow('being read already')
    expect(() => prepared(Response.error())).toThrow('no status')
  })

  it('takes status, fields and body of a Response, over those prepared', () => {
    const headers = new Headers([
      ['x-a', 'new'],
      ['set-cookie', 'b=2'],
      ['set-cookie', 'c=3'],
    ])
    const response = new Response('x', { status: 418, headers })
    const answer = prepared(response, ({ headers: before }) => {
      before.set('x-a', 'old')
      before.set('x-b', 'kept')
      before.append('set-cookie', 'a=1')
    })
    expect(answer.status).toBe(418)
    expect(answer.body).toBe(response.body)
    expect(answer.headers.get('x-a')).toBe('new')
    expect(answer.headers.get('x-b')).toBe('kept')
    expect(answer.headers.getAll('set-cookie')).toEqual(['a=1', 'b=2', 'c=3'])
    expect(answer.headers.get('content-type')).toBe('text/plain;charset=UTF-8')
  })
})

describe('PreparedAnswer: content types', () => {
  it('keeps one that was set', () => {
    const answer = prepared('a,b', ({ headers }) => headers.set('content-type', 'text/csv'))
    expect(answer.fields).toEqual(['content-type', 'text/csv'])
  })

  it('forgets the one of a body that was replaced', () => {
    const answer = prepared('text')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    answer.take({})
    expect(answer.headers.get('content-type')).toBe('application/json')
    answer.set(null, undefined)
    expect(answer.headers.has('content-type')).toBe(false)
  })

  it('shows it among the fields, asked for or not', () => {
    expect(prepared('x').fields).toEqual(['content-type', 'text/plain; charset=utf-8'])
    const asked = prepared('x')
    expect([...asked.headers]).toEqual([['content-type', 'text/plain; charset=utf-8']])
    expect(asked.fields).toEqual(['content-type', 'text/plain; charset=utf-8'])
  })

  it('shows it to who asks only after the head was sent, which is no late change', () => {
    const changes: string[] = []
    const sender = { headSent: false, onLateChange: (what: string) => void changes.push(what) }
    const answer = new PreparedAnswer(sender)
    answer.take('x')
    sender.headSent = true
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(changes).toEqual([])
    answer.headers.set('content-type', 'text/csv')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(changes).toEqual(['field content-type'])
  })
})

describe('PreparedAnswer: statuses', () => {
  it.each([99, 100, 199, 1000, 200.5, NaN])('refuses %s', (status) => {
    const answer = new PreparedAnswer()
    expect(() => {
      answer.status = status
    }).toThrow(RangeError)
    expect(answer).toMatchObject({ status: 200, hasStatus: false })
  })
})

describe('PreparedAnswer: giving up a body', () => {
  it('drops what describes the body and keeps the rest', () => {
    const answer = prepared('x')
    for (const name of ['content-encoding', 'content-length', 'etag', 'last-modified', 'x-id', 'vary']) {
      answer.headers.set(name, '1')
    }
    answer.headers.set('content-security-policy', `default-src 'none'`)
    answer.abandonBody()
    expect(answer.hasBody).toBe(false)
    expect([...answer.headers].map(([name]) => name)).toEqual(['x-id', 'vary', 'content-security-policy'])
  })

  it.each([
    ['public, max-age=31536000', null],
    ['no-store', 'no-store'],
    ['private, max-age=60', 'private, max-age=60'],
  ])('makes cache-control %j into %j', (before, after) => {
    const answer = new PreparedAnswer()
    answer.headers.set('cache-control', before)
    answer.abandonBody()
    expect(answer.headers.get('cache-control')).toBe(after)
  })

  it('lets go of a source that was not read', async () => {
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
