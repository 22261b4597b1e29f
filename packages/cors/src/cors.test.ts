import { App, HttpError } from '@fw/core'
import type { ResponseHeaders, RouteOptions } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { cors } from './cors.ts'
import type { CorsOptions } from './options.ts'

const ORIGIN = 'https://app.example.org'
const OTHER = 'https://evil.example'
const LIST: CorsOptions = { origins: [ORIGIN, 'https://b.example'] }
const PREFLIGHT_VARY = 'origin, access-control-request-method, access-control-request-headers'

interface Seen {
  readonly status: number
  readonly vary: string | null
  /** The CORS fields, without `access-control-`. */
  readonly fields: Readonly<Record<string, string>>
}

/** Sends a request to an application with GET and PUT routes for `/notes/:id`. Returns the CORS fields. */
async function send(
  options: CorsOptions,
  headers: Record<string, string>,
  request: RequestInit & { path?: string } = {},
): Promise<Seen> {
  const app = new App()
  app.router.use(cors(options))
  app.router.get('/notes/:id', () => 'note')
  app.router.put('/notes/:id', () => 'changed')
  app.router.get('/failing', () => {
    throw new Error('on purpose')
  })
  return seen(await app.fetch(request.path ?? '/notes/7', { ...request, headers }))
}

function seen({ status, headers }: Response): Seen {
  const fields = [...headers].filter(([name]) => name.startsWith('access-control-'))
  return {
    status,
    vary: headers.get('vary'),
    fields: Object.fromEntries(fields.map(([name, value]) => [name.slice('access-control-'.length), value])),
  }
}

const preflight = (options: CorsOptions, headers: Record<string, string> = {}, path?: string): Promise<Seen> =>
  send(
    options,
    { origin: ORIGIN, 'access-control-request-method': 'PUT', ...headers },
    { method: 'OPTIONS', ...(path === undefined ? {} : { path }) },
  )

describe('a response', () => {
  it.each<[string, CorsOptions, string | undefined, string | null, Record<string, string>]>([
    ['a listed origin', LIST, ORIGIN, 'origin', { 'allow-origin': ORIGIN }],
    ['a second listed origin', LIST, 'https://b.example', 'origin', { 'allow-origin': 'https://b.example' }],
    ['an origin that is not listed', LIST, OTHER, 'origin', {}],
    ['an origin in upper case', LIST, ORIGIN.toUpperCase(), 'origin', {}],
    ['an origin with a listed prefix', LIST, `${ORIGIN}.evil.example`, 'origin', {}],
    ['two origins', LIST, `${ORIGIN}, ${OTHER}`, 'origin', {}],
    ['no origin', LIST, undefined, 'origin', {}],
    ['the origin null', LIST, 'null', 'origin', {}],
    ['an allowed origin null', { ...LIST, allowNullOrigin: true }, 'null', 'origin', { 'allow-origin': 'null' }],
    ['every origin', { origins: '*' }, OTHER, null, { 'allow-origin': '*' }],
    ['every origin, and the origin null', { origins: '*' }, 'null', null, { 'allow-origin': '*' }],
    ['every origin, and no origin', { origins: '*' }, undefined, null, { 'allow-origin': '*' }],
    [
      'credentials',
      { ...LIST, credentials: true },
      ORIGIN,
      'origin',
      { 'allow-origin': ORIGIN, 'allow-credentials': 'true' },
    ],
    ['credentials from another origin', { ...LIST, credentials: true }, OTHER, 'origin', {}],
    [
      'exposed fields',
      { ...LIST, exposedHeaders: ['etag', 'x-total'] },
      ORIGIN,
      'origin',
      { 'allow-origin': ORIGIN, 'expose-headers': 'etag, x-total' },
    ],
    [
      'a function that returns true',
      { origins: (origin) => origin.endsWith('.example.org') },
      ORIGIN,
      'origin',
      { 'allow-origin': ORIGIN },
    ],
    ['a function that returns false', { origins: () => false }, ORIGIN, 'origin', {}],
    ['a function that returns another truthy value', { origins: () => 'yes' as never }, ORIGIN, 'origin', {}],
    ['a function and the origin null', { origins: () => true }, 'null', 'origin', {}],
    ['a function and no origin', { origins: () => true }, undefined, 'origin', {}],
    ['a promise of true', { origins: async () => true }, ORIGIN, 'origin', { 'allow-origin': ORIGIN }],
    ['a promise of false', { origins: async () => false }, ORIGIN, 'origin', {}],
  ])('has the expected fields for %s', async (_, options, origin, vary, fields) => {
    const headers = origin === undefined ? {} : { origin }
    expect(await send(options, headers)).toEqual({ status: 200, vary, fields })
  })

  it('is sent even for a disallowed origin, because CORS is not access control', async () => {
    expect(await send(LIST, { origin: OTHER }, { method: 'PUT' })).toEqual({ status: 200, vary: 'origin', fields: {} })
  })

  it.each([
    ['/nowhere', 404],
    ['/failing', 500],
  ])(
    'has the fields even if it is an error, so pages can read it: %s (h3#1301, aspnetcore#2378)',
    async (path, status) => {
      const response = await send(LIST, { origin: ORIGIN }, { path })
      expect(response).toEqual({ status, vary: 'origin, accept', fields: { 'allow-origin': ORIGIN } })
    },
  )

  it('has the fields if inner middleware refuses the request', async () => {
    const app = new App()
    app.router.use(cors(LIST), () => {
      throw new HttpError(401)
    })
    const response = seen(await app.fetch('/', { headers: { origin: ORIGIN } }))
    expect(response).toMatchObject({ status: 401, fields: { 'allow-origin': ORIGIN } })
  })

  it('does not have the fields if the function throws', async () => {
    const options: CorsOptions = {
      origins: () => {
        throw new Error('on purpose')
      },
    }
    expect(await send(options, { origin: ORIGIN })).toMatchObject({ status: 500, fields: {} })
  })
})

