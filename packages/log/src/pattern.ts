import type { LogRecord, SourceLocation } from '@fw/types'
import { escapeLine } from './escape.ts'
import { Level, levelName } from './level.ts'
import { timestamp } from './timestamp.ts'

/** What a line shows beside time, level and message. */
export interface LineParts {
  readonly showLocation: boolean
  readonly showThreadId: boolean
}

/** Makes the line of a record, without a line break. */
export type LinePattern = (record: LogRecord) => string

/** Names as wide as the widest, so that messages stand below each other. */
const LABELS: readonly string[] = Object.values(Level).map((level) => levelName(level).padEnd(5))

/**
 * Compiles `[YYYY-MM-DD HH:MM:SS.mmm] [LEVEL] [t:<thread id>] [file:line] message`.
 *
 * The file is shown by its last name. Nothing in a message or a file name can end the line or reach a terminal.
 *
 * @param paint Changes the name of a level once, for colours
 */
export function compilePattern(parts: LineParts, paint?: (label: string, level: Level) => string): LinePattern {
  const labels = LABELS.map((label, level) => `] [${paint?.(label, level as Level) ?? label}] `)
  return (record) => {
    const thread = parts.showThreadId ? `[t:${record.threadId}] ` : ''
    const place = parts.showLocation && record.location !== undefined ? `[${placeOf(record.location)}] ` : ''
    return `[${timestamp(record.timeMs)}${labels[record.level] ?? ''}${thread}${escapeLine(place + record.message)}`
  }
}

function placeOf({ file, line }: SourceLocation): string {
  // Both separators: a location may come from a source map made elsewhere.
  return `${file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)}:${line}`
}
