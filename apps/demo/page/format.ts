import type { ProtocolName } from '../src/live/messages.ts'

/** The names of the protocols for readers. */
export const PROTOCOL_NAMES: Readonly<Record<ProtocolName, string>> = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' }

/** Formats microseconds with the unit that fits: `19 µs`, `1.02 ms`, `15 s`. */
export function duration(us: number): string {
  if (us < 995) return `${Math.round(us)} µs`
  if (us < 9950) return `${(us / 1000).toFixed(2)} ms`
  if (us < 999_500) return `${(us / 1000).toFixed(0)} ms`
  return `${(us / 1e6).toFixed(us < 9.95e6 ? 1 : 0)} s`
}

/** Formats a rate: one decimal below ten. */
export function rate(perSecond: number): string {
  return `${perSecond < 9.95 ? perSecond.toFixed(perSecond === 0 ? 0 : 1) : Math.round(perSecond)}/s`
}

/** Formats milliseconds for a lane or a table: two decimals below ten, then one. */
export function milliseconds(ms: number): string {
  return `${ms < 9.995 ? ms.toFixed(2) : ms.toFixed(1)} ms`
}

/** Formats a count with separators, as in `3,264`. */
export function count(value: number): string {
  return value.toLocaleString('en')
}

/** Returns the class for a status: `bad` for 5xx, `warn` for 4xx. */
export function tone(status: number): 'bad' | 'warn' | '' {
  if (status > 499) return 'bad'
  return status > 399 ? 'warn' : ''
}

/** Returns a number between two limits. */
export function clamp(value: number, low = 0, high = 1): number {
  return Math.min(high, Math.max(low, value))
}
