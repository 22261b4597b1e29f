import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { App } from './app.ts'

const LIBRARIES = [
  {
    name: 'zod',
    user: z.object({ name: z.string().min(2), tags: z.array(z.object({ 'a/b~c': z.number() })) }),
    page: z.object({ page: z.coerce.number().int(), tag: z.array(z.string()).optional() }),
    id: z.object({ id: z.string().regex(/^\d+$/) }),
    fields: z.looseObject({ 'x-tenant': z.string() }),
  },
  {
    name: 'valibot',
    user: v.object({
      name: v.pipe(v.string(), v.minLength(2)),
      tags: v.array(v.object({ 'a/b~c': v.number() })),
    }),
    page: v.object({
      page: v.pipe(v.string(), v.transform(Number), v.integer()),
      tag: v.optional(v.array(v.string())),
    }),
    id: v.object({ id: v.pipe(v.string(), v.digits()) }),
    fields: v.looseObject({ 'x-tenant': v.string() }),
  },
  {
    name: 'arktype',
    user: type({ name: 'string >= 2', tags: type({ 'a/b~c': 'number' }).array() }),
    page: type({ page: 'string.integer.parse', 'tag?': 'string[]' }),
    id: type({ id: 'string.digits' }),
    fields: type({ 'x-tenant': 'string' }),
  },
] as const

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

describe.each(LIBRARIES)('validation by $name', ({ user, page, id, fields }) => {
  const app = new App()
  app.router.post('/users/:id', { params: id, query: page, headers: fields, body: user }, (ctx) => [
    ctx.valid.params,
    ctx.valid.query,
    ctx.valid.headers['x-tenant'],
    ctx.valid.body,
  ])
  const errors = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await app.fetch(path, init)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const document = (await response.json()) as { errors: { in: string; pointer: string; message: unknown }[] }
    for (const { message } of document.errors) expect(message).toEqual(expect.any(String))
    return document.errors.map((error) => `${error.in}${error.pointer}`)
  }
  const tenant = { 'x-tenant': 't' }
  const good = { name: 'Ada', tags: [{ 'a/b~c': 1 }] }

  it('passes the output of the schemas to the handler', async () => {
    const response = await app.fetch('/users/7?page=2&tag=a&tag=b', post(good, tenant))
    expect(await response.json()).toEqual([{ id: '7' }, { page: 2, tag: ['a', 'b'] }, 't', good])
  })

  it('reports body errors as JSON Pointers', async () => {
    const bad = { name: 'A', tags: [{ 'a/b~c': 1 }, { 'a/b~c': 'x' }] }
    expect(await errors('/users/7?page=2', post(bad, tenant))).toEqual(['body/name', 'body/tags/1/a~1b~0c'])
    expect(await errors('/users/7?page=2', post(null, tenant))).toEqual(['body'])
  })

  it('reports all errors outside the body, and does not parse the body', async () => {
    const init = post('{')
    expect(await errors('/users/x?page=y', init)).toEqual(['params/id', 'query/page', 'headers/x-tenant'])
  })
})