/** Returns the `Vary` field of a response that the handler and outer middleware change. */
async function fetchWith(handler: (headers: ResponseHeaders) => unknown, before?: string): Promise<string | null> {
  const app = new App()
  app.router.use((ctx, next) => {
    if (before !== undefined) ctx.responseHeaders.set('vary', before)
    return next()
  })
  app.router.use(cors(LIST))
  app.router.get('/', (ctx) => handler(ctx.responseHeaders))
  return (await app.fetch('/', { headers: { origin: ORIGIN } })).headers.get('vary')
}

describe('Vary', () => {
  it('keeps the names from outer middleware: hono#2932', async () => {
    expect(await fetchWith(() => 'ok', 'accept-encoding, Cookie')).toBe('accept-encoding, Cookie, origin')
    expect(await fetchWith(() => 'ok', 'Origin')).toBe('Origin')
    expect(await fetchWith(() => 'ok', '*')).toBe('*')
  })

  it('keeps Origin if the handler sets other names: hono#4471', async () => {
    expect(await fetchWith((headers) => (headers.set('vary', 'Accept'), 'ok'))).toBe('Accept, origin')
    expect(await fetchWith((headers) => (headers.append('vary', 'Accept'), 'ok'))).toBe('origin, Accept')
    expect(await fetchWith((headers) => (headers.delete('vary'), 'ok'))).toBe('origin')
    expect(await fetchWith(() => new Response('ok', { headers: { vary: 'Accept' } }))).toBe('Accept, origin')
  })

  it("contains nothing from the request: GHSA-q7jf-gf43-6x6p, where hono copied the request's Vary", async () => {
    expect(await send(LIST, { origin: ORIGIN, vary: 'x-attacker' })).toMatchObject({ vary: 'origin' })
    expect(await preflight(LIST, { vary: 'x-attacker' })).toMatchObject({ vary: PREFLIGHT_VARY })
  })
})

