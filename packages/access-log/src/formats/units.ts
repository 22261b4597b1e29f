import { STATUS_CODES } from 'node:http'

/**
 * Formats a duration in nanoseconds as milliseconds with two decimals.
 *
 * @example
 * formatDuration(1_500_000)   // '1.50'
 */
export function formatDuration(ns: number): string {
  // Round an integer instead: `toFixed` rounds 1.005 down, because the nearest binary number is smaller than 1.005.
  const hundredths = Math.round(ns / 10_000)
  const rest = hundredths % 100
  return `${(hundredths - rest) / 100}${FRACTIONS[rest] ?? ''}`
}

const FRACTIONS: readonly string[] = Array.from({ length: 100 }, (_, rest) => (rest / 100).toFixed(2).slice(1))

/** The RFC 9110 phrases that differ from those of Node.js, and the phrase for 499. */
const RENAMED: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  499: 'Client Closed Request',
}

/** Returns the reason phrase of a status, or an empty string for an unknown status. */
export function phraseOf(status: number): string {
  return RENAMED[status] ?? STATUS_CODES[status] ?? ''
}

/** Returns a function that caches the text for each status. At most a few hundred texts are cached. */
export function byStatus(make: (status: number) => string): (status: number) => string {
  const texts: (string | undefined)[] = []
  return (status) => (texts[status] ??= make(status))
}

/**
 * Formats a number of bytes: `<n> B` below 1024, otherwise `<n.n> KB` of 1024 bytes.
 *
 * @example
 * formatSize(1536)   // '1.5 KB'
 */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const tenths = Math.round((bytes * 10) / 1024)
  const rest = tenths % 10
  return `${(tenths - rest) / 10}.${rest} KB`
}
