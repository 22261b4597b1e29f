import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RestartDelay } from './restart-delay.ts'

/** Creates a delay without its random part. */
function full(maxMs: number): RestartDelay {
  return new RestartDelay(maxMs, () => 1)
}

it('restarts without a delay, then doubles the delay each time up to the limit', () => {
  const delay = full(3000)
  expect(Array.from({ length: 7 }, () => delay.next(false))).toEqual([0, 250, 500, 1000, 2000, 3000, 3000])
})

it('restarts without a delay after processes that were ready, even after many in a row', () => {
  const delay = full(3000)
  expect(Array.from({ length: 5 }, () => delay.next(true))).toEqual([0, 0, 0, 0, 0])
})

it('counts failed starts from zero after a process that was ready', () => {
  const delay = full(3000)
  expect([false, false, false, true, false, false].map((wasReady) => delay.next(wasReady))).toEqual([
    0, 250, 500, 0, 0, 250,
  ])
})

it('waits between half and all of the full delay for any random number', () => {
  const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 1,
    maxLength: 2000,
  })
  fc.assert(
    fc.property(chances, fc.integer({ min: 1, max: 100_000 }), (values, maxMs) => {
      let at = 0
      const delay = new RestartDelay(maxMs, () => values[at++ % values.length] ?? 0)
      const longest = full(maxMs)
      for (let count = 0; count < values.length; count++) {
        const [waitMs, fullMs] = [delay.next(false), longest.next(false)]
        expect(waitMs).toBeGreaterThanOrEqual(Math.floor(fullMs / 2))
        expect(waitMs).toBeLessThanOrEqual(fullMs)
      }
    }),
    { numRuns: 20 },
  )
})
