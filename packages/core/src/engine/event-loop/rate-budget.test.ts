import { expect, it } from 'vitest'
import { RateBudget } from './rate-budget.ts'

it('allows one burst', () => {
  const budget = new RateBudget(3, 1, 0)
  expect([0, 0, 0, 0].map((now) => budget.spend(now))).toEqual([true, true, true, false])
})

it('allows the average rate after the burst', () => {
  const budget = new RateBudget(1, 2, 0)
  expect([0, 500, 1000, 1400].map((now) => budget.spend(now))).toEqual([true, true, true, false])
})

it('accumulates at most one burst', () => {
  const budget = new RateBudget(2, 100, 0)
  expect([60_000, 60_000, 60_000].map((now) => budget.spend(now))).toEqual([true, true, false])
})
