/**
 * A duration in nanoseconds as milliseconds with two decimals.
 *
 * @example
 * formatDuration(1_500_000)   // '1.50'
 */
export function formatDuration(ns: number): string {
  // Rounded as a whole number: `toFixed` would see 1.005 as a little less than it is.
  const hundredths = Math.round(ns / 10_000)
  const rest = hundredths % 100
  return `${(hundredths - rest) / 100}${FRACTIONS[rest] ?? ''}`
}

const FRACTIONS: readonly string[] = Array.from({ length: 100 }, (_, rest) => (rest / 100).toFixed(2).slice(1))
