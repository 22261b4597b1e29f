/**
 * Receives log records.
 *
 * If a sink throws, the error is reported and this sink loses the record. The caller and other sinks are not affected.
 */
export interface Sink {
  /** Lowest level of the records that the sink receives. Default: the sink receives every record. */
  readonly level?: LevelNumber
  /**
   * Receives one record. The sink can buffer it until `flush`.
   *
   * @returns False if the sink dropped the record, which loggers count
   */
  write(record: LogRecord): void | boolean
  /** Passes all received records to the operating system. */
  flush(): void | Promise<void>
  /** Flushes and releases all resources. A later `write` has no effect. */
  close(): void | Promise<void>
}

/** Severity: Trace 0, Debug 1, Info 2, Warn 3, Error 4, Fatal 5. As a threshold, 6 (Off) excludes all records. */
export type LevelNumber = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** The source code location that created a record. */
export interface SourceLocation {
  /** Absolute path of the source file, or the name of a library for its own records, such as `fw:core`. */
  readonly file: string
  /** Line, counted from 1; 0 for a library's records. */
  readonly line: number
  /** Name of the calling function; empty at the top level of a module. */
  readonly functionName: string
}

/** A log record. */
export interface LogRecord {
  /** The severity. */
  readonly level: LevelNumber
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
  /** The formatted message, not escaped. Each sink escapes the characters that its output cannot contain. */
  readonly message: string
  /** The place of the log call; `undefined` if it is unknown or no sink reads it. */
  readonly location: SourceLocation | undefined
  /** The `threadId` of the worker thread; 0 on the main thread. */
  readonly threadId: number
  /** Fields of the logger that created the record, for structured sinks. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  /**
   * The content of `message` as named values, such as those of an access-log entry. `JsonSink` writes these values
   * instead of the message.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}
