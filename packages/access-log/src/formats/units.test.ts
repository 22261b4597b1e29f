import { expect, it } from 'vitest'
import { formatDuration } from './units.ts'

it.each([
  [0, '0.00'],
  [4_999, '0.00'],
  [5_000, '0.01'],
  [312_400, '0.31'],
  [999_999, '1.00'],
  [1_005_000, '1.01'],
  [1_500_000, '1.50'],
  [12_000_000, '12.00'],
  [98_765_432, '98.77'],
  [3_600_000_000_000, '3600000.00'],
])('formats %d nanoseconds as %s', (ns, text) => {
  expect(formatDuration(ns)).toBe(text)
})
