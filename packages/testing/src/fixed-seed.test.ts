import * as fc from 'fast-check'
import { expect, it } from 'vitest'

it('uses seed 1 or FUZZ_SEED for properties', () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? 1)
  expect(fc.sample(fc.integer(), 5)).toEqual(fc.sample(fc.integer(), { seed, numRuns: 5 }))
})
