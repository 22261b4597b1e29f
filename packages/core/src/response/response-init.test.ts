import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { HttpError } from './http-error.ts'

/** Returns the error that `ctx.json({}, init)` reports. */
async function errorOf(init: unknown): Promise<string> {
  const errors: unknown[] = []
  const app = new App({ onError: (_, error) => errors.push(error) })
  app.router.get('/', (ctx) => ctx.json({}, init as never))
  expect((await app.fetch('/')).status).toBe(500)
  return String(errors)
}

const plain = (got: string): string =>
  `response: headers must be a plain object, got ${got}. Write { name: value }, or Object.fromEntries(headers).`

describe('the init of a response', () => {
  it.each([
    [201, 'TypeError: response: init must be an object, got 201. Write { status: 201 } or { headers }.'],
    ['x', 'TypeError: response: init must be an object, got "x". Write { status: 201 } or { headers }.'],
    [null, 'TypeError: response: init must be an object, got null. Write { status: 201 } or { headers }.'],
  ])('cannot be %j', async (init, message) => {
    expect(await errorOf(init)).toBe(message)
  })

  it.each<[unknown, string]>([
    [new Headers({ a: 'b' }), 'a Headers'],
    [[['a', 'b']], 'an array'],
    [new Map([['a', 'b']]), 'a Map'],
    ['a: b', 'a string'],
    [null, 'null'],
  ])('cannot contain headers in the form %o', async (headers, got) => {
    expect(await errorOf({ headers })).toBe(`TypeError: ${plain(got)}`)
  })

  it('cannot contain a Headers object in an HttpError', () => {
    expect(() => new HttpError(401, 'no', { headers: new Headers() as never })).toThrow(
      expect.objectContaining({ name: 'TypeError', message: plain('a Headers') }),
    )
  })

  it('sets the status and fields', async () => {
    const app = new App()
    app.router.get('/', (ctx) => ctx.json({}, { status: 201, headers: { location: '/1' } }))
    const { status, headers } = await app.fetch('/')
    expect([status, headers.get('location')]).toEqual([201, '/1'])
  })
})
