import { threadId } from 'node:worker_threads'
import type { LogRecord, SourceLocation } from '@fw/types'
import { display, UNSHOWABLE } from './text/display.ts'
import { formatMessage } from './format/format.ts'
import { Level } from './level.ts'
import { callerLocation } from './call-sites/location.ts'

/** The properties that a logger adds to all its records. */
export interface Scope {
  /** The text before each message; never treated as a format. */
  readonly prefix: string
  readonly fields: LogRecord['fields']
  /**
   * The location for all records, or `'caller'` to find the location of each call, which is the most expensive part of a
   * record.
   */
  readonly location: SourceLocation | undefined | 'caller'
}

/** A log function of this package that applications call. */
export type LogCallee = (...args: never[]) => unknown

/**
 * Creates the record for one call. Never throws.
 *
 * @param origin The location, or the function whose caller is the location; `undefined` if no sink reads it
 * @param format The message format. If it is not a string, such as an error, the format is the first of `args`
 */
export function makeRecord(
  scope: Scope,
  level: Level,
  origin: LogCallee | SourceLocation | undefined,
  format: unknown,
  args: readonly unknown[],
  data?: LogRecord['data'],
): LogRecord {
  return {
    level,
    timeMs: Date.now(),
    message: messageOf(scope.prefix, format, args),
    location: locationOf(scope, origin),
    threadId,
    fields: scope.fields,
    data,
  }
}

function messageOf(prefix: string, format: unknown, args: readonly unknown[]): string {
  try {
    if (typeof format === 'string') return prefix + formatMessage(format, args)
    const [message, ...rest] = args
    if (typeof message === 'string') return `${prefix}${formatMessage(message, rest)}: ${display(format)}`
    return prefix + [format, ...args].map(display).join(' ')
  } catch {
    // The message would exceed the maximum length of a string.
    return UNSHOWABLE
  }
}

/** @param origin See `makeRecord` */
export function locationOf(scope: Scope, origin: LogCallee | SourceLocation | undefined): SourceLocation | undefined {
  if (scope.location !== 'caller') return scope.location
  return typeof origin === 'function' ? callerLocation(origin) : origin
}

/** Returns the record that reports how many records a full queue dropped. */
export function droppedRecord(count: number): LogRecord {
  const message = `${count} ${count === 1 ? 'record' : 'records'} dropped: the log queue was full`
  return {
    level: Level.Warn,
    timeMs: Date.now(),
    message,
    location: undefined,
    threadId,
    fields: undefined,
    data: undefined,
  }
}