describe('a preflight', () => {
  const ALLOWED = { 'allow-origin': ORIGIN, 'allow-methods': 'GET, HEAD, PUT', 'max-age': '600' }

  it("lists the methods of the path's routes", async () => {
    expect(await preflight(LIST)).toEqual({ status: 204, vary: PREFLIGHT_VARY, fields: ALLOWED })
    expect(await preflight(LIST, { 'access-control-request-method': 'DELETE' })).toMatchObject({ fields: ALLOWED })
    expect(await preflight(LIST, {}, '/failing')).toMatchObject({
      fields: { ...ALLOWED, 'allow-methods': 'GET, HEAD' },
    })
  })

  it.each<[string, CorsOptions, Record<string, string>, Record<string, string>]>([
    ['a listed origin', LIST, {}, ALLOWED],
    ['every origin', { origins: '*' }, {}, { ...ALLOWED, 'allow-origin': '*' }],
    ['an origin that is not listed', LIST, { origin: OTHER }, {}],
    ['the origin null', LIST, { origin: 'null' }, {}],
    ['a promise of true', { origins: async () => true }, {}, ALLOWED],
    ['a promise of false', { origins: async () => false }, {}, {}],
    ['credentials', { ...LIST, credentials: true }, {}, { ...ALLOWED, 'allow-credentials': 'true' }],
    [
      'own methods',
      { ...LIST, methods: ['GET', 'PUT', 'DELETE'] },
      {},
      { ...ALLOWED, 'allow-methods': 'GET, PUT, DELETE' },
    ],
    ['an age', { ...LIST, maxAgeSeconds: 0 }, {}, { ...ALLOWED, 'max-age': '0' }],
    [
      'requested fields',
      LIST,
      { 'access-control-request-headers': 'content-type,X-A' },
      { ...ALLOWED, 'allow-headers': 'content-type,x-a' },
    ],
    ['an invalid requested field', LIST, { 'access-control-request-headers': 'x-a, x b' }, ALLOWED],
    [
      'listed fields',
      { ...LIST, requestHeaders: ['x-a', 'x-b'] },
      { 'access-control-request-headers': 'x-c' },
      { ...ALLOWED, 'allow-headers': 'x-a, x-b' },
    ],
    ['an empty list of fields', { ...LIST, requestHeaders: [] }, { 'access-control-request-headers': 'x-c' }, ALLOWED],
    ['exposed fields, which only responses have', { ...LIST, exposedHeaders: ['etag'] }, {}, ALLOWED],
  ])('has the expected fields for %s', async (_, options, headers, fields) => {
    expect(await preflight(options, headers)).toEqual({ status: 204, vary: PREFLIGHT_VARY, fields })
  })

  it('allows a private network only for an allowed origin and varies by the requested field: rs/cors#127, fastify-cors#277', async () => {
    const options = { ...LIST, privateNetwork: true }
    const asked = { 'access-control-request-private-network': 'true' }
    const vary = `${PREFLIGHT_VARY}, access-control-request-private-network`
    const fields = { ...ALLOWED, 'allow-private-network': 'true' }
    expect(await preflight(options, asked)).toEqual({ status: 204, vary, fields })
    expect(await preflight(options)).toEqual({ status: 204, vary, fields: ALLOWED })
    expect(await preflight(options, { ...asked, origin: OTHER })).toEqual({ status: 204, vary, fields: {} })
    expect(await preflight(LIST, asked)).toEqual({ status: 204, vary: PREFLIGHT_VARY, fields: ALLOWED })
  })

  it.each<[string, Record<string, string>]>([
    ['Origin', { 'access-control-request-method': 'PUT' }],
    ['Access-Control-Request-Method', { origin: ORIGIN }],
    ['a method in Access-Control-Request-Method', { origin: ORIGIN, 'access-control-request-method': '' }],
  ])('is treated as an ordinary OPTIONS request without %s', async (_, headers) => {
    const app = new App()
    app.router.use(cors(LIST)).get('/', () => 'ok')
    const response = await app.fetch('/', { method: 'OPTIONS', headers })
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(response.headers.get('access-control-allow-methods')).toBeNull()
  })

  it('does not reach inner middleware, which would reject a request without credentials', async () => {
    const app = new App()
    app.router.use(cors(LIST), () => {
      throw new HttpError(401)
    })
    app.router.put('/', () => 'changed')
    const headers = { origin: ORIGIN, 'access-control-request-method': 'PUT' }
    expect((await app.fetch('/', { method: 'OPTIONS', headers })).status).toBe(204)
  })

  it('is answered with 404 for a path without routes, or with 204 if methods are configured', async () => {
    expect(await preflight(LIST, {}, '/nowhere')).toMatchObject({ status: 404, fields: { 'allow-origin': ORIGIN } })
    const own = await preflight({ ...LIST, methods: ['PUT'] }, {}, '/nowhere')
    expect(own).toMatchObject({ status: 204, fields: { ...ALLOWED, 'allow-methods': 'PUT' } })
  })

  it('copies Allow from a route for OPTIONS', async () => {
    const app = new App()
    app.router.use(cors(LIST))
    app.router.options('/', (ctx) => {
      ctx.responseHeaders.set('allow', 'GET, REPORT')
      return ctx.empty()
    })
    const headers = { origin: ORIGIN, 'access-control-request-method': 'REPORT' }
    const response = seen(await app.fetch('/', { method: 'OPTIONS', headers }))
    expect(response).toMatchObject({ status: 204, fields: { ...ALLOWED, 'allow-methods': 'GET, REPORT' } })
    const refused = seen(await app.fetch('/', { method: 'OPTIONS', headers: { ...headers, origin: OTHER } }))
    expect(refused).toMatchObject({ status: 204, fields: {} })
  })

  it('allows the requested method on a route for every method', async () => {
    const app = new App()
    app.router.use(cors(LIST)).all('/proxy/*path', () => 'ok')
    const headers = { origin: ORIGIN, 'access-control-request-method': 'REPORT' }
    const response = seen(await app.fetch('/proxy/x', { method: 'OPTIONS', headers }))
    expect(response).toMatchObject({ status: 204, fields: { 'allow-methods': 'REPORT' } })
  })
})

