import { expect, it } from 'vitest'
import { withDifferences } from './differences.ts'

it('subtracts the base of the same round', () => {
  const rounds = new Map([
    ['bare', [{ cpuMicros: 10 }, { cpuMicros: 30 }]],
    ['logged', [{ cpuMicros: 12 }, { cpuMicros: 35 }]],
    ['other', [{ cpuMicros: 7 }]],
  ])
  expect([...withDifferences(rounds, { logged: 'bare', other: 'unknown' })]).toEqual([
    ['bare', [{ cpuMicros: 10 }, { cpuMicros: 30 }]],
    [
      'logged',
      [
        { cpuMicros: 12, addedMicros: 2 },
        { cpuMicros: 35, addedMicros: 5 },
      ],
    ],
    ['other', [{ cpuMicros: 7 }]],
  ])
})
