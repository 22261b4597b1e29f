import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Grant, quotaOf } from './gcra.ts'
import { memoryRateLimits } from './memory-store.ts'
import type { RateLimitStore } from './store.ts'

const quota = quotaOf(1, 60_000, 1)

const take = (store: RateLimitStore, key: string, cost: number, of = quota): Grant => store.take(key, of, cost) as Grant
const allows = (store: RateLimitStore, key: string): boolean => take(store, key, 1).allowed

describe('memoryRateLimits', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('makes units available again over time', () => {
    const store = memoryRateLimits()
    expect([allows(store, 'a'), allows(store, 'a'), allows(store, 'b')]).toEqual([true, false, true])
    vi.advanceTimersByTime(59_999)
    expect(allows(store, 'a')).toBe(false)
    vi.advanceTimersByTime(1)
    expect(allows(store, 'a')).toBe(true)
  })

  it('removes the oldest key to store a new one if it is full', () => {
    const store = memoryRateLimits({ maxKeys: 3 })
    for (const key of ['a', 'b', 'c', 'd']) expect(allows(store, key)).toBe(true)
    expect(['b', 'c', 'd'].map((key) => allows(store, key))).toEqual([false, false, false])
    expect(allows(store, 'a')).toBe(true)
  })

  it('counts a key as new when a unit is taken, but not when a request is refused', () => {
    const store = memoryRateLimits({ maxKeys: 2 })
    const two = quotaOf(2, 60_000, 2)
    take(store, 'a', 1, two)
    take(store, 'b', 1, two)
    take(store, 'a', 1, two)
    take(store, 'c', 1, two)
    expect(take(store, 'a', 1, two)).toMatchObject({ allowed: false })
    expect(take(store, 'b', 2, two)).toMatchObject({ allowed: true })
  })

  it('keeps a key whose last unit was taken later', () => {
    const store = memoryRateLimits({ maxKeys: 3 })
    const two = quotaOf(2, 60_000, 2)
    for (const key of ['a', 'b', 'c', 'b', 'd', 'e']) take(store, key, 1, two)
    expect(take(store, 'b', 1, two).allowed).toBe(false)
    expect(take(store, 'c', 2, two).allowed).toBe(true)
  })

  it('does not store the key of a request that takes no units', () => {
    const store = memoryRateLimits({ maxKeys: 1 })
    expect(allows(store, 'a')).toBe(true)
    expect(take(store, 'b', 0)).toEqual({ allowed: true, backlogUs: 0 })
    expect(allows(store, 'a')).toBe(false)
  })

  it('matches a list of all keys for every sequence of requests', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 40_000 }))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (maxKeys, steps) => {
        const store = memoryRateLimits({ maxKeys })
        /** Keys with the time at which their unit returns. The newest key is last. */
        let model: [key: string, returnMs: number][] = []
        for (const [client, pauseMs] of steps) {
          vi.advanceTimersByTime(pauseMs)
          const key = String(client)
          const nowMs = performance.now()
          const isTaken = model.some(([name, returnMs]) => name === key && returnMs > nowMs)
          expect(allows(store, key)).toBe(!isTaken)
          if (isTaken) continue
          model = model.filter(([name, returnMs]) => name !== key && returnMs > nowMs)
          model = [...model, [key, nowMs + 60_000] as [string, number]].slice(-maxKeys)
        }
      }),
    )
  })

  it.each<[object, string]>([
    [{ maxKeys: 0 }, 'memoryRateLimits: option "maxKeys" must be a positive integer, got 0.'],
    [{ max: 1 }, 'memoryRateLimits: unknown option "max".'],
  ])('refuses %j', (options, message) => {
    expect(() => memoryRateLimits(options)).toThrow(message)
  })
})
