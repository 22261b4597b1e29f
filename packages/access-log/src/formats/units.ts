import { STATUS_CODES } from 'node:http'

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

/** Phrases of RFC 9110, which Node.js has under older names, and that of a client that did not wait. */
const RENAMED: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  499: 'Client Closed Request',
}

/** The reason phrase of a status; empty if it has none. */
export function phraseOf(status: number): string {
  return RENAMED[status] ?? STATUS_CODES[status] ?? ''
}

/** A function whose text is made once for each status: there are a few hundred at most. */
export function byStatus(make: (status: number) => string): (status: number) => string {
  const texts: (string | undefined)[] = []
  return (status) => (texts[status] ??= make(status))
}

/**
 * A number of bytes for people: `<n> B` below 1024, else `<n.n> KB` of 1024 bytes, however large.
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
