import { describe, expect, it } from 'vitest'
import type { Measurement } from './comparison.ts'
import { checkTarget, describeLimit, type Target } from './targets.ts'

const ROUNDS: ReadonlyMap<string, readonly Measurement[]> = new Map([
  ['fw', [{ rate: 150, cpuMicros: 7 }]],
  ['peer', [{ rate: 100, cpuMicros: 10 }]],
])

describe('checkTarget', () => {
  it.each<[Target, number, boolean]>([
    [{ of: 'fw', metric: 'rate', to: 'peer', atLeast: 1.5 }, 1.5, true],
    [{ of: 'fw', metric: 'rate', to: 'peer', atLeast: 1.51 }, 1.5, false],
    [{ of: 'fw', metric: 'cpuMicros', to: 'peer', atMost: 0.7 }, 0.7, true],
    [{ of: 'fw', metric: 'cpuMicros', to: 'peer', atMost: 0.69 }, 0.7, false],
    [{ of: 'fw', metric: 'rate', atLeast: 150 }, 150, true],
    [{ of: 'fw', metric: 'rate', atLeast: 151 }, 150, false],
  ])('evaluates %j to %d and reports whether it is met: %s', (target, value, isMet) => {
    expect(checkTarget(target, ROUNDS)).toEqual({ target, value, isMet })
  })

  it('returns undefined for a candidate that was not measured', () => {
    expect(checkTarget({ of: 'fw', metric: 'rate', to: 'unknown', atLeast: 1 }, ROUNDS)).toBeUndefined()
    expect(checkTarget({ of: 'fw', metric: 'p99Ms', atMost: 1 }, ROUNDS)).toBeUndefined()
  })
})

it('describes a limit by its relation, number and reference', () => {
  expect(describeLimit({ of: 'fw', metric: 'rate', to: 'peer', atLeast: 1.45 })).toBe('≥ 1.45 × peer')
  expect(describeLimit({ of: 'fw', metric: 'cpuMicros', atMost: 8 })).toBe('≤ 8.0')
})
