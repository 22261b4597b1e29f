import { median } from '../statistics.ts'
import type { Sample } from './sample.ts'

export type SeriesKey = 'heapMib' | 'rssMib' | 'handles' | 'openFiles'

/** What must not grow. */
export const SERIES: Readonly<Record<SeriesKey, string>> = {
  heapMib: 'heap, MiB',
  rssMib: 'RSS, MiB',
  handles: 'handles',
  openFiles: 'open files',
}

/** More than this is growth: what is left of garbage collection varies by less. */
const TOLERANCE = 1.1

/** The last quarter of a run beside its second: in the first, caches and compiled code grow as they should. */
export interface Growth {
  readonly early: number
  readonly late: number
  readonly grows: boolean
}

/** Compares medians, over which neither the teeth of the heap nor single seconds have a say. */
export function growthOf(samples: readonly Sample[], key: SeriesKey): Growth {
  const quarter = Math.floor(samples.length / 4)
  const valuesOf = (part: readonly Sample[]): readonly number[] => part.map((sample) => sample[key])
  const early = median(valuesOf(samples.slice(quarter, 2 * quarter)))
  const late = median(valuesOf(samples.slice(3 * quarter)))
  return { early, late, grows: late > early * TOLERANCE }
}
