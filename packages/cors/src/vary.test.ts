import { App } from '@fw/core'
import { expect, it } from 'vitest'
import { addVary } from './vary.ts'

it.each<[string[], string]>([
  [[], 'origin, accept'],
  [[''], 'origin, accept'],
  [['accept-encoding'], 'accept-encoding, origin, accept'],
  [['Origin'], 'Origin, accept'],
  [['x-origin'], 'x-origin, origin, accept'],
  [['Accept', 'ORIGIN'], 'Accept, ORIGIN'],
  [['*'], '*'],
  [['cookie, *'], 'cookie, *'],
])('adds names to the Vary fields %j', async (before, after) => {
  const app = new App()
  app.router.get('/', ({ responseHeaders }) => {
    for (const line of before) responseHeaders.append('vary', line)
    addVary(responseHeaders, ['origin', 'accept'])
    return 'ok'
  })
  expect((await app.fetch('/')).headers.get('vary')).toBe(after)
})