describe('the route option cors', () => {
  const PUBLIC: RouteOptions = { cors: { origins: '*', maxAgeSeconds: 7 } }
  const app = new App()
  app.router.use(cors({ ...LIST, credentials: true }))
  app.router
    .get('/a', PUBLIC, () => 'ok')
    .put('/a', { cors: false }, () => 'ok')
    .delete('/a', () => 'ok')
  const ask = async (method: string, requested?: string): Promise<Seen> => {
    const headers = {
      origin: ORIGIN,
      ...(requested === undefined ? {} : { 'access-control-request-method': requested }),
    }
    return seen(await app.fetch('/a', { method, headers }))
  }

  it('overrides the options for its route', async () => {
    expect(await ask('GET')).toEqual({ status: 200, vary: null, fields: { 'allow-origin': '*' } })
    expect(await ask('DELETE')).toMatchObject({ fields: { 'allow-origin': ORIGIN, 'allow-credentials': 'true' } })
  })

  it('removes the fields if it is false', async () => {
    expect(await ask('PUT')).toEqual({ status: 200, vary: null, fields: {} })
  })

  it('applies to preflights if a route for every method also matches the path', async () => {
    const wide = new App()
    wide.router.use(cors({ ...LIST, credentials: true }))
    wide.router.put('/a', { cors: false }, () => 'ok').all('/*path', () => 'any')
    const askWide = async (path: string, method: string): Promise<Seen> =>
      seen(
        await wide.fetch(path, {
          method: 'OPTIONS',
          headers: { origin: ORIGIN, 'access-control-request-method': method },
        }),
      )
    expect((await askWide('/a', 'PUT')).fields).toEqual({})
    expect((await askWide('/a', 'PATCH')).fields).toMatchObject({
      'allow-origin': ORIGIN,
      'allow-methods': 'PUT, PATCH',
    })
  })

  it('applies to preflights for its route', async () => {
    expect(await ask('OPTIONS', 'GET')).toMatchObject({ fields: { 'allow-origin': '*', 'max-age': '7' } })
    expect(await ask('OPTIONS', 'HEAD')).toMatchObject({ fields: { 'allow-origin': '*', 'max-age': '7' } })
    expect(await ask('OPTIONS', 'PUT')).toEqual({ status: 204, vary: null, fields: {} })
    expect(await ask('OPTIONS', 'DELETE')).toMatchObject({ fields: { 'allow-origin': ORIGIN, 'max-age': '600' } })
    expect(await ask('OPTIONS', 'PATCH')).toMatchObject({ fields: { 'allow-origin': ORIGIN, 'max-age': '600' } })
  })
})

describe('an inner cors()', () => {
  it('overrides the decision of an outer cors()', async () => {
    const app = new App()
    app.router.use(cors({ ...LIST, credentials: true, exposedHeaders: ['etag'] }))
    app.router
      .group('/inner')
      .use(cors({ origins: ['https://b.example'] }))
      .get('/', () => 'ok')
    const refused = seen(await app.fetch('/inner/', { headers: { origin: ORIGIN } }))
    expect(refused).toEqual({ status: 200, vary: 'origin', fields: {} })
    const allowed = seen(await app.fetch('/inner/', { headers: { origin: 'https://b.example' } }))
    expect(allowed.fields).toEqual({ 'allow-origin': 'https://b.example' })
  })
})
