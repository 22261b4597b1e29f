import { describe, expect, it } from 'vitest'
import { FrameBudget } from './frame-budget.ts'

function spendAll(budget: FrameBudget, isControl: boolean, attempts: number): number {
  let spent = 0
  while (spent < attempts && budget.spend(isControl)) spent++
  return spent
}

describe('FrameBudget', () => {
  it('allows a burst of five seconds, and after it the rate', () => {
    let nowMs = 0
    const budget = new FrameBudget(10, () => nowMs)
    expect(spendAll(budget, false, 1000)).toBe(50)
    nowMs += 1100
    // One frame was refused, and owes its token.
    expect(spendAll(budget, false, 1000)).toBe(10)
  })

  it('counts a control frame as ten', () => {
    expect(spendAll(new FrameBudget(10, () => 0), true, 1000)).toBe(5)
  })

  it('saves at most a burst', () => {
    let nowMs = 0
    const budget = new FrameBudget(10, () => nowMs)
    spendAll(budget, false, 1000)
    nowMs += 3_600_000
    expect(spendAll(budget, false, 1000)).toBe(50)
  })

  it('allows any number with a rate of 0', () => {
    expect(spendAll(new FrameBudget(0, () => 0), true, 100_000)).toBe(100_000)
  })
})
