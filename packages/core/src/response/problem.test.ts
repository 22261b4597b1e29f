import { describe, expect, it } from 'vitest'
import { HttpError, isHttpError } from './http-error.ts'
import { problemDocument, problemOf } from './problem.ts'
import { ProtocolError } from '../engine/errors.ts'

const named = (name: string, status: unknown): Error => Object.assign(new Error('x'), { name, status })
const marked = (status: unknown): Error =>
  Object.assign(new Error('x'), { [Symbol.for('@fw/core: HttpError')]: true, status })

describe('HttpError', () => {
  it('stores the given status, message and options', () => {
    const cause = new Error('inner')
    const error = new HttpError(410, 'moved', { cause, type: '/gone', headers: { 'x-a': 'b' }, extensions: { n: 1 } })
    expect(error).toMatchObject({ name: 'HttpError', status: 410, message: 'moved', cause, type: '/gone' })
    expect(error).toMatchObject({ headers: { 'x-a': 'b' }, extensions: { n: 1 } })
  })

  it('uses the phrase of its status as the default message', () => {
    expect(new HttpError(404).message).toBe('Not Found')
  })

  it.each([200, 399, 600, 404.5, NaN])('rejects status %s', (status) => {
    expect(() => new HttpError(status)).toThrow(RangeError)
  })

  it('rejects fields that cannot be sent', () => {
    expect(() => new HttpError(400, 'x', { headers: { 'x-a': 'b\r\nc: d' } })).toThrow(TypeError)
    expect(() => new HttpError(400, 'x', { headers: { 'retry-after': 5 as never } })).toThrow(
      'value of field "retry-after" must be a string, got a number.',
    )
  })
})

describe('isHttpError', () => {
  it.each<[unknown, boolean]>([
    [new HttpError(404), true],
    [new (class NotFound extends HttpError {})(404), true],
    [marked(400), true],
    [marked(599), true],
    [marked(399), false],
    [marked('404'), false],
    [named('HttpError', 404), false],
    [named('Error', 404), false],
    [Object.assign(new Error('x'), new HttpError(404)), false],
    [{ [Symbol.for('@fw/core: HttpError')]: true, status: 404 }, false],
    [new ProtocolError(400, 'x'), false],
    [{ name: 'HttpError', status: 404 }, false],
    [null, false],
  ])('reports whether %s is an HttpError: %s', (error, expected) => {
    expect(isHttpError(error)).toBe(expected)
  })
})

describe('problemOf', () => {
  it.each<[unknown, object]>([
    [new HttpError(403, 'not you'), { status: 403, detail: 'not you' }],
    [new HttpError(403), { status: 403, detail: undefined }],
    [new ProtocolError(408, 'too slow'), { status: 408, detail: 'too slow' }],
    [new Error('secret'), { status: 500 }],
    ['secret', { status: 500 }],
    [undefined, { status: 500 }],
  ])('converts %s to %j', (error, problem) => {
    expect(problemOf(error)).toMatchObject(problem)
    expect(JSON.stringify(problemOf(error))).not.toContain('secret')
  })
})

describe('problemDocument', () => {
  it('writes the members of RFC 9457', () => {
    const { contentType, body } = problemDocument(
      { status: 422, detail: 'no', type: '/invalid', extensions: { errors: [1], status: 200 } },
      null,
    )
    expect(contentType).toBe('application/problem+json')
    expect(JSON.parse(body)).toEqual({
      type: '/invalid',
      title: 'Unprocessable Content',
      status: 422,
      detail: 'no',
      errors: [1],
    })
    expect(JSON.parse(problemDocument({ status: 599 }, null).body)).toEqual({
      type: 'about:blank',
      title: 'Error 599',
      status: 599,
    })
  })

  it.each<[string | null, 'json' | 'text']>([
    [null, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
    ['text/plain', 'text'],
    ['text/*', 'text'],
    ['TEXT/PLAIN ; Q=0.5', 'text'],
    ['text/plain, */*;q=0.1', 'text'],
    ['text/plain, */*', 'json'],
    ['text/plain, application/json', 'json'],
    ['text/plain;q=0.5, application/json;q=0.6', 'json'],
    ['text/plain;q=0.6, application/problem+json;q=0.5', 'text'],
    ['application/*;q=0, */*', 'text'],
    ['text/plain;q=0', 'json'],
    ['text/plain;q=2', 'json'],
    ['image/png', 'json'],
  ])('responds to Accept %j with %s', (accept, form) => {
    const { contentType, body } = problemDocument({ status: 404, detail: 'gone' }, accept)
    expect(contentType).toBe(form === 'json' ? 'application/problem+json' : 'text/plain; charset=utf-8')
    expect(body).toMatch(form === 'json' ? /^\{.*\}$/ : /^Not Found: gone\n$/)
  })
})
