import { expect, it } from 'vitest'
import { App } from './app.ts'

it.each([
  [{ timeoutMS: 5 }, `Cannot route GET '/': there is no option 'timeoutMS', write 'timeoutMs'`],
  [{ Body: {} }, `Cannot route GET '/': there is no option 'Body', write 'body'`],
  [{ limits: { maxBody: 5 } }, `Unknown option 'maxBody' of limits of GET '/'; there are: maxBodyBytes`],
])('options %j of a route are refused', (options, message) => {
  expect(() => new App().router.get('/', options as object, () => '')).toThrow(new TypeError(message))
})

it('options of other packages are left to them', () => {
  const app = new App()
  app.router.get('/', { accessLog: false, 'my-package': 7 } as object, (ctx) => Object.keys(ctx.route?.options ?? {}))
  return expect(app.fetch('/').then((response) => response.json())).resolves.toEqual(['accessLog', 'my-package'])
})
