import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RestartDelay } from './restart-delay.ts'

/** Without the random part. */
function full(maxMs: number): RestartDelay {
  return new RestartDelay(maxMs, () => 1)
}

it('starts again at once, then waits twice as long each time, up to the limit', () => {
  const delay = full(3000)
  expect(Array.from({ length: 7 }, () => delay.next(0))).toEqual([0, 250, 500, 1000, 2000, 3000, 3000])
})

it('begins anew after a process that has served for ten seconds', () => {
  const delay = full(3000)
  expect([0, 9999, 10_000, 0].map((servedMs) => delay.next(servedMs))).toEqual([0, 250, 0, 250])
})

it('waits at least half as long, whatever chance says, and never over the limit', () => {
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
        const [waitMs, fullMs] = [delay.next(0), longest.next(0)]
        expect(waitMs).toBeGreaterThanOrEqual(Math.floor(fullMs / 2))
        expect(waitMs).toBeLessThanOrEqual(fullMs)
      }
    }),
    { numRuns: 20 },
  )
})
