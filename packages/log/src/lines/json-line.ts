import type { LogRecord } from '@fw/types'
import { display } from '../text/display.ts'
import { escapeJson } from '../text/escape.ts'
import { levelName } from '../level.ts'

/**
 * Makes one line of JSON from a record, without a line break. Never throws.
 *
 * The members are `time` (ISO 8601, UTC), `level` (lower case), `message`, `file`, `line`, `function`, `pid`, `thread`
 * (not on the main thread) and `fields`; those that a record does not have are left out. A record with data has its
 * values instead of `message`. Fields stay under `fields`, and data cannot replace another member.
 *
 * @param pid The process ID, if the line shows it
 */
export function jsonLine(record: LogRecord, pid?: number): string {
  const { level, timeMs, message, location, threadId, fields, data } = record
  const time = new Date(timeMs).toISOString()
  const name = levelName(level).toLowerCase()
  const rest = {
    file: location?.file,
    line: location?.line || undefined,
    function: location?.functionName || undefined,
    pid,
    thread: threadId === 0 ? undefined : threadId,
  }
  const json =
    data === undefined
      ? JSON.stringify({ time, level: name, message, ...rest })
      : joined(JSON.stringify({ time, level: name }), jsonObject(data, RESERVED), JSON.stringify(rest))
  return escapeJson(fields === undefined ? json : joined(json, `{"fields":${jsonObject(fields, NONE)}}`))
}

/** Names of members that data cannot have. */
const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'file', 'line', 'function', 'pid', 'thread', 'fields'])

const NONE: ReadonlySet<string> = new Set()

/** Returns one object with the members of all. */
function joined(...objects: readonly string[]): string {
  return `{${objects
    .map((json) => json.slice(1, -1))
    .filter((members) => members !== '')
    .join(',')}}`
}

function jsonObject(values: Readonly<Record<string, unknown>>, excluded: ReadonlySet<string>): string {
  let members = ''
  for (const [name, value] of Object.entries(values)) {
    if (excluded.has(name)) continue
    const json = jsonValue(value)
    if (json !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${json}`
  }
  return `{${members}}`
}

/** @returns `undefined` for what JSON leaves out */
function jsonValue(value: unknown): string | undefined {
  // Faster than `JSON.stringify` with a replacer.
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
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
