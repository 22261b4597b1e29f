import type { LevelNumber } from './level.ts'
import type { LogRecord } from './log-record.ts'

/**
 * Where log records end up.
 *
 * A sink that throws is reported and loses that record; it stops neither the caller nor other sinks.
 */
export interface Sink {
  /** Records below this level are not given to the sink; absent means every record. */
  readonly level?: LevelNumber
  /** Takes one record. It may be buffered until `flush`. */
  write(record: LogRecord): void
  /** Hands everything that was written so far to the operating system. */
  flush(): void | Promise<void>
  /** Flushes and gives back what the sink holds; a later `write` has no effect. */
  close(): void | Promise<void>
}
