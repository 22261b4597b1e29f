import { describe, expect, it } from 'vitest'
import { median, medianRatio, summarize } from './statistics.ts'

describe('statistics', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[1, 2, 3, 10], 2.5],
    [[100, 9], 54.5],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected)
  })

  it('the median of nothing is no number', () => {
    expect(median([])).toBeNaN()
  })

  it('a summary has both ends of the spread and leaves the order of the rounds alone', () => {
    const values = [3, 1, 2]
    expect(summarize(values)).toEqual({ median: 2, least: 1, most: 3 })
    expect(values).toEqual([3, 1, 2])
  })

  it('a ratio is taken round by round, so that a slow round of both changes nothing', () => {
    expect(medianRatio([200, 20, 200], [100, 10, 100])).toBe(2)
    expect(medianRatio([200, 20, 400], [100, 10, 100])).toBe(2)
  })
})
