import { toStandardJsonSchema } from '@valibot/to-json-schema'
import type { RouteOptions } from '@fw/types'
import { type } from 'arktype'
import * as v from 'valibot'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { App } from './app.ts'

const USER = {
  type: 'object',
  properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
}
const WRONG = { id: 7, tags: ['a', 1] }

interface Recorded {
  readonly app: App
  readonly warnings: string[]
  readonly errors: string[]
}

function record(checkResponses?: 'error' | 'count' | 'off'): Recorded {
  const warnings: string[] = []
  const errors: string[] = []
  const app = new App({
    checkResponses,
    onWarning: (message) => warnings.push(message),
    onError: (message, error) => errors.push(`${message}: ${String(error)}`),
  })
  return { app, warnings, errors }
}

afterEach(() => vi.unstubAllEnvs())

/** Returns the reported error for a result, or `undefined` if the result is sent. */
async function errorOf(response: RouteOptions['response'] & object, result: unknown): Promise<string | undefined> {
  const { app, errors } = record('error')
  app.router.get('/', { response }, (ctx) => ctx.json(result))
  const { status } = await app.fetch('/')
  expect(status).toBe(errors.length === 0 ? 200 : 500)
  return errors[0]?.replace('GET / failed: TypeError: GET /: ', '')
}

describe("a result that does not match, with checkResponses: 'error'", () => {
  it('causes a 500 without details, and reports an error that names the path in the result', async () => {
    const { app, errors, warnings } = record('error')
    app.router.get('/users/:id', { response: { 200: USER } }, () => WRONG)
    const response = await app.fetch('/users/7')
    expect([response.status, await response.json()]).toEqual([
      500,
      { type: 'about:blank', title: 'Internal Server Error', status: 500 },
    ])
    expect(errors).toEqual([
      'GET /users/7 failed: TypeError: GET /users/:id: response 200 at "/tags/1" must be a string, got a number. ' +
        'Correct the result, or the schema in option "response".',
    ])
    expect(warnings).toEqual([])
    expect(app.checkedResponses).toEqual({ checked: 1, mismatched: 1, undeclared: 0 })
  })

  it('causes an error however the handler responds', async () => {
    const { app, errors } = record('error')
    const response = { 200: USER, 201: USER }
    app.router
      .get('/returned', { response }, () => WRONG)
      .get('/later', { response }, async () => WRONG)
      .get('/method', { response }, (ctx) => ctx.json(WRONG, { status: 201 }))
      .get('/middleware', { response, use: () => WRONG }, () => ({ id: 1 }))
    for (const path of ['/returned', '/later', '/method', '/middleware'])
      expect((await app.fetch(path)).status).toBe(500)
    expect(errors).toHaveLength(4)
  })

  it('reaches error handlers, whose own results are checked too', async () => {
    const { app, errors, warnings } = record('error')
    app.router.onError((error, ctx) => {
      expect(error).toBeInstanceOf(TypeError)
      return ctx.json({ failed: true }, { status: 500 })
    })
    app.router.get('/', { response: { 200: USER } }, () => WRONG)
    expect(await (await app.fetch('/')).json()).toEqual({ failed: true })
    expect([errors, warnings]).toEqual([[], [expect.stringContaining('does not declare status 500')]])
  })
})

describe('an error for a result that does not match', () => {
  it.each<[object, unknown, string]>([
    [{ type: 'object' }, [], 'response 200 must be an object, got an array.'],
    [{ type: 'object', required: ['a/b'] }, {}, 'response 200 at "/a~1b" must be present, got nothing.'],
    [{ type: ['integer', 'null'] }, 1.5, 'response 200 must be an integer or null, got a number.'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'response 200 must be a string or null, got a number.'],
    [{ enum: ['a', 'b'] }, 'secret', 'response 200 must be one of ["a","b"], got a string.'],
    [{ const: 1 }, 2, 'response 200 must be 1, got a number.'],
    [{ type: 'string', minLength: 2 }, 'a', 'response 200 must NOT have fewer than 2 characters, got a string.'],
    [{ type: 'number', minimum: 0 }, -1, 'response 200 must be >= 0, got a number.'],
  ])('names the expected value of schema %j for %j', async (schema, result, message) => {
    expect(await errorOf({ 200: schema as never }, result)).toBe(
      `${message} Correct the result, or the schema in option "response".`,
    )
  })
})

it('shortens a long list of values', async () => {
  const response = { 200: { enum: ['x'.repeat(500)] } }
  expect(await errorOf(response, 1)).toContain(`must be one of ["${'x'.repeat(118)}…, got a number.`)
})

