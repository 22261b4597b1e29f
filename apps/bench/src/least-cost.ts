import { setImmediate, setTimeout as delay } from 'node:timers/promises'

/** Requests made in one turn of the event loop, as many connections do on a busy server. */
const PER_TURN = 16
/** How often each candidate runs in a round. */
export const RUNS = 1600

/**
 * What one run of each candidate costs, in nanoseconds of processor time of all threads. The least of many short rounds,
 * taken in turn: whatever else the machine does can only add to it.
 *
 * @param settled Resolves when nothing is left to be done of what the candidate of that name began
 */
export async function leastCosts(
  candidates: Readonly<Record<string, () => void>>,
  rounds: number,
  perTurn: number = PER_TURN,
  settled: (name: string) => Promise<unknown> = () => delay(10),
): Promise<ReadonlyMap<string, number>> {
  const least = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const before = process.cpuUsage()
      for (let turn = 0; turn < RUNS / perTurn; turn++) {
        for (let i = 0; i < perTurn; i++) run()
        await setImmediate()
      }
      await settled(name)
      const { user, system } = process.cpuUsage(before)
      least.set(name, Math.min(least.get(name) ?? Infinity, ((user + system) * 1000) / RUNS))
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
