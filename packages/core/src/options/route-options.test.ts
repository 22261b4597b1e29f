import { integer, oneOf } from '@fw/options'
import { expect, it } from 'vitest'
import type { Middleware } from '@fw/types'
import { App } from '../app/app.ts'
import { declareRouteOption } from '../index.ts'

const KNOWN =
  'Known options: use, limits, timeoutMs, tunnels, params, query, headers, body, response, checkResponses, bodyTypes'

const register = (options: object): unknown => new App().router.group('/api').get('/:id', options, () => '')

it.each<[object, string]>([
  [{ timeoutMS: 5 }, `unknown option "timeoutMS". Did you mean "timeoutMs"? ${KNOWN}`],
  [{ Body: {} }, `unknown option "Body". Did you mean "body"? ${KNOWN}`],
  [{ timeout: 5 }, 'unknown option "timeout". Use timeoutMs instead.'],
  [{ bodyLimit: 5 }, 'unknown option "bodyLimit". Use limits: { maxBodyBytes } instead.'],
  [{ preHandler: [] }, 'unknown option "preHandler". Use option "use" instead.'],
  [{ middlewares: [] }, 'unknown option "middlewares". Use option "use" instead.'],
  [{ schema: { body: {} } }, 'unknown option "schema". Use params, query, headers, body and response instead.'],
  [{ nothingLikeIt: 1 }, `unknown option "nothingLikeIt". ${KNOWN}`],
  [
    { use: 'auth' },
    `option "use" must be a function or a list of functions, got "auth". For some paths only, use router.group('auth').`,
  ],
  [{ use: [null] }, 'option "use[0]" must be a function, got null. Pass (ctx, next) => { … }.'],
  [
    { use: new App().router },
    `option "use" must be a function or a list of functions, got a RouteGroup. Register its routes on router.group(`,
  ],
  [
    { limits: { maxBody: 5 } },
    'unknown option "limits.maxBody". Known options: maxBodyBytes, maxFormFields, maxFileBytes.',
  ],
  [{ timeoutMs: '5' }, 'option "timeoutMs" must be an integer from 1 to 2147483647, got "5". Convert text first'],
  [
    { bodyTypes: 'text/plain' },
    `option "bodyTypes" must be a list of media types, got "text/plain". Write, for example, ['application/json'].`,
  ],
  [{ bodyTypes: [] }, 'option "bodyTypes" must be a list of media types, got an array.'],
  [
    { bodyTypes: ['application/json', 'text/plain; charset=utf-8'] },
    'option "bodyTypes[1]" must be a media type in lower case without parameters, got "text/plain; charset=utf-8".',
  ],
  [
    { bodyTypes: ['Text/Plain'] },
    'option "bodyTypes[0]" must be a media type in lower case without parameters, got "Text/Plain". ' +
      "Write, for example, 'application/json', or '*/*' for every body.",
  ],
  [{ bodyTypes: ['json'] }, 'option "bodyTypes[0]" must be a media type'],
  [
    { bodyTypes: ['multipart/form-data'] },
    'option "bodyTypes[0]" must be a media type in lower case without parameters, got "multipart/form-data". ' +
      'Read multipart bodies with ctx.parts().',
  ],
  [{ consumes: ['text/plain'] }, 'unknown option "consumes". Use bodyTypes instead.'],
  [{ headers: {} }, 'option "headers" must be a Standard Schema, got an object.'],
])('rejects the route options %j with a TypeError', (options, message) => {
  expect(() => register(options)).toThrow(TypeError)
  expect(() => register(options)).toThrow(`GET /api/:id: ${message}`)
})

it.each<[object, string]>([
  [{ limits: { maxBodyBytes: -1 } }, 'option "limits.maxBodyBytes" must be an integer of at least 0, got -1.'],
  [{ timeoutMs: 0 }, 'option "timeoutMs" must be an integer from 1 to 2147483647, got 0.'],
])('rejects %j, which is out of range, with a RangeError', (options, message) => {
  expect(() => register(options)).toThrow(RangeError)
  expect(() => register(options)).toThrow(`GET /api/:id: ${message}`)
})

it('names a route for every method with an asterisk', () => {
  expect(() => new App().router.all('/', { timeoutMs: 0 }, () => '')).toThrow('* /: option "timeoutMs" must be')
})

it("passes other packages' declared options through", () => {
  declareRouteOption('audit')
  declareRouteOption('my-package', integer(1))
  const app = new App()
  app.router.get('/', { audit: false, 'my-package': 7 } as object, (ctx) => Object.keys(ctx.route?.options ?? {}))
  return expect(app.fetch('/').then((response) => response.json())).resolves.toEqual(['audit', 'my-package'])
})

it("checks another package's option by its kind, and suggests its name", () => {
  declareRouteOption('role', oneOf('user', 'admin'))
  expect(() => register({ role: 'root' })).toThrow('GET /api/:id: option "role" must be "user" or "admin", got "root".')
  expect(() => register({ roel: 'user' })).toThrow('GET /api/:id: unknown option "roel". Did you mean "role"?')
})

it('checks a built-in option even if another package declares the same name', () => {
  declareRouteOption('timeoutMs')
  expect(() => register({ timeoutMs: 0 })).toThrow('GET /api/:id: option "timeoutMs" must be')
})

it('does not check symbols', () => {
  expect(() => register({ [Symbol('openapi')]: true })).not.toThrow()
})

it('runs route middleware for that route only, after router middleware and before validation', async () => {
  const app = new App()
  const ran: string[] = []
  const named =
    (name: string): Middleware =>
    (_, next) => {
      ran.push(name)
      return next()
    }
  const refusing = {
    '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) },
  } as const
  app.router
    .use(named('router'))
    .get('/two', { use: [named('first'), named('second')], query: refusing }, () => 'never')
    .get('/one', { use: named('only') }, () => 'answer')
    .get('/none', () => 'answer')
  for (const path of ['/two', '/one', '/none', '/missing']) {
    const { status } = await app.fetch(path)
    ran.push(`${path} ${status};`)
  }
  expect(ran.join(' ')).toBe(
    'router first second /two 400; router only /one 200; router /none 200; router /missing 404;',
  )
})

it('sends the response of route middleware instead of calling the handler', async () => {
  const app = new App()
  app.router.get('/', { use: (ctx) => ctx.text('stop', { status: 403 }) }, () => 'never')
  const response = await app.fetch('/')
  expect([response.status, await response.text()]).toEqual([403, 'stop'])
})
