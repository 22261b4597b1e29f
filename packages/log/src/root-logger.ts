import { checkOptions, flag, integer, listOf, oneOf, type OptionKinds } from '@fw/options'
import type { Overflow, QueueSettings } from './async/queued-writer.ts'
import { FanOut, type LogStats } from './fan-out.ts'
import type { Output } from './gate.ts'
import { checkLevel, defaultLevel, levelKind, readLevel, type Level, type LevelOption } from './level.ts'
import { ScopedLogger, type Logger } from './logger.ts'
import { ConsoleSink } from './sinks/console-sink.ts'
import { sinkKind, type LogSink } from './sinks/log-sink.ts'

/** Options of `init` and `createLogger`. */
export interface LogOptions {
  /** Ignores records below this level. Default: the level that `FW_LOG_LEVEL` names, otherwise `Level.Info`. */
  readonly level?: LevelOption
  /** Sinks that receive the records. Default: the current sinks, initially one `ConsoleSink`. */
  readonly sinks?: readonly LogSink[]
  /** Passes lines to a writer thread instead of writing them before the call returns. Default: false. */
  readonly async?: boolean
  /** In asynchronous mode, collects lines for at most this many milliseconds before a write. Default: 100. */
  readonly flushIntervalMs?: number
  /**
   * In asynchronous mode, limits the number of queued records for each destination. Their text is also limited to 8 MiB.
   * Default: 65,536.
   */
  readonly maxQueueSize?: number
  /**
   * In asynchronous mode, chooses what happens when the queue is full. `'drop'` discards and counts the record, and
   * reports the number later; `'block'` makes the caller wait. Error and Fatal always wait. Default: `'drop'`.
   */
  readonly overflow?: Overflow
}

const OPTIONS: OptionKinds<LogOptions> = {
  level: levelKind,
  sinks: listOf('an array of sinks', sinkKind),
  async: flag,
  flushIntervalMs: integer(0, 60_000),
  maxQueueSize: integer(1, 2 ** 24),
  overflow: oneOf('drop', 'block'),
}

/** A logger with its own level and sinks. */
export interface RootLogger extends Logger {
  /** Returns the threshold. */
  getLevel(): Level
  /**
   * Sets the threshold of this logger and its children.
   *
   * @throws {RangeError} if a number is not a level
   * @throws {TypeError} if any other value is not a level name
   */
  setLevel(level: LevelOption): void
  /**
   * Adds a sink to the current ones, including the default one. Adding it again has no effect.
   *
   * @throws {TypeError} if the argument is not a sink
   */
  addSink(sink: LogSink): void
  /**
   * Flushes the current sinks and replaces them. Does not close them: the code that created a sink must close it.
   *
   * @throws {TypeError} if one of them is not a sink
   */
  setSinks(sinks: readonly LogSink[]): void
  /** Flushes every sink. Never rejects: failures are counted in `stats().sinkErrors` and reported on stderr. */
  flush(): Promise<void>
  /** Flushes and ends the writer threads. Later records are written synchronously, so no record is lost. Never throws. */
  shutdown(): void
  /** Returns the counters since the logger was created. */
  stats(): LogStats
}

/**
 * Creates a logger with its own level and sinks, independent of the global one.
 *
 * @throws {TypeError} if an option does not exist or a value has the wrong type
 * @throws {RangeError} if a number is out of range
 */
export function createLogger(options: LogOptions = {}): RootLogger {
  const logger = makeRootLogger()
  logger.configure(options, 'createLogger')
  return logger
}

/** Creates a root logger with the default level. The logger creates a `ConsoleSink` for the first record. */
export function makeRootLogger(): ConfigurableLogger {
  return new ConfigurableLogger({ threshold: defaultLevel(), fanOut: new FanOut(() => [new ConsoleSink()]) })
}

/** A root logger that `init` can configure again. */
export class ConfigurableLogger extends ScopedLogger implements RootLogger {
  readonly #output: Output

  constructor(output: Output) {
    super(output, { prefix: '', fields: undefined, location: 'caller' })
    this.#output = output
  }

  /** Applies all options. If one is invalid, applies none. @param api The called function, for error messages */
  configure(options: LogOptions, api: string): void {
    checkOptions(api, options, OPTIONS)
    if (options.sinks !== undefined) this.#output.fanOut.set(options.sinks)
    this.#output.fanOut.useQueue(queueSettings(options))
    this.#output.threshold = readLevel(options.level) ?? defaultLevel()
  }

  getLevel(): Level {
    return this.#output.threshold
  }

  setLevel(level: LevelOption): void {
    this.#output.threshold = checkLevel(level, 'setLevel')
  }

  addSink(sink: LogSink): void {
    this.#output.fanOut.add(sink)
  }

  setSinks(sinks: readonly LogSink[]): void {
    this.#output.fanOut.set(sinks)
  }

  flush(): Promise<void> {
    return this.#output.fanOut.flush()
  }

  shutdown(): void {
    this.#output.fanOut.flushNow()
    this.#output.fanOut.useQueue(undefined)
  }

  stats(): LogStats {
    return this.#output.fanOut.stats
  }
}

/** Returns the queue settings, or `undefined` in synchronous mode. */
function queueSettings(options: LogOptions): Omit<QueueSettings, 'onFailure'> | undefined {
  const { async = false, flushIntervalMs = 100, maxQueueSize = 65_536, overflow = 'drop' } = options
  return async ? { flushIntervalMs, maxQueueSize, overflow } : undefined
}
