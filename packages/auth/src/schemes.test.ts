import { App } from '@fw/core'
import type { Middleware } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { apiKey, basic, bearer, knownSecrets, Principal, requireScope } from './index.ts'

async function ask(use: Middleware, headers: Record<string, string> = {}, path = '/'): Promise<Response> {
  const app = new App({ onError: () => {} })
  app.router.use(use).get('/', (ctx) => ctx.get(Principal)?.id ?? 'nobody')
  return await app.fetch(path, { headers })
}

async function statusOf(use: Middleware, authorization: string): Promise<number> {
  return (await ask(use, { authorization })).status
}

const anyone = bearer({ verify: (token) => ({ id: token }) })

describe('bearer()', () => {
  it.each<[string, number]>([
    ['Bearer abc', 200],
    ['BEARER a-b._~+/c==', 200],
    ['Bearer   abc', 200],
    ['Bearer', 400],
    ['Bearer ', 400],
    ['Bearer a,b', 400],
    ['Bearer =', 400],
    ['Bearer "abc"', 400],
    ['', 401],
    ['abc', 401],
    ['Basic abc', 401],
    // CVE-2026-47673: a different scheme must not count as Bearer.
    ['Bearerx abc', 401],
    ['xBearer abc', 401],
    ['Token abc', 401],
    ['DPoP abc', 401],
  ])('responds with $1 to the field value "$0"', async (authorization, status) => {
    expect(await statusOf(anyone, authorization)).toBe(status)
  })

  it('ignores a token in the query', async () => {
    expect((await ask(anyone, {}, '/?access_token=abc')).status).toBe(401)
  })

  it('limits the length of a token', async () => {
    const use = bearer({ verify: (id) => ({ id }), maxTokenBytes: 5 })
    expect(await statusOf(use, 'Bearer abcde')).toBe(200)
    expect(await statusOf(use, 'Bearer abcdef')).toBe(400)
    expect(await statusOf(anyone, `Bearer ${'a'.repeat(8192)}`)).toBe(200)
    expect(await statusOf(anyone, `Bearer ${'a'.repeat(8193)}`)).toBe(400)
  })

  it('passes requests without credentials if it is optional, but refuses invalid credentials', async () => {
    const use = bearer({ verify: () => null, optional: true })
    expect(await (await ask(use)).text()).toBe('nobody')
    expect(await statusOf(use, 'Bearer abc')).toBe(401)
  })

  it.each([null, undefined])('refuses the credentials if verify returns %s', async (result) => {
    expect(await statusOf(bearer({ verify: async () => result }), 'Bearer abc')).toBe(401)
  })

  it.each([true, 'ada', {}, { id: '' }, { id: 7 }])('responds with 500 if verify returns %j', async (result) => {
    expect(await statusOf(bearer({ verify: () => result as never }), 'Bearer abc')).toBe(500)
  })

  it('responds with 500 if verify fails', async () => {
    expect(
      await statusOf(bearer({ verify: () => Promise.reject(new Error('The database is down')) }), 'Bearer abc'),
    ).toBe(500)
  })

  it.each<[unknown, string]>([
    [
      {},
      'bearer: option "verify" must be a function, got undefined. Write a function that returns a principal or null.',
    ],
    [{ verify: 'x' }, 'bearer: option "verify" must be a function, got "x".'],
    [{ verify: () => null, realm: 'a"b' }, 'bearer: option "realm" must be visible ASCII characters'],
    [{ verify: () => null, maxTokenBytes: 0 }, 'bearer: option "maxTokenBytes" must be a positive integer, got 0.'],
    [{ verify: () => null, header: 'x' }, 'bearer: unknown option "header".'],
  ])('refuses the options %j', (options, message) => {
    expect(() => bearer(options as never)).toThrow(message)
  })
})

function encode(text: string | Buffer): string {
  return Buffer.from(text).toString('base64')
}

describe('basic()', () => {
  const use = basic({ verify: (user, password) => (password === 'pässword:' ? { id: user || 'empty' } : null) })

  it.each<[string, number]>([
    [encode('ada:pässword:'), 200],
    [encode(':pässword:'), 200],
    [encode('ada:pässword'), 401],
    [encode('ada'), 401],
    [encode(''), 401],
    [encode(Buffer.from('ada:p\xe4ssword:', 'latin1')), 401],
    [encode('a\0da:pässword:'), 401],
    [encode('ada:pässword:').replace(/=+$/, ''), 401],
    [`${encode('ada:pässword:')} x`, 401],
    ['%%%', 401],
  ])('responds with $1 to the encoded credentials "$0"', async (encoded, status) => {
    expect(await statusOf(use, `Basic ${encoded}`)).toBe(status)
  })

  it('requests UTF-8 from browsers', async () => {
    const response = await ask(use)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="api", charset="UTF-8"',
    ])
  })
})

