/** What repeated measurements of one thing come to. */
export interface Summary {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function summarize(values: readonly number[]): Summary {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/** The middle one, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

/**
 * The median of the ratios round by round: what else the machine does in a round falls on both alike, so that it
 * varies less than the ratio of the medians.
 */
export function medianRatio(values: readonly number[], references: readonly number[]): number {
  return median(values.slice(0, references.length).map((value, round) => value / (references[round] ?? Number.NaN)))
}

/** The value that so large a part of them does not exceed, from 0 to 1; NaN of nothing. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}
