import { App } from '@fw/core'
import { expect, it } from 'vitest'
import { addVary } from './vary.ts'

it.each<[string[], string]>([
  [[], 'Accept-Encoding'],
  [['Origin'], 'Origin, Accept-Encoding'],
  [['Origin', 'Cookie'], 'Origin, Cookie, Accept-Encoding'],
  [['accept-encoding'], 'accept-encoding'],
  [['Origin, Accept-Encoding'], 'Origin, Accept-Encoding'],
  [['*'], '*'],
  [[' , Origin,'], 'Origin, Accept-Encoding'],
])('adds a name to the Vary fields %j once', async (before, after) => {
  const app = new App()
  app.router.get('/', (ctx) => {
    for (const line of before) ctx.responseHeaders.append('vary', line)
    addVary(ctx.responseHeaders, 'Accept-Encoding')
    return 'ok'
  })
  expect((await app.fetch('/')).headers.get('vary')).toBe(after)
})
