import type { LogRecord, SourceLocation } from '@fw/types'
import { escapeLine, escapeLines } from '../text/escape.ts'
import { Level, levelName } from '../level.ts'
import { timestamp, utcTimestamp } from '../text/timestamp.ts'

/** The parts of a line in addition to time, level and message. */
export interface LineParts {
  readonly showLocation: boolean
  readonly showThreadId: boolean
  readonly showProcessId?: boolean
  /** Whether the time is in UTC instead of local time. */
  readonly utc?: boolean
}

/** Properties of an output that affect its lines. */
export interface LineTarget {
  /** Colors the level names. */
  readonly paint?: PaintLevel | undefined
  /** Whether a message keeps its line breaks, each followed by a mark. Default: a record is one line */
  readonly multiline?: boolean
}

/** Returns the line for a record, without a line break. */
export type LinePattern = (record: LogRecord) => string

/** Returns a level name in color. */
export type PaintLevel = (label: string, level: Level) => string

/** Level names, padded to the longest, so that messages align. */
const LABELS: readonly string[] = Object.values(Level).map((level) => levelName(level).padEnd(5))

/**
 * Compiles `[YYYY-MM-DD HH:MM:SS.mmm] [LEVEL] [p:<process ID>] [t:<thread ID>] [file:line] message`.
 *
 * Shows only the file's base name. Escapes messages and file names, so that they cannot end the line or control a
 * terminal.
 */
export function compilePattern(parts: LineParts, { paint, multiline = false }: LineTarget = {}): LinePattern {
  const { showLocation, showThreadId } = parts
  const headOf = compileHead(parts, paint)
  const escape = multiline ? escapeLines : escapeLine
  return ({ timeMs, level, threadId, location, message }) => {
    let line = headOf(timeMs, level)
    if (showThreadId) line += `[t:${threadId}] `
    if (showLocation && location !== undefined) line += shownPlace(location)
    return line + escape(message)
  }
}

/** Compiles the beginning of a `compilePattern` line, up to the process ID. */
export function compileHead(parts: LineParts, paint?: PaintLevel): (timeMs: number, level: Level) => string {
  const { showProcessId = false } = parts
  const shownProcess = showProcessId ? `[p:${process.pid}] ` : ''
  const labels = labelsOf(paint).map((label) => `] [${label}] ${shownProcess}`)
  const time = parts.utc === true ? utcTimestamp : timestamp
  // Records arrive in bursts, so most lines begin like the previous one.
  let headMs = Number.NaN
  let headLevel = -1
  let head = ''
  return (timeMs, level) => {
    if (timeMs !== headMs || level !== headLevel) {
      head = `[${time(timeMs)}${labels[level] ?? ''}`
      headMs = timeMs
      headLevel = level
    }
    return head
  }
}

/** Returns the level names as lines show them, indexed by level. */
export function labelsOf(paint: PaintLevel | undefined): readonly string[] {
  return LABELS.map((label, level) => paint?.(label, level as Level) ?? label)
}

/** Formatted locations. All records from a call site share one location object. */
const shown = new WeakMap<SourceLocation, string>()

/** Returns `[file:line] `, escaped. */
export function shownPlace(location: SourceLocation): string {
  let text = shown.get(location)
  if (text === undefined) shown.set(location, (text = escapeLine(`[${placeOf(location)}] `)))
  return text
}

/** Returns `file:line` with the file's base name, or the name of a library, whose records have no line. */
export function placeOf({ file, line }: SourceLocation): string {
  return line === 0 ? baseName(file) : `${baseName(file)}:${line}`
}

/** Returns the last part of a path. A source map from another platform can use either separator. */
export function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}
