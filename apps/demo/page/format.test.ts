import { expect, it } from 'vitest'
import { clamp, count, duration, milliseconds, rate, shortMs, tone } from './format.ts'

it.each([
  [0, '0 µs'],
  [19.4, '19 µs'],
  [1020, '1.02 ms'],
  [15_400, '15 ms'],
  [1_200_000, '1.2 s'],
  [15_000_000, '15 s'],
])('formats %d µs as %j', (us, text) => expect(duration(us)).toBe(text))

it.each([
  [0, '0/s'],
  [1.8, '1.8/s'],
  [46.4, '46/s'],
])('formats the rate %d as %j', (value, text) => expect(rate(value)).toBe(text))

it.each([
  [0.41, '0.41 ms', '0.4 ms'],
  [61.84, '61.8 ms', '62 ms'],
  [2519, '2.52 s', '2.5 s'],
])('formats %d ms as %j and %j', (ms, long, short) => expect([milliseconds(ms), shortMs(ms)]).toEqual([long, short]))

it('marks failed statuses, separates thousands, and limits numbers', () => {
  expect([200, 304, 404, 499, 500].map(tone)).toEqual(['', '', 'warn', 'warn', 'bad'])
  expect(count(3264)).toBe('3,264')
  expect([clamp(-1), clamp(0.5), clamp(7, 0, 3)]).toEqual([0, 0.5, 3])
})
