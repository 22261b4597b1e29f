import { checkOptions, flag, integer, listOf, oneOf, type OptionKinds } from '@fw/options'
import type { Overflow, QueueSettings } from './async/queued-writer.ts'
import { FanOut, type LogStats } from './fan-out.ts'
import type { Output } from './gate.ts'
import { checkLevel, defaultLevel, levelKind, readLevel, type Level, type LevelOption } from './level.ts'
import { ScopedLogger, type Logger } from './logger.ts'
import { ConsoleSink } from './sinks/console-sink.ts'
import { sinkKind, type LogSink } from './sinks/log-sink.ts'

/** Settings of a logger. */
export interface LogOptions {
  /** Records below this level are not made. Default: that of the environment's `FW_LOG_LEVEL`, else `Level.Info` */
  readonly level?: LevelOption
  /** Where records go. Default: those there are, at first one `ConsoleSink` */
  readonly sinks?: readonly LogSink[]
  /** Hand lines to a writer thread instead of writing them before the call returns. Default: false */
  readonly async?: boolean
  /** In asynchronous mode, how long lines are gathered for one write. Default: 100 */
  readonly flushIntervalMs?: number
  /** In asynchronous mode, most records that wait to be written, for each destination; 8 MiB of text at most. Default: 65,536 */
  readonly maxQueueSize?: number
  /**
   * In asynchronous mode, what a full queue does: `'drop'` a record, count it and say so, or `'block'` the caller
   * until there is room. Error and Fatal are never dropped for want of room. Default: `'drop'`
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

/** A logger that owns its level and its list of sinks. */
export interface RootLogger extends Logger {
  getLevel(): Level
  /**
   * Sets the threshold, for children too.
   *
   * @throws {RangeError} if the number is not a level
   * @throws {TypeError} if it is not a number
   */
  setLevel(level: LevelOption): void
  /** Adds a sink to the present ones, the default one included. Adding it again has no effect. @throws {TypeError} if it is not a sink */
  addSink(sink: LogSink): void
  /**
   * Flushes the present sinks and replaces them. They are not closed: who made a sink closes it.
   *
   * @throws {TypeError} if one of them is not a sink
   */
  setSinks(sinks: readonly LogSink[]): void
  /** Resolves when every sink has handed on what it was given. Never rejects: failures are counted and reported. */
  flush(): Promise<void>
  /** Flushes, and ends the writer threads. Later records are written at once; nothing is lost and nothing throws. */
  shutdown(): void
  stats(): LogStats
}

/**
 * Makes a logger with a level and sinks of its own, apart from the global one.
 *
 * @throws {TypeError} if an option is unknown or has a value of a wrong type
 * @throws {RangeError} if a number is out of range
 */
export function createLogger(options: LogOptions = {}): RootLogger {
  const logger = makeRootLogger()
  logger.configure(options, 'createLogger')
  return logger
}

/** A root logger in its first state: level Info, a `ConsoleSink` when one is needed. */
export function makeRootLogger(): ConfigurableLogger {
  return new ConfigurableLogger({ threshold: defaultLevel(), fanOut: new FanOut(() => [new ConsoleSink()]) })
}

export class ConfigurableLogger extends ScopedLogger implements RootLogger {
  readonly #output: Output

  constructor(output: Output) {
    super(output, { prefix: '', fields: undefined, location: 'caller' })
    this.#output = output
  }

  /** Applies all of the options, or none of them if it throws. @param api The function that was called, for messages */
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

/** Returns the settings of the queue, or `undefined` in synchronous mode. */
function queueSettings(options: LogOptions): Omit<QueueSettings, 'onFailure'> | undefined {
  const { async = false, flushIntervalMs = 100, maxQueueSize = 65_536, overflow = 'drop' } = options
  return async ? { flushIntervalMs, maxQueueSize, overflow } : undefined
}
