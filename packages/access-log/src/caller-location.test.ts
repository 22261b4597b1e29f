import { expect, it } from 'vitest'
import { callerLocation } from './request-logger.ts'

function asking(): ReturnType<typeof callerLocation> {
  return callerLocation()
}

it('returns the place that called the function', () => {
  const here = new Error('for its stack').stack?.split('\n')[1] ?? ''
  const location = asking()
  expect(location?.file).toBe(import.meta.filename)
  expect(location?.line).toBe(Number(/:(\d+):\d+\)?$/.exec(here)?.[1]) + 1)
})

it('returns undefined if the call did not come from a file', async () => {
  // The microtask queue calls it.
  expect(await Promise.resolve().then(asking)).toBeUndefined()
})
