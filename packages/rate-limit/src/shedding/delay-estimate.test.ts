import { describe, expect, it } from 'vitest'
import { DelayEstimate } from './delay-estimate.ts'

/** Adds a sample after each delay. Returns the estimate immediately after the last sample. */
function afterDelays(delaysMs: readonly number[]): number {
  const estimate = new DelayEstimate(50, 1000)
  let nowMs = 1000
  for (const delayMs of delaysMs) {
    nowMs += 50 + delayMs
    estimate.sample(nowMs)
  }
  return estimate.at(nowMs)
}

describe('DelayEstimate', () => {
  it.each<[readonly number[], number]>([
    [[], 0],
    [[0, 0, 0], 0],
    [[400], 100],
    [[400, 400], 175],
    [[400, 400, 400], 231.25],
    [[4000], 1000],
    [[4000, 0, 0, 0, 0, 0, 0], 177.978515625],
  ])('averages the delays %j: %f ms', (delaysMs, expected) => {
    expect(afterDelays(delaysMs)).toBe(expected)
  })

  it('includes the current delay, because the timer cannot fire: Ghost#30315', () => {
    const estimate = new DelayEstimate(50, 0)
    expect([estimate.at(0), estimate.at(50), estimate.at(450), estimate.at(4050)]).toEqual([0, 0, 100, 1000])
  })

  it('ignores a timer that fires early', () => {
    const estimate = new DelayEstimate(50, 0)
    estimate.sample(40)
    expect(estimate.at(60)).toBe(0)
  })
})
