import { expect, it } from 'vitest'
import { beatIntervalMs, Heartbeat } from './heartbeat.ts'

it('asks five times in a timeout', () => {
  expect(beatIntervalMs(10_000)).toBe(2000)
})

it('a process hangs when a whole timeout has passed since the first question it left open', () => {
  const heartbeat = new Heartbeat()
  expect(Array.from({ length: 6 }, () => heartbeat.ask())).toEqual([false, false, false, false, false, true])
})

it('a response makes up for all questions before', () => {
  const heartbeat = new Heartbeat()
  for (let count = 0; count < 5; count++) heartbeat.ask()
  heartbeat.answered()
  expect(Array.from({ length: 5 }, () => heartbeat.ask())).not.toContain(true)
})
