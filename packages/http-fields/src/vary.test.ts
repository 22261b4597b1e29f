import { App } from '@fw/core'
import { expect, it } from 'vitest'
import { addVary } from './vary.ts'

/** Returns the `Vary` field of a response after adding `names` to the fields in `before`. */
async function varyAfter(before: readonly string[], ...names: readonly string[]): Promise<string | null> {
  const app = new App()
  app.router.get('/', ({ responseHeaders }) => {
    for (const line of before) responseHeaders.append('vary', line)
    addVary(responseHeaders, ...names)
    return 'ok'
  })
  return (await app.fetch('/')).headers.get('vary')
}

it.each<[string[], string]>([
  [[], 'Accept-Encoding'],
  [[''], 'Accept-Encoding'],
  [['Origin'], 'Origin, Accept-Encoding'],
  [['x-accept-encoding'], 'x-accept-encoding, Accept-Encoding'],
  [['Origin', 'Cookie'], 'Origin, Cookie, Accept-Encoding'],
  [['accept-encoding'], 'accept-encoding'],
  [['Origin, Accept-Encoding'], 'Origin, Accept-Encoding'],
  [['*'], '*'],
  [['cookie, *'], 'cookie, *'],
  [[' , Origin,'], 'Origin, Accept-Encoding'],
])('adds a name to the Vary fields %j once', async (before, after) => {
  expect(await varyAfter(before, 'Accept-Encoding')).toBe(after)
})

it('adds only the names that are missing', async () => {
  expect(await varyAfter(['Accept', 'ORIGIN'], 'origin', 'cookie')).toBe('Accept, ORIGIN, cookie')
})
