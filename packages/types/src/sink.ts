/**
 * Where log records end up.
 *
 * A sink that throws is reported and loses that record; it stops neither the caller nor other sinks.
 */
export interface Sink {
  /** Records below this level are not given to the sink; absent means every record. */
  readonly level?: LevelNumber
  /**
   * Takes one record. The sink may buffer it until `flush`.
   *
   * @returns False if the sink dropped the record; loggers then count it as dropped. `true` and no result mean taken
   */
  write(record: LogRecord): void | boolean
  /** Hands everything that was written so far to the operating system. */
  flush(): void | Promise<void>
  /** Flushes and gives back what the sink holds; a later `write` has no effect. */
  close(): void | Promise<void>
}

/** Severity: Trace 0, Debug 1, Info 2, Warn 3, Error 4, Fatal 5. As a threshold, 6 (Off) lets nothing through. */
export type LevelNumber = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** The place in the source code that made a record. */
export interface SourceLocation {
  /** Absolute path of the source file, or the name of a library for its own records, such as `fw:core`. */
  readonly file: string
  /** Line, counted from 1; 0 for the records of a library. */
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
  /** The content of `message` as named values, such as those of an access-log entry. `JsonSink` writes them instead. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}
