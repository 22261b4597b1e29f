import { expect, it } from 'vitest'
import { TurnBudget } from './turn.ts'

it('runs out after 5 ms of calls in a turn and is full again in the next', () => {
  let turn = 1
  const budget = new TurnBudget(() => turn)
  const spent: boolean[] = [budget.isSpent()]
  for (const ms of [2, 2, 2, 40]) {
    budget.spend(ms)
    spent.push(budget.isSpent())
  }
  turn = 2
  spent.push(budget.isSpent())
  budget.spend(4)
  spent.push(budget.isSpent())
  expect(spent).toEqual([false, false, false, true, true, false, false])
})
