import { readFileSync } from 'node:fs'

/** CPU time since this machine started, in `/proc/stat` ticks (proc_stat(5)). */
interface CpuTicks {
  readonly all: number
  /** Ticks in which the hypervisor ran another virtual machine. */
  readonly stolen: number
}

/**
 * Starts measuring the CPU time that the hypervisor gives to other virtual machines.
 *
 * @returns a function that returns the stolen share since this call, from 0 to 1
 */
export function watchStolenTime(): () => number {
  const before = cpuTicks()
  return () => {
    const now = cpuTicks()
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all)
  }
}

function cpuTicks(): CpuTicks {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; user and nice include the guest values.
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1)
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
}

/** Result of a measurement that other virtual machines on the host can disturb. */
export interface Disturbed<Result> {
  readonly result: Result
  /** Share of the CPU time that other virtual machines used during the measurement, from 0 to 1. */
  readonly stolenShare: number
  /** Number of measurements. `result` is from the least disturbed one. */
  readonly turns: number
}

/** Share below which results are not measurably affected. */
const MAX_STOLEN_SHARE = 0.03

/**
 * Repeats a measurement until other virtual machines have used at most 3% of the CPU time during it. Only this share determines
 * whether to repeat the measurement, never the result. A measurement that fails while it is disturbed is also repeated.
 *
 * @param maxTurns Maximum number of measurements, for hosts that are never idle
 * @throws the error from the least disturbed `measure` call, if it failed
 */
export async function leastDisturbed<Result>(
  measure: () => Promise<Result>,
  maxTurns: number,
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
  } while (best.stolenShare > MAX_STOLEN_SHARE && turns < maxTurns)
  const { settled, stolenShare } = best
  if (settled.status === 'rejected') throw settled.reason
  return { result: settled.value, stolenShare, turns }
}
