import type { LogRecord } from '@fw/types'
import { display } from '../text/display.ts'
import { escapeJson } from '../text/escape.ts'
import { levelName } from '../level.ts'

/**
 * A record as one JSON object in one line, without a line break: `time` (ISO 8601, UTC), `level` (lower case),
 * `message`, then if there is one `file`, `line` and `function`, then `pid` if it is given, then `thread` unless it is the main one,
 * then `fields`.
 * Fields keep to themselves under their own key, so that none can pass for another part of the record. Never throws.
 */
export function jsonLine(record: LogRecord, pid?: number): string {
  const { level, timeMs, message, location, threadId, fields } = record
  const entry = {
    time: new Date(timeMs).toISOString(),
    level: levelName(level).toLowerCase(),
    message,
    file: location?.file,
    line: location?.line,
    function: location?.functionName || undefined,
    pid,
    thread: threadId === 0 ? undefined : threadId,
  }
  const json = JSON.stringify(entry)
  return escapeJson(fields === undefined ? json : `${json.slice(0, -1)},"fields":${jsonFields(fields)}}`)
}

function jsonFields(fields: Readonly<Record<string, unknown>>): string {
  const members: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    const json = jsonValue(value)
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`)
  }
  return `{${members.join(',')}}`
}

/** @returns `undefined` for what JSON leaves out */
function jsonValue(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, replace)
  } catch {
    // Circular, or the value's own code threw: its text is better than nothing.
    return JSON.stringify(display(value))
  }
}

/** Gives what JSON would empty or refuse a form with its content. */
function replace(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return [...(value as Map<unknown, unknown>)]
  if (value instanceof Set) return [...(value as Set<unknown>)]
  if (value instanceof Error) return contentOf(value)
  return value
}

/** What an error has, with its own properties such as `code` last; JSON would show those alone. */
function contentOf(error: Error): object {
  const { name, message, stack, cause } = error
  const errors: unknown = error instanceof AggregateError ? error.errors : undefined
  return Object.assign({ name, message, stack, cause, errors }, error)
}
