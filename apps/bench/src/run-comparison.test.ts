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
  it('alternates between the candidates', async () => {
    const turns: string[] = []
    const candidate = (name: string): Candidate => ({
      name,
      measure: () => Promise.resolve({ rate: turns.push(name) }),
    })
    const { rounds } = await runComparison(comparisonOf([candidate('a'), candidate('b')]), RUN)
    expect(turns.join(' ')).toBe('a b a b a b')
    expect(rounds.get('a')).toEqual([{ rate: 1 }, { rate: 3 }, { rate: 5 }])
  })

  it('runs the candidates of a round in parallel', async () => {
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
      { ...comparisonOf([candidate('a'), candidate('b')]), concurrency: 'parallel' },
      { ...RUN, rounds: 2 },
    )
    expect(turns.join(' ')).toBe('a b /a /b a b /a /b')
  })

  it('alternates between turns of concurrent candidates, and repeats a disturbed turn', async () => {
    const shares = [0, 0.2, 0.01, 0, 0, 0, 0, 0.02, 0]
    const order: string[] = []
    const candidate = (name: string): Candidate => ({
      name,
      async measure(_run, turns) {
        for (let n = 0; n < 2; n++) await turns?.measure(() => Promise.resolve(order.push(name)))
        return { rate: order.length }
      },
    })
    const comparison: Comparison = { ...comparisonOf([candidate('a'), candidate('b')]), concurrency: 'alternating' }
    const watch = () => () => shares[order.length - 1] ?? Number.NaN
    const { disturbance } = await runComparison(comparison, { ...RUN, rounds: 2 }, { maxTurns: 2, watch })
    expect(order.join(' ')).toBe('a b b a b b a b a')
    expect(disturbance).toEqual({ stolenShare: 0.02, repeatedTurns: 1 })
  })

  it('reports a candidate that cannot be measured and does not run it', async () => {
    const absent: Candidate = { name: 'b', missing: 'b is not installed', measure: () => Promise.reject(new Error()) }
    const { rounds, unmeasured } = await runComparison(comparisonOf([absent]), RUN)
    expect(unmeasured).toEqual([{ name: 'b', reason: 'b is not installed' }])
    expect(rounds.size).toBe(0)
  })

  it('drops all rounds of a candidate that fails in one round', async () => {
    let turn = 0
    const failing: Candidate = {
      name: 'a',
      measure: () =>
        ++turn === 2 ? Promise.reject(new Error('The status is different')) : Promise.resolve({ rate: 1 }),
    }
    const working: Candidate = { name: 'b', measure: () => Promise.resolve({ rate: 2 }) }
    const { rounds, unmeasured } = await runComparison(comparisonOf([failing, working]), RUN)
    expect(unmeasured).toEqual([{ name: 'a', reason: 'The status is different' }])
    expect([...rounds]).toEqual([['b', [{ rate: 2 }, { rate: 2 }, { rate: 2 }]]])
    expect(turn).toBe(2)
  })

  it('repeats a disturbed turn and reports it', async () => {
    const shares = [0.2, 0.01, 0, 0.02]
    let turn = 0
    const candidate: Candidate = { name: 'a', measure: () => Promise.resolve({ rate: turn++ }) }
    const watch = () => () => shares[turn - 1] ?? Number.NaN
    const { rounds, disturbance } = await runComparison(comparisonOf([candidate]), RUN, { maxTurns: 2, watch })
    expect(rounds.get('a')).toEqual([{ rate: 1 }, { rate: 2 }, { rate: 3 }])
    expect(disturbance).toEqual({ stolenShare: 0.02, repeatedTurns: 1 })
  })
})
