import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { drain } from './drain.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('destroys no connection if all end in time', async () => {
  const listener = { drain: vi.fn(async () => {}), destroy: vi.fn<() => void>() }
  await drain(listener, 1000, true, () => {})
  vi.advanceTimersByTime(1000)
  expect(listener.drain).toHaveBeenCalledWith(1000, true)
  expect(listener.destroy).not.toHaveBeenCalled()
})

it('destroys the remaining connections when the deadline passes', async () => {
  const events: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const listener = {
    drain: () => promise,
    destroy: () => {
      events.push('destroy')
      resolve()
    },
  }
  const drained = drain(listener, 1000, false, () => events.push('cut off'))
  vi.advanceTimersByTime(999)
  expect(events).toEqual([])
  vi.advanceTimersByTime(1)
  await drained
  expect(events).toEqual(['cut off', 'destroy'])
})

it('destroys connections without calling onCutOff if drainMs is 0', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onCutOff = vi.fn<() => void>()
  const drained = drain({ drain: () => promise, destroy: resolve }, 0, false, onCutOff)
  vi.advanceTimersByTime(0)
  await drained
  expect(onCutOff).not.toHaveBeenCalled()
})

it('clears its timer if the listener fails', async () => {
  const listener = { drain: () => Promise.reject(new Error('broken')), destroy: vi.fn<() => void>() }
  await expect(drain(listener, 1000, true, () => {})).rejects.toThrow('broken')
  vi.advanceTimersByTime(1000)
  expect(listener.destroy).not.toHaveBeenCalled()
})
