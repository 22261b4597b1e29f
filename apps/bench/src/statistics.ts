/** Summary of repeated measurements. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function summarize(values: readonly number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Returns the median, which for an even number of values is the mean of the middle two. NaN for an empty array. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** Returns the arithmetic mean; NaN for an empty array. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

/**
 * Returns the median of the rounds' ratios. This median varies less than the ratio of the medians, because other load
 * on the machine during a round affects both values.
 */
export function medianRatio(values: readonly number[], references: readonly number[]): number {
  return median(values.slice(0, references.length).map((value, round) => value / (references[round] ?? Number.NaN)))
}

/** Returns the value that a `part` (0 to 1) of the sorted values does not exceed; NaN for an empty array. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}
