import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Turn } from './turn.ts'

it('has one number all through a turn and another one in the next', async () => {
  const turn = new Turn()
  await setImmediate()
  const first = turn.number
  await Promise.resolve()
  expect(turn.number).toBe(first)
  await setImmediate()
  const second = turn.number
  expect(second).not.toBe(first)
  await setImmediate()
  expect(turn.number).not.toBe(second)
})

it('goes on while a test has stopped the clock', async () => {
  vi.useFakeTimers()
  try {
    const turn = new Turn()
    const before = turn.number
    await setImmediate()
    expect(turn.number).not.toBe(before)
  } finally {
    vi.useRealTimers()
  }
})
