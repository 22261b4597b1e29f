import { inspect, types } from 'node:util'

/** Placeholder for a value whose own code throws. */
export const UNSHOWABLE = '<value that cannot be shown>'

/** Options for errors: deep enough for a configuration, but limited for large objects. */
const ERROR = { depth: 4, breakLength: Infinity, maxStringLength: 10_000 } as const

/** Options for other values: everything on one line. For errors, `compact` would move the first line of the stack. */
const OTHER = { ...ERROR, compact: true } as const

/**
 * Returns the text of any value: a string unchanged, an error with its stack and cause, and any other value as `util.inspect`
 * formats it. Never throws, even if the value's own code throws.
 */
export function display(value: unknown): string {
  if (typeof value === 'string') return value
  // `inspect` writes `10n` and `-0`.
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : inspected(value)
}

/** Returns the text of any value as source code would show it, with strings in quotes. Never throws. */
export function inspected(value: unknown): string {
  try {
    // `inspect` shows a URL as ten lines of fields.
    return value instanceof URL ? value.href : inspect(value, types.isNativeError(value) ? ERROR : OTHER)
  } catch {
    // The value's own code threw. A log call must not throw.
    return UNSHOWABLE
  }
}
