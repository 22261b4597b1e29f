import type { LogRecord } from '@fw/types'

/** Returns a record with the message "hello" at level Info. `parts` replaces members. */
export function logRecord(parts: Partial<LogRecord> = {}): LogRecord {
  return {
    level: 2,
    timeMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    message: 'hello',
    location: undefined,
    threadId: 0,
    fields: undefined,
    ...parts,
  }
}
