import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { HttpError } from './http-error.ts'

/** What the program is told of a response that is given like this. */
async function complaintOf(init: unknown): Promise<string> {
  const errors: unknown[] = []
  const app = new App({ onError: (_, error) => errors.push(error) })
  app.router.get('/', (ctx) => ctx.json({}, init as never))
  expect((await app.fetch('/')).status).toBe(500)
  return String(errors)
}

describe('beside a body', () => {
  it.each([
    [201, 'TypeError: Cannot answer with 201 beside the body: write { status: 201 } or { headers }'],
    ['x', 'TypeError: Cannot answer with "x" beside the body: write { status: 201 } or { headers }'],
    [null, 'TypeError: Cannot answer with null beside the body: write { status: 201 } or { headers }'],
  ])('%j is refused', async (init, message) => {
    expect(await complaintOf(init)).toBe(message)
  })

  const PLAIN = 'Cannot send headers that are no plain object: give { name: value }, or Object.fromEntries(headers)'

  it.each([new Headers({ a: 'b' }), [['a', 'b']], new Map([['a', 'b']]), 'a: b', null])(
    'fields that would be without effect are refused: %o',
    async (headers) => {
      expect(await complaintOf({ headers })).toBe(`TypeError: ${PLAIN}`)
    },
  )

  it('and beside an error alike', () => {
    expect(() => new HttpError(401, 'no', { headers: new Headers() as never })).toThrow(new TypeError(PLAIN))
  })

  it('status and fields are sent', async () => {
    const app = new App()
    app.router.get('/', (ctx) => ctx.json({}, { status: 201, headers: { location: '/1' } }))
    const { status, headers } = await app.fetch('/')
    expect([status, headers.get('location')]).toEqual([201, '/1'])
  })
})
