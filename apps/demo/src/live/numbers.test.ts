import { expect, it } from 'vitest'
import { ROUTES } from './messages.ts'
import { Numbers, percentile, type Sample } from './numbers.ts'

const GAUGES = { inFlight: 2, loopDelayMs: 0.5, memoryMb: 80, connections: [1, 2, 3] }
const sample = (changes: Partial<Sample> = {}): Sample => ({
  protocol: 1,
  row: 1,
  isFailed: false,
  handlerUs: 300,
  stages: [
    { name: 'parse', kind: 'fw', fromUs: 0, toUs: 20 },
    { name: 'accessLog', kind: 'around', fromUs: 20, toUs: 340 },
    { name: 'handler', kind: 'app', fromUs: 30, toUs: 330 },
  ],
  ...changes,
})

it('sums the requests of one second by protocol and route', () => {
  const numbers = new Numbers()
  numbers.add(sample())
  numbers.add(sample({ handlerUs: 900 }))
  numbers.add(sample({ protocol: 0, row: 5, isFailed: true }))
  const second = numbers.tick(GAUGES)
  expect(second.rates[1 * ROUTES.length + 1]).toBe(2)
  expect(second.rates[5]).toBe(1)
  expect(second).toMatchObject({ failed: 1, p50Ms: 0.3, p99Ms: 0.9, ...GAUGES })
  expect(second.routes[1]).toEqual([0.9, 0])
  expect(second.routes[5]).toEqual([0.3, 100])
  expect(second.stages).toEqual({ parse: 20, middleware: 20, handler: 300 })
})

it('counts each request in exactly one second, and keeps the last minute', () => {
  const numbers = new Numbers()
  numbers.add(sample())
  numbers.tick(GAUGES)
  for (let n = 0; n < 70; n++) numbers.tick(GAUGES)
  expect(numbers.history.h2).toHaveLength(60)
  expect(numbers.last?.rates.every((rate) => rate === 0)).toBe(true)
  expect(numbers.last?.p50Ms).toBe(0)
})

it.each([
  [0, 0.5, []],
  [7, 0.99, [7]],
  [3, 0.5, [1, 2, 3, 4]],
  [4, 0.99, [1, 2, 3, 4]],
])('returns %d as the quantile %d of %j', (expected, share, values) => {
  expect(percentile(values, share)).toBe(expected)
})
