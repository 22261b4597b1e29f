import { describe, expect, it } from 'vitest'
import { exceededLimits } from './cost-limits.ts'

const costs = (checks: number, end: number): Map<string, number> =>
  new Map([
    ['no subscriber', 1000],
    ['ten times the checks', checks],
    ['end of a request', end],
    ['last byte', 1200],
    ['middleware', 1500],
  ])

describe('exceededLimits', () => {
  it('accepts costs at the limits', () => {
    expect(exceededLimits(costs(1400, 1080))).toEqual([])
  })

  it('reports expensive checks', () => {
    expect(exceededLimits(costs(1410, 1200))).toEqual(['Ten times the checks cost 1.41 times a request, at most 1.4'])
  })

  it('reports a request without a subscriber that costs as much as one with a subscriber', () => {
    expect(exceededLimits(costs(1100, 1020))).toEqual([
      'end of a request: a request with a subscriber costs 1.02 times one without, at least 1.08',
    ])
  })

  it('reports missing measurements', () => {
    expect(exceededLimits(new Map())).toHaveLength(4)
  })
})
