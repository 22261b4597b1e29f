import { median } from '../statistics.ts'
import type { Sample } from './sample.ts'

export type SeriesKey = 'heapMib' | 'rssMib' | 'handles' | 'openFiles'

/** Series that must not grow. */
export const SERIES: Readonly<Record<SeriesKey, string>> = {
  heapMib: 'heap, MiB',
  rssMib: 'RSS, MiB',
  handles: 'handles',
  openFiles: 'open files',
}

/** Ratio above which a series counts as growing. Garbage collection alone causes smaller differences. */
const TOLERANCE = 1.1

/**
 * Comparison of the last quarter of a run with the second quarter. In the first quarter, caches and compiled code are still
 * growing.
 */
export interface Growth {
  readonly early: number
  readonly late: number
  readonly grows: boolean
}

/** Compares medians, which the sawtooth of the heap and single peaks do not affect. */
export function growthOf(samples: readonly Sample[], key: SeriesKey): Growth {
  const quarter = Math.floor(samples.length / 4)
  const valuesOf = (part: readonly Sample[]): readonly number[] => part.map((sample) => sample[key])
  const early = median(valuesOf(samples.slice(quarter, 2 * quarter)))
  const late = median(valuesOf(samples.slice(3 * quarter)))
  return { early, late, grows: late > early * TOLERANCE }
}
