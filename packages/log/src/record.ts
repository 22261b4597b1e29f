import { threadId } from 'node:worker_threads'
import type { LogRecord } from '@fw/types'
import { display } from './display.ts'
import { formatMessage } from './format.ts'
import type { Level } from './level.ts'
import { callerLocation } from './location.ts'

/** What a logger gives to every record it makes. */
export interface Scope {
  /** Comes before the message; never taken for a format. */
  readonly prefix: string
  readonly fields: LogRecord['fields']
}

/** Any function of this package that an application calls to log. */
export type LogCallee = (...args: never[]) => unknown

/**
 * Makes the record of one call. Never throws.
 *
 * @param callee The function whose caller is the location, or `undefined` if no location is asked for
 * @param format Meant to be a string; anything else, from untyped code, is shown like an argument
 */
export function makeRecord(
  scope: Scope,
  level: Level,
  callee: LogCallee | undefined,
  format: unknown,
  args: readonly unknown[],
): LogRecord {
  const text = typeof format === 'string' ? formatMessage(format, args) : [format, ...args].map(display).join(' ')
  return {
    level,
    timeMs: Date.now(),
    message: scope.prefix + text,
    location: callee === undefined ? undefined : callerLocation(callee),
    threadId,
    fields: scope.fields,
  }
}
