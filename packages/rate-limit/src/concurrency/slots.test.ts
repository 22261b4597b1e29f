import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Slots } from './slots.ts'

const never = new AbortController().signal

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('Slots', () => {
  it('passes each slot to the request that has waited longest', async () => {
    const slots = new Slots(2, 3, 1000)
    expect([slots.take(), slots.take(), slots.take()]).toEqual([true, true, false])
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (each) => {
      expect(await slots.wait(never)).toBe('running')
      order.push(each)
    })
    expect(slots.wait(never)).toBeUndefined()
    for (let count = 0; count < 3; count++) slots.release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    expect([slots.take(), slots.isIdle]).toEqual([false, false])
    slots.release()
    slots.release()
    expect([slots.isIdle, slots.take()]).toEqual([true, true])
  })

  it('refuses a request that waits too long, and frees its place for the next one', async () => {
    const slots = new Slots(1, 1, 1000)
    slots.take()
    const late = slots.wait(never)
    vi.advanceTimersByTime(1000)
    expect(await late).toBe('late')
    const next = slots.wait(never)
    slots.release()
    expect(await next).toBe('running')
  })

  it('measures the wait when a slot becomes free, because no timer fires while the event loop is blocked: Ghost#30315', async () => {
    const slots = new Slots(1, 2, 1000)
    slots.take()
    const old = slots.wait(never)
    // The clock advances without the timers, as after a handler that blocked the event loop.
    vi.setSystemTime(Date.now() + 500)
    const spy = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1001)
    const young = slots.wait(never)
    slots.release()
    expect([await old, await young]).toEqual(['late', 'running'])
    spy.mockRestore()
  })

  it('frees the place of a request that ends while it is waiting', async () => {
    const slots = new Slots(1, 1, 1000)
    slots.take()
    const controller = new AbortController()
    const gone = slots.wait(controller.signal)
    controller.abort()
    expect(await gone).toBe('gone')
    expect(await slots.wait(controller.signal)).toBe('gone')
    const next = slots.wait(never)
    slots.release()
    expect(await next).toBe('running')
    expect(vi.getTimerCount()).toBe(0)
  })
})
