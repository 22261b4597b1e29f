import { expect, it } from 'vitest'
import { apart } from './apart.ts'

it.each([
  [[], []],
  [
    [0, 50, 100],
    [0, 50, 100],
  ],
  [
    [10, 12, 40],
    [10, 26, 42],
  ],
  [
    [97, 98, 99],
    [68, 84, 100],
  ],
  [
    [20, 99, 99],
    [20, 84, 100],
  ],
])('moves %j at least 16 apart with a maximum of 100: %j', (places, expected) =>
  expect(apart(places, 16, 100)).toEqual(expected),
)
