import { expect, it } from 'vitest'
import { runFleet } from './fleet.ts'

it('clients that wander between processes while Redis is killed get exactly what was published', async () => {
  const { published, reconnects, faults } = await runFleet({ nodes: 3, clients: 40, seconds: 4, isDurable: true })
  expect(faults).toEqual([])
  expect(published).toBeGreaterThan(50)
  expect(reconnects).toBeGreaterThan(80)
}, 40_000)
