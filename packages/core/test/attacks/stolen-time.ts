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
