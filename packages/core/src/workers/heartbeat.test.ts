import { expect, it } from 'vitest'
import { beatIntervalMs, Heartbeat } from './heartbeat.ts'

it('sends five pings per timeout', () => {
  expect(beatIntervalMs(10_000)).toBe(2000)
})

it('reports a blocked process when a whole timeout has passed since the first unanswered ping', () => {
  const heartbeat = new Heartbeat()
  expect(Array.from({ length: 6 }, () => heartbeat.ask())).toEqual([false, false, false, false, false, true])
})

it('resets the count of unanswered pings on a response', () => {
  const heartbeat = new Heartbeat()
  for (let count = 0; count < 5; count++) heartbeat.ask()
  heartbeat.answered()
  expect(Array.from({ length: 5 }, () => heartbeat.ask())).not.toContain(true)
})
