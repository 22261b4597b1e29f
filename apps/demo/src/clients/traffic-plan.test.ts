import { expect, it } from 'vitest'
import { drawRequest, RATES, SHARES } from './traffic-plan.ts'

it('generates every kind of request, of which few fail', () => {
  let seed = 1
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647
  const paths = Array.from({ length: 2000 }, () => drawRequest(random).path)
  for (const path of ['/', '/api/echo', '/.env']) expect(paths).toContain(path)
  const missing = paths.filter((path) => /php|env/.test(path)).length
  expect(missing).toBeGreaterThan(10)
  expect(missing).toBeLessThan(100)
})

it('sends nothing when it is off, and uses every protocol otherwise', () => {
  expect(RATES.off).toBe(0)
  expect(SHARES.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(1)
})
