import { showValue } from '@fw/options'
import { expect, it } from 'vitest'
import { App } from '../app/app.ts'

it.each([
  ['application/json', 'application/json'],
  ['text/html;q=0.5, application/json;q=0.9', 'application/json'],
  ['text/*', 'text/html'],
  ['*/*', 'text/html'],
  ['text/html;q=0, */*', 'application/json'],
  ['image/png', null],
  ['', 'text/html'],
])('maps Accept %j to the type %j', async (accept, type) => {
  const app = new App()
  app.router.get('/', (ctx) => [ctx.accepts('text/html', 'application/json')])
  expect(await (await app.fetch('/', { headers: { accept } })).json()).toEqual([type])
})

it('returns the first offer if the client states no preference', async () => {
  const app = new App()
  app.router.get('/', (ctx) => [ctx.accepts('text/html'), ctx.acceptsLanguage('de'), ctx.acceptsEncoding('identity')])
  expect(await (await app.fetch('/')).json()).toEqual(['text/html', 'de', 'identity'])
})

it.each([['html'], ['json', 'text/html'], [['text/html'] as never]])(
  'rejects %j, which is not a media type',
  async (...offers) => {
    const errors: unknown[] = []
    const app = new App({ onError: (_, error) => errors.push(error) })
    app.router.get('/', (ctx) => ctx.accepts(...offers))
    expect((await app.fetch('/')).status).toBe(500)
    expect(String(errors)).toBe(
      `TypeError: ctx.accepts: type must be a media type such as 'text/html', got ${showValue(offers[0])}.`,
    )
  },
)

it('returns the preferred language and content coding', async () => {
  const app = new App()
  app.router.get('/', (ctx) => [
    ctx.acceptsLanguage('en', 'de'),
    ctx.acceptsLanguage('fr'),
    ctx.acceptsEncoding('br', 'gzip'),
    ctx.acceptsEncoding('zstd'),
  ])
  const headers = { 'accept-language': 'de-CH, de;q=0.9, en;q=0.5', 'accept-encoding': 'gzip, br;q=0.1' }
  expect(await (await app.fetch('/', { headers })).json()).toEqual(['de', null, 'gzip', null])
})
