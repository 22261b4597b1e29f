import { expect, it } from 'vitest'
import { absent, laneResult } from './lane-result.ts'

it("uses the end of the last request as the lane's time", () => {
  expect(
    laneResult(
      'h1',
      [
        [0, 5.12345],
        [1, 9.999],
      ],
      6,
    ),
  ).toEqual({
    name: 'h1',
    totalMs: 10,
    spans: [
      [0, 5.12],
      [1, 10],
    ],
    connections: 6,
  })
})

it('states why a lane did not run', () => {
  expect(absent('h3', 'HTTP/3 is off')).toMatchObject({ name: 'h3', absent: 'HTTP/3 is off', spans: [] })
})
