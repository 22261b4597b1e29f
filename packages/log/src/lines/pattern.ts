import type { LogRecord, SourceLocation } from '@fw/types'
import { escapeLine, escapeLines } from '../text/escape.ts'
import { Level, levelName } from '../level.ts'
import { timestamp, utcTimestamp } from '../text/timestamp.ts'

/** What a line shows beside time, level and message. */
export interface LineParts {
  readonly showLocation: boolean
  readonly showThreadId: boolean
  readonly showProcessId?: boolean
  /** Coordinated universal time instead of local time. */
  readonly utc?: boolean
}

/** The properties of an output that change its lines. */
export interface LineTarget {
  /** Changes the names of the levels. */
  readonly paint?: PaintLevel | undefined
  /** Whether a message keeps its line breaks, each followed by a mark. Default: a record is one line */
  readonly multiline?: boolean
}

/** Makes the line of a record, without a line break. */
export type LinePattern = (record: LogRecord) => string

/** Changes the name of a level, for colours. */
export type PaintLevel = (label: string, level: Level) => string

/** Names as wide as the widest, so that messages stand below each other. */
const LABELS: readonly string[] = Object.values(Level).map((level) => levelName(level).padEnd(5))

/**
 * Compiles `[YYYY-MM-DD HH:MM:SS.mmm] [LEVEL] [p:<process id>] [t:<thread id>] [file:line] message`.
 *
 * The file is shown by its last name. Nothing in a message or a file name can end the line or reach a terminal.
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

/** Compiles the beginning of such a line, up to the process id. */
export function compileHead(parts: LineParts, paint?: PaintLevel): (timeMs: number, level: Level) => string {
  const { showProcessId = false } = parts
  const shownProcess = showProcessId ? `[p:${process.pid}] ` : ''
  const labels = labelsOf(paint).map((label) => `] [${label}] ${shownProcess}`)
  const time = parts.utc === true ? utcTimestamp : timestamp
  // Records come in bunches, so the beginning of a line is mostly that of the line before.
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

/** The names of the levels by their number, as lines show them. */
export function labelsOf(paint: PaintLevel | undefined): readonly string[] {
  return LABELS.map((label, level) => paint?.(label, level as Level) ?? label)
}

/** A call site has one location object for all of its records. */
const shown = new WeakMap<SourceLocation, string>()

/** `[file:line] `, escaped. */
export function shownPlace(location: SourceLocation): string {
  let text = shown.get(location)
  if (text === undefined) shown.set(location, (text = escapeLine(`[${placeOf(location)}] `)))
  return text
}

/** Returns `file:line`, with the last name of the file; for a library, which has no line, its name. */
export function placeOf({ file, line }: SourceLocation): string {
  return line === 0 ? baseName(file) : `${baseName(file)}:${line}`
}

/** Both separators: a location may come from a source map made elsewhere. */
export function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}
