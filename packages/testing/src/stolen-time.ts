import { readFileSync } from 'node:fs'

/** What the processors of this machine were given so far, in the ticks of `/proc/stat` (proc_stat(5)). */
interface ProcessorTicks {
  readonly all: number
  /** Those in which a processor of the host was somebody else's. */
  readonly stolen: number
}

/**
 * Begins to watch whether the machine has its processors for itself; nothing that runs on it can do anything about those
 * who take them away.
 *
 * @returns Tells the share that was taken since, from 0 to 1
 */
export function watchStolenTime(): () => number {
  const before = processorTicks()
  return () => {
    const now = processorTicks()
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all)
  }
}

function processorTicks(): ProcessorTicks {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; guests are among user and nice already.
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1)
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
}

/** What came of a measurement that others on the host may have disturbed. */
export interface Disturbed<Result> {
  readonly result: Result
  /** Share of the processors that others had meanwhile, from 0 to 1. */
  readonly stolenShare: number
  /** How often it was taken; the one that was disturbed least counts. */
  readonly turns: number
}

/** What the figures of a measurement do not show: a twentieth of what two processors do in a second is 100 ms. */
const MOST_STOLEN_SHARE = 0.03

/**
 * Takes a measurement again while others on the host had more than 3 % of the processors. Whether it counts depends on them
 * alone, and never on what was measured; one that fails for lack of time is taken again too.
 *
 * @param mostTurns As some hosts are never quiet
 * @throws what the `measure` did that was disturbed least
 */
export async function leastDisturbed<Result>(
  measure: () => Promise<Result>,
  mostTurns: number,
  watch: () => () => number = watchStolenTime,
): Promise<Disturbed<Result>> {
  let best: { settled: PromiseSettledResult<Result>; stolenShare: number } | undefined
  let turns = 0
  do {
    const stolen = watch()
    const [settled] = await Promise.allSettled([measure()])
    const stolenShare = stolen()
    turns++
    if (best === undefined || stolenShare < best.stolenShare) best = { settled, stolenShare }
  } while (best.stolenShare > MOST_STOLEN_SHARE && turns < mostTurns)
  const { settled, stolenShare } = best
  if (settled.status === 'rejected') throw settled.reason
  return { result: settled.value, stolenShare, turns }
}