describe('a result that matches', () => {
  const at = new Date()
  it.each<[string, RouteOptions['response'] & object, unknown]>([
    [
      'has members that the serializer omits',
      { 200: { ...USER, additionalProperties: false } },
      { id: 1, password: 'x' },
    ],
    [
      'has nested members that the serializer omits',
      z.object({ users: z.array(z.object({ id: z.int() })) }),
      { users: [{ id: 1, password: 'x' }] },
    ],
    ['contains a date for text', z.object({ at: z.iso.datetime() }), { at }],
    ['has a method toJSON()', { 200: USER }, { toJSON: () => ({ id: 1 }) }],
    ['contains undefined for an optional member', z.object({ a: z.string().optional() }), { a: undefined }],
    ['contains a bigint for a number', { 200: USER }, { id: 7n }],
    ['is the output of a transform', z.object({ n: z.string().transform(Number).pipe(z.number()) }), { n: 7 }],
    ['is the output of valibot', toStandardJsonSchema(v.object({ n: v.pipe(v.number(), v.minValue(1)) })), { n: 7 }],
    ['is the output of a morph', type({ n: 'string.numeric.parse' }), { n: 7 }],
    ['names its schema', z.object({ a: z.string().meta({ id: 'A' }) }).meta({ id: 'B' }), { a: 'x' }],
    ['is one of several', z.union([z.object({ a: z.string() }), z.object({ b: z.int() })]), { b: 1 }],
    [
      'has a draft 2020-12',
      { 200: { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{}] } },
      [1],
    ],
    ['has a pattern in the older syntax', { 200: { type: 'string', pattern: '^\\_$' } }, '_'],
    ['has an $id', { 200: { $id: 'https://a.test/user', ...USER } }, { id: 1 }],
  ])('is sent if it %s', async (_, response, result) => {
    expect(await errorOf(response, result)).toBeUndefined()
  })

  it('can share the $id of its schema with another route', async () => {
    const { app, warnings } = record('error')
    for (const path of ['/a', '/b']) {
      app.router.get(path, { response: { 200: { $id: 'https://a.test/user', ...USER } } }, () => ({ id: 1 }))
      expect((await app.fetch(path)).status).toBe(200)
    }
    expect(warnings).toEqual([])
  })
})

it.each<[string, RouteOptions['response'] & object, unknown]>([
  ['zod', z.object({ at: z.iso.datetime() }), { at: 'yesterday' }],
  ['zod, for text instead of a number', z.object({ n: z.number() }), { n: '7' }],
  ['arktype', type({ n: 'number > 5' }), { n: 1 }],
  ['valibot', toStandardJsonSchema(v.object({ n: v.picklist(['a']) })), { n: 'b' }],
  [
    'draft 2020-12',
    { 200: { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'null' }] } },
    [1],
  ],
  ['a record', z.record(z.string(), z.number()), { a: 'b' }],
])('rejects a result that the schema does not allow: %s', async (_, response, result) => {
  expect(await errorOf(response, result)).toContain('must')
})

describe("a result that does not match, with checkResponses: 'count'", () => {
  it('is sent as the serializer writes it, counted, and logged once for each route', async () => {
    const { app, errors, warnings } = record('count')
    app.router
      .get('/a', { response: { 200: USER } }, () => WRONG)
      .get('/b', { response: { 200: USER } }, () => ({ id: '1' }))
    for (const path of ['/a', '/a', '/b']) expect((await app.fetch(path)).status).toBe(200)
    expect(await (await app.fetch('/a')).json()).toEqual({ id: 7, tags: ['a', '1'] })
    expect(errors).toEqual([])
    expect(warnings).toEqual([
      'GET /a: response 200 at "/tags/1" must be a string, got a number. ' +
        'Further mismatches on this route are only counted in server.stats().responses.',
      expect.stringContaining('GET /b: response 200 at "/id" must be an integer, got a string.'),
    ])
    expect(app.checkedResponses).toEqual({ checked: 4, mismatched: 4, undeclared: 0 })
  })

  it.each<[string, unknown, string]>([
    ['is of a type that the serializer cannot convert', { id: 'x' }, 'at "/id" must be an integer, got a string.'],
    ['lacks a required member', {}, 'at "/id" must be present, got nothing.'],
  ])('causes a 500 and an error that names the path in the result if it %s', async (_, result, mismatch) => {
    const { app, errors, warnings } = record('count')
    app.router.get('/', { response: { 200: { ...USER, required: ['id'] } } }, () => result)
    for (let i = 0; i < 2; i++) expect((await app.fetch('/')).status).toBe(500)
    expect(errors).toEqual(
      Array(2).fill(
        `GET / failed: TypeError: GET /: response 200 ${mismatch} ` +
          'Correct the result, or the schema in option "response".',
      ),
    )
    expect(warnings).toEqual([])
    expect(app.checkedResponses).toEqual({ checked: 2, mismatched: 2, undeclared: 0 })
  })

  it('causes a 500 and an error that names the path in the result, even outside the sample', async () => {
    const { app, errors } = record('count')
    let id: unknown = 7
    app.router.get('/', { response: { 200: USER } }, () => ({ id }))
    for (let i = 0; i < 100; i++) await app.fetch('/')
    id = 'x'
    expect((await app.fetch('/')).status).toBe(500)
    expect(errors).toEqual([expect.stringContaining('response 200 at "/id" must be an integer, got a string.')])
    expect(app.checkedResponses).toEqual({ checked: 100, mismatched: 0, undeclared: 0 })
  })

  it("causes a 500 with the serializer's error if the schema allows it", async () => {
    const { app, errors } = record('count')
    app.router.get('/', { response: { 200: USER } }, () => ({
      toJSON() {
        throw new Error('no form')
      },
    }))
    expect((await app.fetch('/')).status).toBe(500)
    expect(errors).toEqual(['GET / failed: Error: no form'])
  })

  it("is sampled after the route's first 100 results", async () => {
    const { app } = record('count')
    app.router.get('/', { response: { 200: USER } }, () => WRONG)
    for (let i = 0; i < 500; i++) await app.fetch('/')
    expect(app.checkedResponses).toEqual({ checked: 104, mismatched: 104, undeclared: 0 })
  })
})

