import cluster from 'node:cluster'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeSoon, drainCode, drainReason } from './staggered-close.ts'

describe('closeSoon', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => {
    vi.advanceTimersByTime(1000)
    vi.useRealTimers()
  })

  it('closes 1,000 sockets immediately, and 1,000 others every 50 ms', () => {
    let closed = 0
    for (let at = 0; at < 2500; at++) closeSoon(() => closed++)
    expect(closed).toBe(1000)
    vi.advanceTimersByTime(50)
    expect(closed).toBe(2000)
    vi.advanceTimersByTime(50)
    expect(closed).toBe(2500)
  })

  it('does not close a socket that has been canceled', () => {
    for (let at = 0; at < 1000; at++) closeSoon(() => {})
    const close = vi.fn<() => void>()
    const cancel = closeSoon(close)
    cancel()
    vi.advanceTimersByTime(1000)
    expect(close).not.toHaveBeenCalled()
  })
})

describe('drainReason', () => {
  it('contains a delay of less than five seconds', () => {
    const delayMs = Number(/^retry-after=(\d+)$/.exec(drainReason())?.[1])
    expect(delayMs).toBeGreaterThanOrEqual(0)
    expect(delayMs).toBeLessThan(5000)
  })
})

describe('drainCode', () => {
  afterEach(() => void Object.assign(cluster, { isWorker: false }))

  it('returns 1001 for a process that ends, and 1012 for a worker that another one replaces', () => {
    expect(drainCode()).toBe(1001)
    Object.assign(cluster, { isWorker: true })
    expect(drainCode()).toBe(1012)
  })
})