describe('apiKey()', () => {
  it('reads the configured field and keeps responses out of shared caches', async () => {
    const use = apiKey({ verify: (id) => ({ id }), header: 'X-Shop' })
    const response = await ask(use, { 'x-shop': 'abc' })
    expect([await response.text(), response.headers.get('vary'), response.headers.get('cache-control')]).toEqual([
      'abc',
      'x-shop',
      'private',
    ])
    expect((await ask(use, { 'x-api-key': 'abc' })).status).toBe(401)
  })

  it('sends Vary to a client without a key', async () => {
    const response = await ask(apiKey({ verify: () => null, optional: true }))
    expect([response.status, response.headers.get('vary'), response.headers.get('cache-control')]).toEqual([
      200,
      'x-api-key',
      null,
    ])
  })

  it('keeps the caching rules of outer middleware', async () => {
    const app = new App()
    app.router.use((ctx, next) => {
      ctx.responseHeaders.set('cache-control', 'no-store')
      return next()
    })
    app.router.use(apiKey({ verify: (id) => ({ id }) })).get('/', () => 'hello')
    const { headers } = await app.fetch('/', { headers: { 'x-api-key': 'a' } })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('keeps the caching rules of the handler', async () => {
    const app = new App()
    app.router.use(apiKey({ verify: (id) => ({ id }) })).get('/', (ctx) => {
      ctx.responseHeaders.set('cache-control', 'no-store')
      return 'hello'
    })
    const { headers } = await app.fetch('/', { headers: { 'x-api-key': 'a' } })
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

async function withScopes(scopes: readonly string[] | undefined, ...required: string[]): Promise<Response> {
  const app = new App()
  app.router.use(bearer({ verify: () => ({ id: 'ada', scopes }), optional: true }))
  app.router.get('/', { use: requireScope(...required) }, () => 'ok')
  return await app.fetch('/', { headers: { authorization: 'Bearer a' } })
}

describe('requireScope()', () => {
  it.each<[readonly string[] | undefined, string[], number]>([
    [['a', 'b'], ['a'], 200],
    [['a', 'b'], ['b', 'a'], 200],
    [['a'], ['a', 'b'], 403],
    [['ab'], ['a'], 403],
    [[], ['a'], 403],
    [undefined, ['a'], 403],
  ])('responds to the scopes %j, where %j are required, with %i', async (scopes, required, status) => {
    expect((await withScopes(scopes, ...required)).status).toBe(status)
  })

  it('responds with 401 without a principal', async () => {
    const response = await ask(requireScope('a'))
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="api"'])
  })

  it.each([[[]], [['']], [['a b']], [['a"']], [[5]]])('refuses %j', (scopes) => {
    expect(() => requireScope(...(scopes as string[]))).toThrow('requireScope: option "scope" must be a name')
  })
})

describe('the challenge of requireScope()', () => {
  it('is the challenge of the scheme before it', async () => {
    const app = new App()
    const write = requireScope('write')
    app.router.get('/none', { use: [basic({ verify: () => null, optional: true }), write] }, () => 'ok')
    app.router.get('/key', { use: [apiKey({ verify: (id) => ({ id }) }), write] }, () => 'ok')
    const none = await app.fetch('/none')
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="api", charset="UTF-8"'])
    const key = await app.fetch('/key', { headers: { 'x-api-key': 'a' } })
    expect([key.status, key.headers.get('www-authenticate')]).toEqual([403, null])
  })
})

it('sends Vary with responses to requests with and without credentials', async () => {
  const use = bearer({ verify: (id) => ({ id }), optional: true })
  expect((await ask(use)).headers.get('vary')).toBe('authorization')
  expect((await ask(use, { authorization: 'Bearer a' })).headers.get('vary')).toBe('authorization')
})

describe('knownSecrets()', () => {
  it('refuses the same secret for two clients', () => {
    const secrets = { reader: 'a-secret-of-ada-1', admin: 'a-secret-of-ada-1' }
    expect(() => knownSecrets(secrets)).toThrow(
      'knownSecrets: option "secrets" must be different, got one secret twice.',
    )
  })

  const verify = knownSecrets({ ada: 'a-secret-of-ada-1', bob: 'a-secret-of-bob-1' })

  it('returns the client to which a secret belongs', () => {
    expect([verify('a-secret-of-ada-1'), verify('a-secret-of-bob-1')]).toEqual([{ id: 'ada' }, { id: 'bob' }])
    for (const other of ['', 'a-secret-of-ada-', 'a-secret-of-ada-1 ', 'A-secret-of-ada-1', 'ada']) {
      expect(verify(other)).toBeNull()
    }
  })

  it.each(['', 'short', 'x'.repeat(15), undefined])('refuses the secret %j', (secret) => {
    expect(() => knownSecrets({ ada: secret as string })).toThrow(
      'knownSecrets: option "ada" must be a secret of at least 16 characters, got',
    )
  })

  it('keeps secrets out of errors', () => {
    expect(() => knownSecrets({ ada: 'hunter2' })).toThrow(/^(?!.*hunter2)/)
  })
})
