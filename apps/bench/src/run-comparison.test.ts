import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Candidate, Comparison } from './comparison.ts'
import { runComparison } from './run-comparison.ts'
import type { Run } from './run.ts'

const RUN: Run = {
  rounds: 3,
  seconds: 1,
  warmUpSeconds: 1,
  isQuick: true,
  folder: '/nowhere',
  certificate: { keyFile: '', certFile: '' },
}

function comparisonOf(candidates: readonly Candidate[]): Comparison {
  return { name: 'test', title: 'a test', reference: 'a', metrics: ['rate'], targets: [], candidates }
}

describe('runComparison', () => {
  it('lets the candidates take turns', async () => {
    const turns: string[] = []
    const candidate = (name: string): Candidate => ({
      name,
      measure: () => Promise.resolve({ rate: turns.push(name) }),
    })
    const { rounds } = await runComparison(comparisonOf([candidate('a'), candidate('b')]), RUN)
    expect(turns.join(' ')).toBe('a b a b a b')
    expect(rounds.get('a')).toEqual([{ rate: 1 }, { rate: 3 }, { rate: 5 }])
  })

  it('lets those that only wait do so at the same time, round by round', async () => {
    const turns: string[] = []
    const candidate = (name: string): Candidate => ({
      name,
      async measure() {
        turns.push(name)
        await nextTurn()
        return { rate: turns.push(`/${name}`) }
      },
    })
    await runComparison(
      { ...comparisonOf([candidate('a'), candidate('b')]), together: 'waiting' },
      { ...RUN, rounds: 2 },
    )
    expect(turns.join(' ')).toBe('a b /a /b a b /a /b')
  })

  it('lets those that run together measure in turns, of which one that was disturbed is taken again', async () => {
    const shares = [0, 0.2, 0.01, 0, 0, 0, 0, 0.02, 0]
    const order: string[] = []
    const candidate = (name: string): Candidate => ({
      name,
      async measure(_run, turns) {
        for (let n = 0; n < 2; n++) await turns?.measure(() => Promise.resolve(order.push(name)))
        return { rate: order.length }
      },
    })
    const comparison: Comparison = { ...comparisonOf([candidate('a'), candidate('b')]), together: 'in turns' }
    const watch = () => () => shares[order.length - 1] ?? Number.NaN
    const { disturbance } = await runComparison(comparison, { ...RUN, rounds: 2 }, { mostTurns: 2, watch })
    expect(order.join(' ')).toBe('a b b a b b a b a')
    expect(disturbance).toEqual({ stolenShare: 0.02, repeatedTurns: 1 })
  })

  it('names what cannot be measured, and does not try', async () => {
    const absent: Candidate = { name: 'b', missing: 'b is not installed', measure: () => Promise.reject(new Error()) }
    const { rounds, unmeasured } = await runComparison(comparisonOf([absent]), RUN)
    expect(unmeasured).toEqual([{ name: 'b', reason: 'b is not installed' }])
    expect(rounds.size).toBe(0)
  })

  it('leaves out all rounds of a candidate that fails in one of them', async () => {
    let turn = 0
    const failing: Candidate = {
      name: 'a',
      measure: () =>
        ++turn === 2 ? Promise.reject(new Error('The status is another one')) : Promise.resolve({ rate: 1 }),
    }
    const sound: Candidate = { name: 'b', measure: () => Promise.resolve({ rate: 2 }) }
    const { rounds, unmeasured } = await runComparison(comparisonOf([failing, sound]), RUN)
    expect(unmeasured).toEqual([{ name: 'a', reason: 'The status is another one' }])
    expect([...rounds]).toEqual([['b', [{ rate: 2 }, { rate: 2 }, { rate: 2 }]]])
    expect(turn).toBe(2)
  })

  it('takes a turn again in which others had much of the processors, and tells of it', async () => {
    const shares = [0.2, 0.01, 0, 0.02]
    let turn = 0
    const candidate: Candidate = { name: 'a', measure: () => Promise.resolve({ rate: turn++ }) }
    const watch = () => () => shares[turn - 1] ?? Number.NaN
    const { rounds, disturbance } = await runComparison(comparisonOf([candidate]), RUN, { mostTurns: 2, watch })
    expect(rounds.get('a')).toEqual([{ rate: 1 }, { rate: 2 }, { rate: 3 }])
    expect(disturbance).toEqual({ stolenShare: 0.02, repeatedTurns: 1 })
  })
})
