import { expect, it } from 'vitest'
import { flatness } from './flat.ts'

it.each([
  [[20, 21, 20], true, 1],
  [[20, 20, 25, 24, 21, 21], true, 1.05],
  [[20, 21, 23], false, 1.15],
  [[30, 25, 20], true, 2 / 3],
])('compares the last third of %j with the first', (sizes, isFlat, ratio) => {
  const found = flatness(sizes)
  expect(found.isFlat).toBe(isFlat)
  expect(found.ratio).toBeCloseTo(ratio)
})

it('rejects a series of fewer than three values', () => expect(() => flatness([1, 2])).toThrow(RangeError))
