import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { currentTurn } from './turn.ts'

it('returns the same number throughout a turn and a different one in the next', async () => {
  await setImmediate()
  const first = currentTurn()
  await Promise.resolve()
  expect(currentTurn()).toBe(first)
  await setImmediate()
  const second = currentTurn()
  expect(second).not.toBe(first)
  await setImmediate()
  expect(currentTurn()).not.toBe(second)
})

it('advances while a test has stopped the clock', async () => {
  vi.useFakeTimers()
  try {
    const before = currentTurn()
    await setImmediate()
    expect(currentTurn()).not.toBe(before)
  } finally {
    vi.useRealTimers()
  }
})