describe('validation', () => {
  const Name = z.object({ name: z.string() })

  it('parses a form like a query if the route accepts its type', async () => {
    const app = new App()
    const bodyTypes = ['application/x-www-form-urlencoded']
    app.router.post(
      '/',
      { body: z.object({ a: z.string(), b: z.array(z.string()) }), bodyTypes },
      (ctx) => ctx.valid.body,
    )
    const body = new URLSearchParams('a=1&b=2&b=3')
    expect(await (await app.fetch('/', { method: 'POST', body })).json()).toEqual({ a: '1', b: ['2', '3'] })
  })

  it.each([
    ['{', 'application/json', 400],
    ['{}', 'text/plain', 415],
    ['{"name":"0123456789"}', 'application/json', 413],
  ])('responds to %j of type %s with %i', async (body, contentType, status) => {
    const app = new App()
    app.router.post('/', { body: Name, limits: { maxBodyBytes: 16 } }, () => 'ok')
    const response = await app.fetch('/', { method: 'POST', body, headers: { 'content-type': contentType } })
    expect(response.status).toBe(status)
  })

  it('runs after middleware and before the handler', async () => {
    const app = new App()
    const calls: string[] = []
    app.router.use((_ctx, next) => {
      calls.push('middleware')
      return next()
    })
    app.router.post('/', { body: Name }, () => calls.push('handler'))
    expect((await app.fetch('/', post({}))).status).toBe(400)
    expect(calls).toEqual(['middleware'])
  })

  it('waits for asynchronous schemas', async () => {
    const app = new App()
    const Free = z.object({ id: z.string().refine(async (id) => id !== 'taken') })
    app.router.post('/:id', { params: Free, body: Name }, (ctx) => ctx.valid)
    expect(await (await app.fetch('/x', post({ name: 'n' }))).json()).toEqual({
      params: { id: 'x' },
      body: { name: 'n' },
    })
    expect((await app.fetch('/taken', post({ name: 'n' }))).status).toBe(400)
  })

  it('responds with 500 without details if a schema throws', async () => {
    const reports: unknown[] = []
    const app = new App({ onError: (_, error) => reports.push(error) })
    const Broken = z.string().transform(() => {
      throw new Error('secret')
    })
    app.router.post('/', { body: Broken }, () => 'ok')
    const response = await app.fetch('/', post('"x"'))
    expect([response.status, (await response.text()).includes('secret'), reports.length]).toEqual([500, false, 1])
  })

  it('keeps query names that are also members of Object.prototype', async () => {
    const app = new App()
    app.router.get('/', { query: z.record(z.string(), z.unknown()) }, (ctx) => Object.entries(ctx.valid.query))
    const response = await (await app.fetch('/?constructor=1&a=2')).json()
    expect(response).toEqual([
      ['constructor', '1'],
      ['a', '2'],
    ])
  })

  it('rejects a value that is not a schema at registration', () => {
    const { router } = new App()
    // @ts-expect-error -- not a schema
    expect(() => router.post('/', { body: { type: 'object' } }, () => '')).toThrow(
      'POST /: option "body" must be a Standard Schema, got an object. Pass a schema from a library such as zod',
    )
  })

  it('infers the types of ctx.valid', () => {
    const { router } = new App()
    router.post('/:id', { body: Name, query: v.object({ page: v.number() }) }, (ctx) => {
      expectTypeOf(ctx.params.id).toEqualTypeOf<string>()
      expectTypeOf(ctx.valid.body).toEqualTypeOf<{ name: string }>()
      expectTypeOf(ctx.valid.query).toEqualTypeOf<{ page: number }>()
      expectTypeOf(ctx.valid.params).toEqualTypeOf<undefined>()
      // @ts-expect-error -- the schema has no such member
      return ctx.valid.body.age
    })
    router.get('/', (ctx) => expectTypeOf(ctx.valid.body).toEqualTypeOf<unknown>())
    router.route('QUERY', '/', { params: type({ a: 'number' }) }, ({ valid }) =>
      expectTypeOf(valid.params).toEqualTypeOf<{ a: number }>(),
    )
    // @ts-expect-error -- an unknown option next to a known one
    expect(() => router.put('/', { body: Name, limit: 1 }, () => '')).toThrow('PUT /: unknown option "limit".')
  })
})

const form = (fields: number): RequestInit => ({
  method: 'POST',
  body: Array.from({ length: fields }, (_, i) => `f${i % 3}=1`).join('&'),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

describe('a limit on validation', () => {
  it('reports only the first 100 errors', async () => {
    const app = new App()
    app.router.post('/', { body: z.array(z.string()) }, () => 'never')
    const response = await app.fetch('/', post(Array.from({ length: 5000 }, (_, i) => i)))
    const { errors } = (await response.json()) as { errors: { pointer: string }[] }
    expect([response.status, errors.length, errors.at(-1)?.pointer]).toEqual([400, 100, '/99'])
  })

  it.each([
    [{}, {}, 1000],
    [{ maxFormFields: 2 }, {}, 2],
    [{ maxFormFields: 2 }, { maxFormFields: 5 }, 5],
    [{ maxFormFields: 0 }, {}, 0],
  ])('limits a form to $2 fields with the limits $0 and the route limits $1', async (all, own, most) => {
    const app = new App({ limits: all })
    const bodyTypes = ['application/x-www-form-urlencoded']
    app.router
      .post('/form', { limits: own }, async (ctx) => [...(await ctx.form())].length)
      .post(
        '/checked',
        { limits: own, body: z.any(), bodyTypes },
        (ctx) => Object.values(ctx.valid.body as object).flat().length,
      )
    for (const path of ['/form', '/checked']) {
      expect(await (await app.fetch(path, form(most))).text()).toBe(String(most))
      const refused = await app.fetch(path, form(most + 1))
      expect([refused.status, await refused.json()]).toEqual([
        413,
        expect.objectContaining({ detail: `The form has more than ${most} fields` }),
      ])
    }
  })
})
