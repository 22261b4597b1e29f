import type { LogRecord } from '@fw/types'
import { display } from '../text/display.ts'
import { escapeJson } from '../text/escape.ts'
import { levelName } from '../level.ts'

/**
 * Returns one line of JSON for a record, without a line break. Never throws.
 *
 * The members are `time` (ISO 8601, UTC), `level` (lower case), `message`, `file`, `line`, `function`, `pid`, `thread` (not on
 * the main thread) and `fields`. Members that the record does not have are omitted. For a record with data, the line contains
 * the values of that data instead of `message`. Fields remain under `fields`, and data cannot replace another member.
 *
 * @param pid The process ID, if the line contains it
 */
export function jsonLine(record: LogRecord, pid?: number): string {
  const { level, timeMs, message, location, threadId, fields, data } = record
  const head = { time: new Date(timeMs).toISOString(), level: levelName(level).toLowerCase() }
  const rest = {
    file: location?.file,
    line: location?.line || undefined,
    function: location?.functionName || undefined,
    pid,
    thread: threadId === 0 ? undefined : threadId,
  }
  const json =
    data === undefined
      ? JSON.stringify({ ...head, message, ...rest })
      : jsonOf({ ...head, ...data, ...head, ...rest, fields: undefined })
  return escapeJson(fields === undefined ? json : `${json.slice(0, -1)},"fields":${jsonFields(fields)}}`)
}

function jsonOf(members: Readonly<Record<string, unknown>>): string {
  try {
    // Pass the replacer only if a value needs it, because it makes `JSON.stringify` several times slower.
    return Object.values(members).some(needsReplacer) ? JSON.stringify(members, replace) : JSON.stringify(members)
  } catch {
    // A value is circular, or its own code threw.
    return jsonFields(members)
  }
}

function needsReplacer(value: unknown): boolean {
  return typeof value === 'object' || typeof value === 'bigint'
}

function jsonFields(fields: Readonly<Record<string, unknown>>): string {
  const members: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    const json = jsonValue(value)
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`)
  }
  return `{${members.join(',')}}`
}

/**
 * @returns `undefined` for a value that JSON omits
 */
function jsonValue(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, replace)
  } catch {
    // The value is circular, or its own code threw.
    return JSON.stringify(display(value))
  }
}

/** Converts values that JSON would reject or write without their content. */
function replace(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return [...(value as Map<unknown, unknown>)]
  if (value instanceof Set) return [...(value as Set<unknown>)]
  if (value instanceof Error) return contentOf(value)
  return value
}

/**
 * Returns the properties of an error, with its own enumerable properties, such as `code`, last. `JSON.stringify` would write
 * only those.
 */
function contentOf(error: Error): object {
  const { name, message, stack, cause } = error
  const errors: unknown = error instanceof AggregateError ? error.errors : undefined
  return Object.assign({ name, message, stack, cause, errors }, error)
}
