import { describe, expect, it } from 'vitest'
import { HttpError, type HttpErrorOptions } from './http-error.ts'

const make = (options: unknown) => (): HttpError => new HttpError(400, 'wrong', options as HttpErrorOptions)

describe('HttpError', () => {
  it.each<[unknown, string]>([
    [{ header: {} }, 'HttpError: unknown option "header". Did you mean "headers"? Known options: cause, headers, type'],
    [{ detail: 'x' }, 'HttpError: unknown option "detail". Use the second argument instead.'],
    [{ errors: [] }, 'HttpError: unknown option "errors". Use extensions: { errors } instead.'],
    [
      { type: 7 },
      'HttpError: option "type" must be a string, got 7. Write a URI reference, or omit it for about:blank.',
    ],
    [{ extensions: 'x' }, 'HttpError: option "extensions" must be an object, got "x". Write, for example, {'],
    [{ extensions: [1] }, 'HttpError: option "extensions" must be an object, got an array.'],
    [{ headers: { 'a b': 'c' } }, 'a b'],
    ['cause', 'HttpError: options must be an object, got "cause".'],
    [null, 'HttpError: options must be an object, got null.'],
  ])('rejects the options %j with a TypeError', (options, message) => {
    expect(make(options)).toThrow(TypeError)
    expect(make(options)).toThrow(message)
  })

  it.each<HttpErrorOptions>([
    {},
    { cause: undefined },
    { cause: new Error('x'), headers: { allow: 'GET' }, type: '/problems/x', extensions: { a: 1 } },
  ])('accepts the options %j', (options) => {
    expect(make(options)()).toMatchObject({ status: 400, message: 'wrong', ...options })
  })

  it.each([200, 399, 600, NaN, 400.5])('rejects status %d with a RangeError', (status) => {
    expect(() => new HttpError(status)).toThrow(RangeError)
  })
})
