import type { Handler } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { HttpError } from './http-error.ts'

/** Returns the response for a result, and the reported error. */
async function respond(result: Handler): Promise<readonly [status: number, text: string, report: string]> {
  let report = ''
  const app = new App({ onError: (_, error) => (report = String(error)) })
  app.router.get('/', result)
  const response = await app.fetch('/')
  return [response.status, await response.text(), report]
}

describe("a handler's result", () => {
  it('causes an error response if it is an error', async () => {
    const [status, text, report] = await respond(() => Object.assign(new Error('secret'), { code: 'SECRET' }))
    expect([status, report]).toEqual([500, 'Error: secret'])
    expect(text).not.toMatch(/secret/i)
    expect((await respond(() => new HttpError(404, 'No such user')))[1]).toContain('No such user')
  })

  it.each<[what: string, hint: string, make: Handler]>([
    ['Blob', 'new Response(…)', () => new Blob(['x'])],
    ['FormData', 'new Response(…)', () => new FormData()],
    ['URLSearchParams', 'new Response(…)', () => new URLSearchParams('a=b')],
    ['ArrayBuffer', 'new Uint8Array(…)', () => new ArrayBuffer(3)],
    ['Float32Array', 'new Uint8Array(…)', () => new Float32Array(3)],
    ['Map', 'an object or an array', () => new Map([[1, 2]])],
    ['Set', 'an object or an array', () => new Set([1])],
    ['iterator', 'ctx.stream(…)', () => [1].values().map(String)],
    ['Request', 'new Response(…)', () => new Request('http://localhost/')],
    ['Context', 'nothing', (ctx) => ctx],
  ])('cannot be a %s, and the error names the value to return instead', async (_, hint, make) => {
    const [status, , report] = await respond(make)
    expect(status).toBe(500)
    expect(report).toMatch(/^TypeError: response: body must have a JSON form, got a value of type .* Return /)
    expect(report).toContain(hint)
  })

  it.each<[what: string, make: () => unknown, json: string]>([
    [
      'an instance of a class',
      () =>
        new (class User {
          readonly name = 'x'
        })(),
      '{"name":"x"}',
    ],
    ['an object with toJSON', () => new URL('http://localhost/'), '"http://localhost/"'],
    ['an iterable with toJSON', () => Object.assign(new Set([1]), { toJSON: () => [1] }), '[1]'],
    ['an iterable with own members', () => ({ __proto__: { [Symbol.iterator]: () => [].values() }, a: 1 }), '{"a":1}'],
    ['a date', () => new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['a list', () => new (class List extends Array {})(), '[]'],
    ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])('is sent in its JSON form: %s', async (_, make, json) => {
    expect(await respond(make)).toEqual([200, json, ''])
  })
})
