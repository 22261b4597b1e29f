import { expect, it } from 'vitest'
import { callerLocation } from './request-logger.ts'

function asking(): ReturnType<typeof callerLocation> {
  return callerLocation()
}

it("returns the location of the function's caller", () => {
  const here = new Error('for its stack').stack?.split('\n')[1] ?? ''
  const location = asking()
  expect(location?.file).toBe(import.meta.filename)
  expect(location?.line).toBe(Number(/:(\d+):\d+\)?$/.exec(here)?.[1]) + 1)
})

it('returns undefined if the caller is not in a file', async () => {
  // The microtask queue calls it.
  expect(await Promise.resolve().then(asking)).toBeUndefined()
})
