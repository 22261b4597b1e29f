import { describe, expect, it } from 'vitest'
import { median, medianRatio, summarize } from './statistics.ts'

describe('median', () => {
  it.each([
    [3, [3]],
    [5, [9, 1, 5]],
    [2.5, [1, 2, 3, 10]],
    [54.5, [100, 9]],
  ])('returns %d for %j', (expected, values) => {
    expect(median(values)).toBe(expected)
  })

  it('returns NaN for an empty array', () => {
    expect(median([])).toBeNaN()
  })
})

describe('summarize', () => {
  it('returns the median, minimum and maximum without reordering the values', () => {
    const values = [3, 1, 2]
    expect(summarize(values)).toEqual({ median: 2, min: 1, max: 3 })
    expect(values).toEqual([3, 1, 2])
  })
})

describe('medianRatio', () => {
  it('compares the values within each round, so a round that is slow for both has no effect', () => {
    expect(medianRatio([200, 20, 200], [100, 10, 100])).toBe(2)
    expect(medianRatio([200, 20, 400], [100, 10, 100])).toBe(2)
  })
})
