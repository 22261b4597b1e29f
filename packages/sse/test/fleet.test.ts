import { expect, it } from 'vitest'
import { DISTURBANCES, EVENTS_PER_SECOND, MOVES, runFleet } from './fleet.ts'

/** `FLEET_CLIENTS=300 FLEET_SECONDS=60` runs the test longer, with more clients. */
const CLIENTS = Number(process.env['FLEET_CLIENTS'] ?? 40)
const SECONDS = Number(process.env['FLEET_SECONDS'] ?? 4)

it(
  'delivers every event once to clients that move between processes while Redis is killed, cut off and paused',
  async () => {
    const result = await runFleet({
      nodes: 3,
      clients: CLIENTS,
      seconds: SECONDS,
      isDurable: true,
      disturbances: DISTURBANCES,
    })
    expect(result.faults).toEqual([])
    expect(result.published).toBeGreaterThan(SECONDS * EVENTS_PER_SECOND)
    expect(result.reconnects).toBeGreaterThan(CLIENTS * MOVES)
  },
  SECONDS * 1000 + 180_000,
)
