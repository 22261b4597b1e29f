import { expect, it } from 'vitest'
import { RateLimit } from './rate-limit.ts'

it('allows the uses of one second in a burst, then enforces the rate', () => {
  let now = 0
  const limit = new RateLimit(20, () => now)
  expect(Array.from({ length: 21 }, () => limit.take('ada')).filter((wait) => wait === 0)).toHaveLength(20)
  expect(limit.take('bob')).toBe(0)
  now = 50
  expect([limit.take('ada'), limit.take('ada') > 0]).toEqual([0, true])
})

it('returns the number of milliseconds to wait', () => {
  let now = 0
  const limit = new RateLimit(1 / 5, () => now)
  expect(limit.take('all')).toBe(0)
  expect(limit.take('all')).toBe(5000)
  now = 4000
  expect(limit.take('all')).toBe(1000)
  now = 5000
  expect(limit.take('all')).toBe(0)
})

it('forgets the visitor who has been idle longest if there are more than 1,000', () => {
  const limit = new RateLimit(1, () => 0)
  limit.take('first')
  for (let n = 0; n < 1000; n++) limit.take(`other ${n}`)
  expect(limit.take('first')).toBe(0)
  expect(limit.take('other 999')).toBe(1000)
})
