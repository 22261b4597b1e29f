/** Maximum growth from the first to the last third of a series that counts as flat. */
const MAX_GROWTH = 1.1

/** Whether a series of sizes stays flat. */
export interface Flatness {
  readonly isFlat: boolean
  /** The mean of the last third divided by the mean of the first third. */
  readonly ratio: number
}

/** Compares the first third of a series with the last. @throws {RangeError} for fewer than three values */
export function flatness(sizes: readonly number[]): Flatness {
  const third = Math.floor(sizes.length / 3)
  if (third === 0) throw new RangeError(`flatness: "sizes" must have at least 3 values, got ${sizes.length}.`)
  const ratio = mean(sizes.slice(-third)) / mean(sizes.slice(0, third))
  return { isFlat: ratio <= MAX_GROWTH, ratio }
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}
