import { setImmediate, setTimeout as delay } from 'node:timers/promises'

/** Number of runs per event-loop turn, as with many connections on a busy server. */
const PER_TURN = 16
/** Number of runs of each candidate per round. */
export const RUNS = 1600

/**
 * Returns the CPU time of one run of each candidate, over all threads, in nanoseconds. It is the minimum of many short,
 * alternating rounds, because other load on the machine can only increase the time.
 *
 * @param settled Resolves when the work that the named candidate started is complete
 */
export async function minimumCosts(
  candidates: Readonly<Record<string, () => void>>,
  rounds: number,
  perTurn: number = PER_TURN,
  settled: (name: string) => Promise<unknown> = () => delay(10),
): Promise<ReadonlyMap<string, number>> {
  const minimum = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const before = process.cpuUsage()
      for (let turn = 0; turn < RUNS / perTurn; turn++) {
        for (let i = 0; i < perTurn; i++) run()
        await setImmediate()
      }
      await settled(name)
      const { user, system } = process.cpuUsage(before)
      minimum.set(name, Math.min(minimum.get(name) ?? Infinity, ((user + system) * 1000) / RUNS))
    }
  }
  return minimum
}

/** Prints the costs, and the difference between each cost and the first. */
export function printCosts(costs: ReadonlyMap<string, number>): void {
  const [first = 0] = costs.values()
  for (const [name, cost] of costs) {
    const more = Math.round(cost - first)
    process.stdout.write(`${name.padEnd(28)} ${Math.round(cost)} ns, ${more < 0 ? '' : '+'}${more}\n`)
  }
}
