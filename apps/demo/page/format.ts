import type { ProtocolName } from '../src/live/messages.ts'

/** Display names of the protocols. */
export const PROTOCOL_NAMES: Readonly<Record<ProtocolName, string>> = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' }

/** Formats microseconds with a suitable unit: `19 µs`, `1.02 ms`, `15 s`. */
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

/** Formats a number with one decimal below ten, and none above. */
function shortNumber(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0)
}

/** Formats milliseconds for a narrow column: `0.4 ms`, `15 ms`, `2.5 s`. */
export function shortMs(ms: number): string {
  return ms < 999.5 ? `${shortNumber(ms)} ms` : `${shortNumber(ms / 1000)} s`
}

/** Formats milliseconds for a lane: two decimals below ten, then one; seconds above 1,000. */
export function milliseconds(ms: number): string {
  if (ms >= 999.95) return `${(ms / 1000).toFixed(2)} s`
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

/** Returns the number in a range that is nearest to a value. */
export function clamp(value: number, low = 0, high = 1): number {
  return Math.min(high, Math.max(low, value))
}
