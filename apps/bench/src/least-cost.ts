import { setImmediate, setTimeout as delay } from 'node:timers/promises'

/** Requests made in one turn of the event loop, as many connections do on a busy server. */
const PER_TURN = 16
const REQUESTS = 1600

/**
 * What one run of each candidate costs, in nanoseconds of processor time of all threads. The least of many short rounds,
 * taken in turn: whatever else the machine does can only add to it.
 */
export async function leastCosts(
  candidates: Readonly<Record<string, () => void>>,
  rounds: number,
  perTurn: number = PER_TURN,
): Promise<ReadonlyMap<string, number>> {
  const least = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const before = process.cpuUsage()
      for (let turn = 0; turn < REQUESTS / perTurn; turn++) {
        for (let i = 0; i < perTurn; i++) run()
        await setImmediate()
      }
      // Other threads have something left to do.
      await delay(10)
      const { user, system } = process.cpuUsage(before)
      least.set(name, Math.min(least.get(name) ?? Infinity, ((user + system) * 1000) / REQUESTS))
    }
  }
  return least
}

/** Writes the costs, and what each has more than the first. */
export function printCosts(costs: ReadonlyMap<string, number>): void {
  const [first = 0] = costs.values()
  for (const [name, cost] of costs) {
    const more = Math.round(cost - first)
    process.stdout.write(`${name.padEnd(28)} ${Math.round(cost)} ns, ${more < 0 ? '' : '+'}${more}\n`)
  }
}
