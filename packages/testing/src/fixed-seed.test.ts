import * as fc from 'fast-check'
import { expect, it } from 'vitest'

it('properties are tried with the same values each time, or with those of FUZZ_SEED', () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? 1)
  expect(fc.sample(fc.integer(), 5)).toEqual(fc.sample(fc.integer(), { seed, numRuns: 5 }))
})
