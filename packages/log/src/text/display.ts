import { inspect, types } from 'node:util'

/** Stands for a value whose own code throws. */
export const UNSHOWABLE = '<value that cannot be shown>'

/** Deep enough for a configuration, bounded for a large object. */
const ERROR = { depth: 4, breakLength: Infinity, maxStringLength: 10_000 } as const

/** Everything in one line, which would move the first line of a stack. */
const OTHER = { ...ERROR, compact: true } as const

/**
 * Text of any value: strings as they are, an error with stack and cause, the rest as `util.inspect` shows it.
 * Never throws, whatever the value's own code does.
 */
export function display(value: unknown): string {
  if (typeof value === 'string') return value
  // `inspect` writes `10n` and `-0`.
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : inspected(value)
}

/** Text of any value as source code would show it: strings in quotes. Never throws. */
export function inspected(value: unknown): string {
  try {
    // A URL's fields take ten lines to say what its text says in one.
    return value instanceof URL ? value.href : inspect(value, types.isNativeError(value) ? ERROR : OTHER)
  } catch {
    // The value's own code threw; a log call must not fail for it.
    return UNSHOWABLE
  }
}
