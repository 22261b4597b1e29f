import { expect, it } from 'vitest'
import type { Middleware } from '@fw/types'
import { App } from '../app/app.ts'

it.each([
  [{ timeoutMS: 5 }, `Cannot route GET '/': there is no option 'timeoutMS', write 'timeoutMs'`],
  [{ Body: {} }, `Cannot route GET '/': there is no option 'Body', write 'body'`],
  [{ timeout: 5 }, `Cannot route GET '/': there is no option 'timeout', write timeoutMs`],
  [{ bodyLimit: 5 }, `Cannot route GET '/': there is no option 'bodyLimit', write limits: { maxBodyBytes }`],
  [{ preHandler: [] }, `Cannot route GET '/': there is no option 'preHandler', write use`],
  [
    { schema: { body: {} } },
    `Cannot route GET '/': there is no option 'schema', write params, query, headers, body and response without it`,
  ],
  [
    { use: 'auth' },
    `Cannot use a value of type string: middleware is a function; for some paths only, use group('auth')`,
  ],
  [{ use: [null] }, 'Cannot use a value of type object: middleware is a function'],
  [{ limits: { maxBody: 5 } }, `Unknown option 'maxBody' of limits of GET '/'; there are: maxBodyBytes, maxFormFields`],
])('options %j of a route are refused', (options, message) => {
  expect(() => new App().router.get('/', options as object, () => '')).toThrow(new TypeError(message))
})

it('options of other packages are left to them', () => {
  const app = new App()
  app.router.get('/', { accessLog: false, 'my-package': 7 } as object, (ctx) => Object.keys(ctx.route?.options ?? {}))
  return expect(app.fetch('/').then((response) => response.json())).resolves.toEqual(['accessLog', 'my-package'])
})

it('middleware of a route runs for that route alone, within that of its router, before the checks', async () => {
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

it('middleware of a route responses in its place', async () => {
  const app = new App()
  app.router.get('/', { use: (ctx) => ctx.text('stop', { status: 403 }) }, () => 'never')
  const response = await app.fetch('/')
  expect([response.status, await response.text()]).toEqual([403, 'stop'])
})
