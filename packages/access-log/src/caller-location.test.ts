import { expect, it } from 'vitest'
import { callerLocation } from './request-logger.ts'

function asking(): ReturnType<typeof callerLocation> {
  return callerLocation()
}

it('callerLocation is the place where the function that asks was called', () => {
  const here = new Error('for its stack').stack?.split('\n')[1] ?? ''
  const location = asking()
  expect(location?.file).toBe(import.meta.filename)
  expect(location?.line).toBe(Number(/:(\d+):\d+\)?$/.exec(here)?.[1]) + 1)
})

it('callerLocation is nothing where no file made the call', async () => {
  // Called by the queue of microtasks.
  expect(await Promise.resolve().then(asking)).toBeUndefined()
})
