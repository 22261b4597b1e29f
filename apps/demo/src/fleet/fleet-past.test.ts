import { expect, it } from 'vitest'
import type { FleetMessage, ProcessState } from '../live/messages.ts'
import { FleetPast } from './fleet-past.ts'

const message = (rate: number, ...states: ProcessState['state'][]): FleetMessage => ({
  port: 1,
  processes: states.map((state) => ({ pid: 1, state, inFlight: 0 })),
  rate,
  answered: 0,
  failed: 0,
})

it('keeps the rate and the states of each message', () => {
  const past = new FleetPast()
  past.add(message(0, 'starts', 'starts'))
  past.add(message(160, 'serves', 'drains'))
  expect(past.entries).toEqual([
    [0, '00'],
    [160, '12'],
  ])
})

it('keeps the newest 120 messages', () => {
  const past = new FleetPast()
  for (let rate = 0; rate < 130; rate++) past.add(message(rate, 'serves'))
  expect(past.entries).toHaveLength(120)
  expect(past.entries[0]).toEqual([10, '1'])
})
