import { expect, it } from 'vitest'
import { FleetStates } from './fleet-states.ts'

function serving(): FleetStates {
  const states = new FleetStates(2)
  for (const [pid, worker] of [
    [10, 1],
    [20, 2],
  ] as const) {
    states.change(pid, worker, 'starts')
    states.change(pid, worker, 'serves')
  }
  return states
}

it('shows one process for each position', () => {
  const states = serving()
  states.setInFlight(10, 3)
  expect(states.places).toEqual([
    { pid: 10, state: 'serves', inFlight: 3 },
    { pid: 20, state: 'serves', inFlight: 0 },
  ])
  expect(states.replaced).toBeUndefined()
})

it('shows the successor while it is starting, then the predecessor while it is draining', () => {
  const states = serving()
  states.beginRestart()
  states.change(11, 1, 'starts')
  expect(states.places[0]).toMatchObject({ pid: 11, state: 'starts' })
  states.change(11, 1, 'serves')
  states.change(10, 1, 'drains')
  expect(states.places[0]).toMatchObject({ pid: 10, state: 'drains' })
  states.change(10, 1, 'ended')
  expect(states.places[0]).toMatchObject({ pid: 11, state: 'serves' })
  expect(states.replaced).toBe(1)
})

it('ends the restart when the last process is replaced', () => {
  const states = serving()
  states.beginRestart()
  for (const [old, next, worker] of [
    [10, 11, 1],
    [20, 21, 2],
  ] as const) {
    states.change(next, worker, 'starts')
    states.change(next, worker, 'serves')
    states.change(old, worker, 'drains')
    states.change(old, worker, 'ended')
  }
  expect(states.replaced).toBeUndefined()
  expect(states.places.map(({ pid }) => pid)).toEqual([11, 21])
})
