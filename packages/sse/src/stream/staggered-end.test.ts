import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { endSoon } from './staggered-end.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
})

it('ends the first thousand streams together and the others in batches, in order', () => {
  const ended: number[] = []
  for (let n = 0; n < 2500; n++) endSoon(() => ended.push(n))
  expect(ended).toHaveLength(1000)
  vi.advanceTimersByTime(50)
  expect(ended).toHaveLength(2000)
  vi.advanceTimersByTime(50)
  expect(ended).toEqual(Array.from({ length: 2500 }, (_, n) => n))
})

it('does not end a stream that has already ended', () => {
  let ended = 0
  const forget: (() => void)[] = []
  for (let n = 0; n < 1001; n++) forget.push(endSoon(() => ended++))
  forget[1000]?.()
  vi.advanceTimersByTime(1000)
  expect(ended).toBe(1000)
})

it('starts a new batch after a pause and leaves no timer', () => {
  let ended = 0
  for (let n = 0; n < 1000; n++) endSoon(() => ended++)
  vi.advanceTimersByTime(100)
  expect(vi.getTimerCount()).toBe(0)
  for (let n = 0; n < 1000; n++) endSoon(() => ended++)
  expect(ended).toBe(2000)
})
