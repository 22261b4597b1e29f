import type { LevelNumber } from './level.ts'

/** Where in the source a record was made. */
export interface SourceLocation {
  /** Absolute path of the source file. */
  readonly file: string
  /** Line, counted from 1. */
  readonly line: number
  /** Name of the calling function; empty at the top level of a module. */
  readonly functionName: string
}

/** One log record, as every sink receives it. */
export interface LogRecord {
  readonly level: LevelNumber
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
  /** The formatted message as the caller meant it; a sink escapes what its own form cannot carry. */
  readonly message: string
  readonly location: SourceLocation | undefined
  /** `threadId` of the worker thread, 0 on the main thread. */
  readonly threadId: number
  /** Fields of the logger that made the record, for structured sinks. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
}
