import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, type Grant, nextUnitUs, type Quota, quotaOf, remainingUnits, waitUs } from './gcra.ts'

const SECOND = 1_000_000

/** A token bucket in exact arithmetic: units return one by one, each `intervalUs` after the previous one. */
class Model {
  readonly #quota: Quota
  /** Times at which the taken units return, in order. */
  #returns: number[] = []

  constructor(quota: Quota) {
    this.#quota = quota
  }

  take(nowUs: number, cost: number): { allowed: boolean; left: number; nextUs: number } {
    const { intervalUs, burstUs } = this.#quota
    this.#returns = this.#returns.filter((at) => at > nowUs)
    const allowed = this.#returns.length + cost <= this.#capacity(burstUs, intervalUs)
    for (let unit = 0; allowed && unit < cost; unit++) {
      this.#returns.push(Math.max(this.#returns.at(-1) ?? 0, nowUs) + intervalUs)
    }
    const [next] = this.#returns
    return {
      allowed,
      left: this.#capacity(burstUs, intervalUs) - this.#returns.length,
      nextUs: next === undefined ? 0 : next - nowUs,
    }
  }

  #capacity(burstUs: number, intervalUs: number): number {
    return burstUs / intervalUs
  }
}

describe('decide', () => {
  it('matches a model that counts individual units for every sequence of requests', () => {
    const requests = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 * SECOND }), fc.integer({ min: 0, max: 5 })), {
      minLength: 1,
      maxLength: 60,
    })
    const quotas = fc.tuple(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 12 }),
    )
    fc.assert(
      fc.property(quotas, requests, ([limit, windowMs, burst], steps) => {
        const quota = quotaOf(limit, windowMs, burst)
        const model = new Model(quota)
        let returnedUs = 0
        let nowUs = 1_790_000_000_000_000
        for (const [pauseUs, cost] of steps) {
          nowUs += pauseUs
          const grant = decide(returnedUs, nowUs, quota, cost)
          const expected = model.take(nowUs, cost)
          expect({
            allowed: grant.allowed,
            left: remainingUnits(grant, quota),
            nextUs: nextUnitUs(grant, quota),
          }).toEqual(expected)
          if (grant.allowed) returnedUs = nowUs + grant.backlogUs
        }
      }),
    )
  })

  it('allows a refused request after exactly its wait, but not a microsecond earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        (limit, windowMs, burst, taken) => {
          fc.pre(taken <= burst)
          const quota = quotaOf(limit, windowMs, burst)
          const first = decide(0, 0, quota, taken)
          const refused = decide(first.backlogUs, 0, quota, burst)
          expect(refused).toEqual({ allowed: false, backlogUs: first.backlogUs })
          const wait = waitUs(refused, quota, burst)
          expect(decide(first.backlogUs, wait - 1, quota, burst).allowed).toBe(false)
          expect(decide(first.backlogUs, wait, quota, burst).allowed).toBe(true)
        },
      ),
    )
  })

  it.each([
    [7, 60_000],
    [3, 1000],
    [11, 86_400_000],
    [999_983, 60_000],
  ])('allows the whole burst of %i per %i ms even with a fractional interval', (limit, windowMs) => {
    const quota = quotaOf(limit, windowMs, 100)
    let grant: Grant = { allowed: true, backlogUs: 0 }
    for (let count = 0; count < 100; count++) {
      grant = decide(grant.backlogUs, 0, quota, 1)
      expect(grant.allowed).toBe(true)
    }
    expect(decide(grant.backlogUs, 0, quota, 1).allowed).toBe(false)
  })

  it('allows at most the burst and the rate in any window', () => {
    const quota = quotaOf(10, 60_000, 10)
    const allowed: number[] = []
    let returnedUs = 0
    for (let nowUs = 0; nowUs < 300 * SECOND; nowUs += SECOND / 2) {
      const grant = decide(returnedUs, nowUs, quota, 1)
      if (!grant.allowed) continue
      returnedUs = nowUs + grant.backlogUs
      allowed.push(nowUs)
    }
    for (const start of allowed) {
      const inWindow = allowed.filter((at) => at >= start && at < start + 60 * SECOND)
      expect(inWindow.length).toBeLessThanOrEqual(20)
    }
    // 10 at the beginning, then one every 6 s.
    expect(allowed.length).toBe(10 + 49)
  })
})

describe('quotaOf', () => {
  it('rounds the interval up, so the rate is never higher', () => {
    expect(quotaOf(7, 60_000, 7)).toEqual({ intervalUs: 8_571_429, burstUs: 60_000_003 })
    expect(quotaOf(1_000_000, 1, 1)).toEqual({ intervalUs: 1, burstUs: 1 })
  })
})