describe('checkResponses', () => {
  it.each([
    ['production', 200],
    ['development', 500],
    ['', 500],
  ])("defaults to 'count' in production and 'error' elsewhere (NODE_ENV %j)", async (environment, status) => {
    vi.stubEnv('NODE_ENV', environment)
    const { app } = record()
    // The environment is read only at startup, not for each request.
    vi.stubEnv('NODE_ENV', 'other')
    app.router.get('/', { response: { 200: USER } }, () => WRONG)
    expect((await app.fetch('/')).status).toBe(status)
  })

  it('can be replaced by a route', async () => {
    const { app, warnings } = record('off')
    app.router
      .get('/off', { response: { 200: USER } }, () => WRONG)
      .get('/error', { response: { 200: USER }, checkResponses: 'error' }, () => WRONG)
    expect((await app.fetch('/off')).status).toBe(200)
    expect(app.checkedResponses.checked).toBe(0)
    expect((await app.fetch('/error')).status).toBe(500)
    expect(warnings).toEqual([])
  })

  it.each(['warn', true])('rejects %j for an application and a route', (mode) => {
    const message = 'option "checkResponses" must be "error", "count" or "off", got'
    expect(() => new App({ checkResponses: mode as never })).toThrow(`App: ${message}`)
    const { router } = new App()
    expect(() => router.get('/', { checkResponses: mode as never }, () => '')).toThrow(`GET /: ${message}`)
  })
})

it('warns once for each route about a status that is not declared', async () => {
  const { app, errors, warnings } = record('error')
  app.router.get('/', { response: z.object({}) }, (ctx) => ctx.json({}, { status: ctx.query.has('x') ? 202 : 201 }))
  for (const path of ['/', '/?x', '/']) await app.fetch(path)
  expect(errors).toEqual([])
  expect(warnings).toEqual([
    `GET /: option "response" does not declare status 201. Add 201 to the option, or set checkResponses: 'off'.`,
  ])
  expect(app.checkedResponses).toEqual({ checked: 0, mismatched: 0, undeclared: 3 })
})

it('does not check text, bytes, streams, a Response, an error or an empty response', async () => {
  const { app, warnings } = record('error')
  const response = { 200: USER }
  app.router
    .get('/text', { response }, () => 'text')
    .get('/bytes', { response }, () => Buffer.from('bytes'))
    .get('/stream', { response }, (ctx) => ctx.stream(['a']))
    .get('/response', { response }, () => Response.json(WRONG))
    .get('/empty', { response }, () => undefined)
  for (const path of ['/text', '/bytes', '/stream', '/response', '/empty'])
    expect((await app.fetch(path)).ok).toBe(true)
  expect(app.checkedResponses.checked).toBe(0)
  expect(warnings).toEqual([])
})

it('sends results unchecked and warns once if only the serializer accepts the schema', async () => {
  const { app, warnings } = record('error')
  const schema = { type: 'object', properties: { a: { type: 'string' } }, not: { $ref: '#/nowhere' } }
  app.router.get('/', { response: { 200: schema } }, () => ({ a: 'x' }))
  for (let i = 0; i < 2; i++) expect(await (await app.fetch('/')).json()).toEqual({ a: 'x' })
  expect(warnings).toEqual([expect.stringMatching(/^GET \/: results with status 200 are not checked: .*#\/nowhere/)])
})

it('runs no handler if the timeout expires while the first request loads the validator', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { app } = record('error')
  const handler = vi.fn(() => ({ id: 1 }))
  app.router.get('/', { response: { 200: USER }, timeoutMs: 1 }, handler)
  const responding = app.fetch('/')
  vi.advanceTimersByTime(1)
  expect((await responding).status).toBe(503)
  vi.useRealTimers()
  // The next request waits for the same validator.
  expect((await app.fetch('/')).status).toBe(200)
  expect(handler).toHaveBeenCalledTimes(1)
})
